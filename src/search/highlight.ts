import type { Query } from './query/tree.ts'
import { similarWords, wildcardTest } from './query/words-to-find.ts'
import { cutWords, isOneCharacter, wordsOf } from './words.ts'

/** Returns whether a query searches for a word, in its indexed form, in a field. */
export type WordTest = (field: string, word: string) => boolean

/** Maximum characters of a text that are searched, characters of a fragment, and maximum fragments. */
const MAX_TEXT = 20_000
const FRAGMENT = 100
const MAX_FRAGMENTS = 5

/** Number of wildcards that is included in the normal cost per character. More wildcards increase the cost. */
const USUAL_WILDCARDS = 4

/** Returns the cost of each character of a text, relative to the normal cost, for the wildcards of a query. */
export function highlightCost(query: Query): number {
  return Math.max(1, wildcardsIn(query) / USUAL_WILDCARDS)
}

function wildcardsIn(query: Query): number {
  if (query.kind === 'clauses')
    return [...query.must, ...query.should].reduce((sum, clause) => sum + wildcardsIn(clause), 0)
  return query.kind === 'wildcard' ? 1 : 0
}

/** Returns a test for the words that a query searches for. Excluded words do not count. */
export function searchedWords(query: Query): WordTest {
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
 * Returns the fragments of a text around the matching words, each word in `<em>`; the whole text if it is short. The text is not
 * escaped. Pauses after each word.
 * @returns null when no word matches
 */
export function* highlighted(
  field: string,
  text: string,
  isSearched: WordTest,
): Generator<undefined, string[] | null, undefined> {
  const spans = yield* spansOf(field, text.slice(0, MAX_TEXT), isSearched)
  if (spans.length === 0) return null
  const fragments: string[] = []
  for (let next = 0; next < spans.length && fragments.length < MAX_FRAGMENTS; ) {
    const isShort = text.length <= 2 * FRAGMENT
    const begin = isShort ? 0 : characterBoundary(text, Math.max(0, spans[next]!.start - FRAGMENT / 4))
    const end = isShort ? text.length : characterBoundary(text, Math.max(begin + FRAGMENT, spans[next]!.end))
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

function* spansOf(field: string, text: string, isSearched: WordTest): Generator<undefined, Span[], undefined> {
  const spans: Span[] = []
  for (const { text: word, start, end } of wordsOf(text)) {
    yield
    if (!isSearched(field, word)) continue
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

function characterBoundary(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at - 1 : at
}
