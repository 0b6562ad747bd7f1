/** A word of a text. An inner word is part of a longer word and has its position. */
export interface Word {
  /** The indexed form: lower case, with compatible characters unified (NFKC). */
  readonly text: string
  /** Start and end in the text, in UTF-16 units. */
  readonly start: number
  readonly end: number
  /** Number of the word, from 0. */
  readonly position: number
  readonly kind: 'letters' | 'number' | 'unspaced'
  /** Whether it is part of the previous word. */
  readonly inner: boolean
}

/** Version of the rules for cutting texts. Indexes are rebuilt when it increases. */
export const CUTTING = 1

/** Maximum characters of an indexed word. Words with the same first characters count as the same. */
const MAX_WORD = 64
/** Maximum characters of a word that are normalized. With combining marks, the normalized form can be shorter than the word. */
const MAX_NORMALIZED = 8 * MAX_WORD

/** Characters passed to the segmenter at a time: V8 takes longer per character for longer texts. */
const PIECE = 256

/** Scripts without spaces between words. */
const UNSPACED = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('')
const RUNS = new RegExp(
  `(?<unspaced>(?=[\\p{L}\\p{N}])[${UNSPACED}][${UNSPACED}\\p{M}]*)|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`,
  'gu',
)
const HAN = /^\p{Script=Han}+$/u
const WORD_CHARACTER = /[\p{L}\p{N}]/u

let segmenter: Intl.Segmenter | undefined

/**
 * Cuts a text into words: at characters that are neither letters nor digits and, in scripts without spaces, by the dictionaries
 * of `Intl.Segmenter`. A Chinese word of three characters or more also contains its pairs of characters, so that 大学 is found in
 * 大学生.
 * @param limit maximum number of words; the rest of the text is ignored
 */
export function cutWords(text: string, limit = Number.POSITIVE_INFINITY): Word[] {
  return [...wordsOf(text, limit)]
}

/** Yields the words of a text one by one, as `cutWords`. Long texts are processed in slices (`scheduling/in-slices.ts`). */
export function* wordsOf(text: string, limit = Number.POSITIVE_INFINITY): Generator<Word> {
  let position = 0
  for (const run of text.matchAll(RUNS)) {
    const isUnspaced = run.groups?.unspaced !== undefined
    for (const { start, segment } of isUnspaced
      ? segmentsOf(run[0], run.index)
      : [{ start: run.index, segment: run[0] }]) {
      if (position >= limit) return
      const kind = isUnspaced ? 'unspaced' : /^\p{N}+$/u.test(segment) ? 'number' : 'letters'
      yield { text: indexed(segment), start, end: start + segment.length, position, kind, inner: false }
      if (isUnspaced) yield* pairsOf(segment, start, position)
      position++
    }
  }
}

function* segmentsOf(run: string, offset: number): Generator<{ start: number; segment: string }> {
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' })
  let start = 0
  while (start < run.length) {
    const piece = run.slice(start, characterBoundary(run, start + PIECE))
    const isLast = start + piece.length === run.length
    let used = 0
    for (const { segment, index } of segmenter.segment(piece)) {
      // The last word of a piece may continue in the next one.
      if (!isLast && used > 0 && index + segment.length === piece.length) break
      if (WORD_CHARACTER.test(segment)) yield { start: offset + start + index, segment }
      used = index + segment.length
    }
    start += used
  }
}

/** Returns an end that does not split a surrogate pair. */
function characterBoundary(text: string, end: number): number {
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end + 1 : end
}

function pairsOf(segment: string, start: number, position: number): Word[] {
  if (segment.length < 3 || !HAN.test(segment)) return []
  const characters = [...segment]
  if (characters.length < 3) return []
  let at = start
  return characters.slice(0, -1).map((character, index) => {
    const pair = character + characters[index + 1]!
    const word: Word = {
      text: indexed(pair),
      start: at,
      end: at + pair.length,
      position,
      kind: 'unspaced',
      inner: true,
    }
    at += character.length
    return word
  })
}

/** Returns the indexed form of a word. */
export function indexed(word: string): string {
  const limited = word.length <= MAX_NORMALIZED ? word : word.slice(0, characterBoundary(word, MAX_NORMALIZED))
  const plain = limited.normalize('NFKC').toLowerCase()
  return plain.length <= MAX_WORD ? plain : plain.slice(0, characterBoundary(plain, MAX_WORD))
}

/** Returns whether a word is a single Chinese character, which matches all words that begin with it. */
export function isOneCharacter(word: string): boolean {
  return HAN.test(word) && [...word].length === 1
}
