import type { Query } from './query/tree.ts'
import { similarWords, wildcardTest } from './query/words-to-find.ts'
import { cutWords, isOneCharacter, wordsOf } from './words.ts'

/** Whether a word, as it is indexed, is one that a query looks for in a field. */
export type WordTest = (field: string, word: string) => boolean

/** Characters of a text that are looked through, of a fragment, and how many fragments are shown. */
const MAX_TEXT = 20_000
const FRAGMENT = 100
const MAX_FRAGMENTS = 5

/** Wildcards that a text is searched for at the usual cost: more are paid for in characters. */
const USUAL_WILDCARDS = 4

/** Returns how many characters of the usual cost each character of a text stands for, given what a query looks for. */
export function highlightCost(query: Query): number {
  return Math.max(1, wildcardsIn(query) / USUAL_WILDCARDS)
}

function wildcardsIn(query: Query): number {
  if (query.kind === 'clauses')
    return [...query.must, ...query.should].reduce((sum, clause) => sum + wildcardsIn(clause), 0)
  return query.kind === 'wildcard' ? 1 : 0
}

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
      return [inField(query.field, wildcardTest(query.parts, query.signs))]
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
 * short. Nothing else of the text is changed. Pauses after each word.
 * @returns null when none is there
 */
export function* highlighted(
  field: string,
  text: string,
  isSought: WordTest,
): Generator<undefined, string[] | null, undefined> {
  const spans = yield* spansOf(field, text.slice(0, MAX_TEXT), isSought)
  if (spans.length === 0) return null
  const fragments: string[] = []
  for (let next = 0; next < spans.length && fragments.length < MAX_FRAGMENTS; ) {
    const whole = text.length <= 2 * FRAGMENT
    const begin = whole ? 0 : wholeCharacter(text, Math.max(0, spans[next]!.start - FRAGMENT / 4))
    const end = whole ? text.length : wholeCharacter(text, Math.max(begin + FRAGMENT, spans[next]!.end))
    const inside = spans.slice(next, next + end - begin).filter((span) => span.start >= begin && span.end <= end)
    fragments.push(marked(text, begin, end, inside))
    next += inside.length
  }
  return fragments
}

interface Span {
  readonly start: number
  end: number
}

function* spansOf(field: string, text: string, isSought: WordTest): Generator<undefined, Span[], undefined> {
  const spans: Span[] = []
  for (const { text: word, start, end } of wordsOf(text)) {
    yield
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
