/** A word of a text. What stands inside of a longer word has its position. */
export interface Word {
  /** As it is indexed: lower case, compatible forms of characters made one (NFKC). */
  readonly text: string
  /** Where it begins and ends in the text, in UTF-16 units. */
  readonly start: number
  readonly end: number
  /** The number of the word, from 0 on. */
  readonly position: number
  readonly kind: 'letters' | 'number' | 'unspaced'
  /** Stands inside of the word before it. */
  readonly inner: boolean
}

/** Grows when texts are cut otherwise: indexes are built anew then. */
export const CUTTING = 1

/** Characters of a word that count; words that begin the same for so long are the same. */
const MAX_WORD = 64
/** Characters of a word that are normalized: the form may be shorter than the word, by its marks. */
const MAX_NORMALIZED = 8 * MAX_WORD

/** A dictionary is asked for this many characters at a time: V8 takes longer for each the longer the text is. */
const PIECE = 256

/** Scripts that put no space between words. */
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
 * Cuts a text into words: at what is neither letter nor digit, and where the script has no spaces by the dictionaries of
 * `Intl.Segmenter`. A Chinese word of three characters or more holds its pairs of characters too, so that 大学 is found
 * in 大学生.
 * @param limit how many words there may be; the rest of the text is left out
 */
export function cutWords(text: string, limit = Number.POSITIVE_INFINITY): Word[] {
  return [...wordsOf(text, limit)]
}

/** Cuts a text into words as `cutWords` does, one after the other: long texts are cut in slices (`scheduling/in-slices.ts`). */
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
    const piece = run.slice(start, wholeEnd(run, start + PIECE))
    const isLast = start + piece.length === run.length
    let used = 0
    for (const { segment, index } of segmenter.segment(piece)) {
      // The last word of a piece may go on in the next one.
      if (!isLast && used > 0 && index + segment.length === piece.length) break
      if (WORD_CHARACTER.test(segment)) yield { start: offset + start + index, segment }
      used = index + segment.length
    }
    start += used
  }
}

/** No pair of surrogates is cut in two. */
function wholeEnd(text: string, end: number): number {
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

/** A word in the form in which it is indexed. */
export function indexed(word: string): string {
  const whole = word.length <= MAX_NORMALIZED ? word : word.slice(0, wholeEnd(word, MAX_NORMALIZED))
  const plain = whole.normalize('NFKC').toLowerCase()
  return plain.length <= MAX_WORD ? plain : plain.slice(0, wholeEnd(plain, MAX_WORD))
}

/** A single Chinese character, which stands for all words that begin with it. */
export function isOneCharacter(word: string): boolean {
  return HAN.test(word) && [...word].length === 1
}
