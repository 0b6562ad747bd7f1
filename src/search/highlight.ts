import type { Query } from './query/tree.ts'
import { matchesWildcard, similarWords } from './query/words-to-find.ts'
import { cutWords, isOneCharacter } from './words.ts'

/** Whether a word, as it is indexed, is one that a query looks for in a field. */
export type WordTest = (field: string, word: string) => boolean

/** Characters of a text that are looked through, of a fragment, and how many fragments are shown. */
const MAX_TEXT = 20_000
const FRAGMENT = 100
const MAX_FRAGMENTS = 5

/** The words that a query looks for: those that it must not find are none. */
export function soughtWords(query: Query): WordTest {
  const tests = testsOf(query)
  return (field, word) => tests.some((test) => test(field, word))
}

function testsOf(query: Query): WordTest[] {
  switch (query.kind) {
    case 'clauses':
      return [...query.must, ...query.should].flatMap(testsOf)
    case 'range':
    case 'exists':
    case 'everything':
      return []
    case 'wildcard': {
      const { parts, signs } = query
      return [inField(query.field, (word) => matchesWildcard(word, parts, signs))]
    }
    case 'fuzzy':
    case 'text':
    case 'phrase': {
      const texts = cutWords(query.text).flatMap(({ text, inner }) => (inner ? [] : [text]))
      const words = new Set(query.kind === 'fuzzy' ? texts.flatMap(similarWords) : texts)
      const beginnings = query.kind === 'text' ? texts.filter(isOneCharacter) : []
      return [
        inField(query.field, (word) => words.has(word) || beginnings.some((beginning) => word.startsWith(beginning))),
      ]
    }
  }
}

function inField(wanted: string | null, test: (word: string) => boolean): WordTest {
  return (field, word) => (wanted === null || wanted === field) && test(word)
}

/**
 * The parts of a text around the words that are looked for, each of which stands in `<em>`; the whole text where it is
 * short. Nothing else of the text is changed.
 * @returns null when none is there
 */
export function highlighted(field: string, text: string, isSought: WordTest): string[] | null {
  const spans = spansOf(field, text.slice(0, MAX_TEXT), isSought)
  if (spans.length === 0) return null
  const fragments: string[] = []
  for (let next = 0; next < spans.length && fragments.length < MAX_FRAGMENTS; ) {
    const whole = text.length <= 2 * FRAGMENT
    const begin = whole ? 0 : wholeCharacter(text, Math.max(0, spans[next]!.start - FRAGMENT / 4))
    const end = whole ? text.length : wholeCharacter(text, Math.max(begin + FRAGMENT, spans[next]!.end))
    const inside = spans.slice(next).filter((span) => span.start >= begin && span.end <= end)
    fragments.push(marked(text, begin, end, inside))
    next += inside.length
  }
  return fragments
}

interface Span {
  readonly start: number
  end: number
}

function spansOf(field: string, text: string, isSought: WordTest): Span[] {
  const spans: Span[] = []
  for (const { text: word, start, end } of cutWords(text)) {
    if (!isSought(field, word)) continue
    const last = spans.at(-1)
    if (last && start < last.end) last.end = Math.max(last.end, end)
    else spans.push({ start, end })
  }
  return spans
}

function marked(text: string, begin: number, end: number, spans: readonly Span[]): string {
  let shown = ''
  let at = begin
  for (const span of spans) {
    shown += `${text.slice(at, span.start)}<em>${text.slice(span.start, span.end)}</em>`
    at = span.end
  }
  return shown + text.slice(at, end)
}

function wholeCharacter(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at - 1 : at
}
