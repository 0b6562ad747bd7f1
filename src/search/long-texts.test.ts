import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { highlightCost, highlighted, searchedWords } from './highlight.ts'
import { indexedDocument } from './indexing/document.ts'
import { serverDocument } from './indexing/server-document.ts'
import { parseQuery } from './query/parse.ts'
import { cutWords, indexed } from './words.ts'

/** Characters of a text that may be processed between two pauses: the segmenter gets this many at a time. */
const BETWEEN_PAUSES = 512

const of = (characters: string, length: number) =>
  Array.from({ length }, (_, n) => characters[(n * 31 + (n >> 3)) % characters.length]).join('')

const TEXTS: [string, string][] = [
  ['Chinese', of('我们的大学生在图书馆学习数据库系统与人工智能技术发展迅速', 20_000)],
  [
    'Chinese of rare characters',
    Array.from({ length: 20_000 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 8000))).join(''),
  ],
  [
    'Chinese beyond the first plane',
    Array.from({ length: 10_000 }, (_, n) => String.fromCodePoint(0x20000 + n)).join(''),
  ],
  ['Japanese', of('これはテストのためのとても長い文章です', 20_000)],
  ['Thai', of('สวัสดีชาวโลกภาษาไทย', 20_000)],
  ['short words', 'to be or not '.repeat(1500)],
]

function run<Result>(steps: Iterator<unknown, Result, undefined>): { result: Result; pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = steps.next()
    if (done) return { result: value, pauses }
  }
}

describe.each(TEXTS)('a long text: %s', (_, text) => {
  const isSearched = searchedWords(parseQuery('数据库 OR to OR ประ* OR テスト'))
  it.each([
    ['indexed', () => indexedDocument(new Map([[1, text]]))],
    ['sent to a search server', () => serverDocument(new Map([[1, text]]))],
    ['highlighted', () => highlighted('text', text, isSearched)],
  ])('is %s with pauses', (_, begin: () => Iterator<unknown, unknown, undefined>) => {
    const { pauses } = run(begin())
    expect(pauses).toBeGreaterThanOrEqual(text.length / BETWEEN_PAUSES)
  })
})

it.each([
  ['marks', `a${'\u0301\u0323'.repeat(50_000)}`],
  ['characters that stand for many', '\uFDFA'.repeat(100_000)],
  ['letters', 'x'.repeat(100_000)],
])('normalizes only the beginning of a word of a hundred thousand %s', (_, text) => {
  // Normalizing many marks after a letter takes quadratic time.
  const normalize = vi.spyOn(String.prototype, 'normalize')
  onTestFinished(() => normalize.mockRestore())
  for (const { text: word } of cutWords(text)) expect(word.length).toBeLessThanOrEqual(65)
  expect(normalize).toHaveBeenCalled()
  for (const normalized of normalize.mock.contexts) expect(String(normalized).length).toBeLessThanOrEqual(512)
  expect(indexed(text)).toBe(indexed(text.slice(0, 512)))
})

it('raises the cost of highlighting per character for many wildcards', () => {
  expect(highlightCost(parseQuery('a b "c d" e~ f*'))).toBe(1)
  expect(highlightCost(parseQuery(Array.from({ length: 60 }, (_, n) => `a*${n}b`).join(' OR ')))).toBe(15)
})

it.each([
  ['o*t', ['object', 'out', 'ot'], ['to', 'objects']],
  ['?b*', ['ab', 'abc', 'bbb'], ['b', 'ba']],
  ['a*b*c', ['abc', 'aabbc', 'abcbc'], ['abcd', 'acb']],
])('matches the wildcard %s', (pattern, these, notThose) => {
  const isSearched = searchedWords(parseQuery(pattern))
  for (const word of these) expect(isSearched('text', word), word).toBe(true)
  for (const word of notThose) expect(isSearched('text', word), word).toBe(false)
})
