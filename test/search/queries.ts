import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { bounded, runs, timeFor } from '../support/runs.ts'
import { indexed, makeSearched } from '../support/search.ts'

// Query strings against a simple model: an object is lists of words, and a query is a function of them.

interface Doc {
  readonly name: number
  readonly title: readonly string[]
  readonly text: readonly string[]
  /** null: the object has no number */
  readonly n: number | null
}

/** A query string, and the predicate of its results. */
interface Query {
  readonly text: string
  finds(doc: Doc): boolean
}

const VOCABULARY = ['ant', 'antler', 'bee', 'beetle', 'cat', 'cut', '北京', '上海', '电影', '2024']
const FIELDS = ['title', 'text'] as const
type FieldName = (typeof FIELDS)[number] | null

const words = fc.array(fc.constantFrom(...VOCABULARY), { maxLength: 6 })
const docs: readonly Doc[] = fc
  .sample(fc.record({ title: words, text: words, n: fc.option(fc.integer({ min: -5, max: 5 })) }), {
    seed: 20261123,
    numRuns: 60,
  })
  .map((doc, name) => ({ ...doc, name }))

const listsOf = (doc: Doc, field: FieldName) => (field ? [doc[field]] : [doc.title, doc.text])
/** Returns the words of a field; those of `n` are its digits. */
const wordsOf = (doc: Doc, field: FieldName) => [
  ...listsOf(doc, field).flat(),
  ...(field === null && doc.n !== null ? [String(Math.abs(doc.n))] : []),
]
const prefixed = (field: FieldName, text: string) => (field ? `${field}:${text}` : text)

const field = fc.constantFrom<FieldName>(null, ...FIELDS)
const word = fc.constantFrom(...VOCABULARY, 'none')

const term: fc.Arbitrary<Query> = fc.oneof(
  fc.record({ field, word }).map(({ field, word }) => ({
    text: prefixed(field, word),
    finds: (doc: Doc) => wordsOf(doc, field).includes(word),
  })),
  fc.record({ field, first: word, second: word }).map(({ field, first, second }) => ({
    text: prefixed(field, `"${first} ${second}"`),
    finds: (doc: Doc) =>
      listsOf(doc, field).some((list) => list.some((one, at) => one === first && list[at + 1] === second)),
  })),
  fc.record({ field, beginning: fc.constantFrom('a', 'ant', 'be', 'c', 'x', '北') }).map(({ field, beginning }) => ({
    text: prefixed(field, `${beginning}*`),
    finds: (doc: Doc) => wordsOf(doc, field).some((word) => word.startsWith(beginning)),
  })),
  fc
    .record({
      field,
      shape: fc.constantFrom(['c?t', /^c.t$/u], ['b*e', /^b.*e$/u], ['a*t?er', /^a.*t.er$/u], ['b?', /^b.$/u]),
    })
    .map(({ field, shape: [pattern, test] }) => ({
      text: prefixed(field, pattern as string),
      finds: (doc: Doc) => wordsOf(doc, field).some((word) => (test as RegExp).test(word)),
    })),
  fc
    .record({
      field,
      misspelt: fc.constantFrom(['cot~', ['cat', 'cut']], ['betle~1', ['beetle']], ['atnler~', ['antler']]),
    })
    .map(({ field, misspelt: [text, meant] }) => ({
      text: prefixed(field, text as string),
      finds: (doc: Doc) => wordsOf(doc, field).some((word) => (meant as readonly string[]).includes(word)),
    })),
  fc
    .record({
      low: fc.option(fc.integer({ min: -6, max: 6 })),
      high: fc.option(fc.integer({ min: -6, max: 6 })),
      open: fc.boolean(),
      close: fc.boolean(),
    })
    .map(({ low, high, open, close }) => ({
      text: `n:${open ? '{' : '['}${low ?? '*'} TO ${high ?? '*'}${close ? '}' : ']'}`,
      finds: ({ n }: Doc) =>
        n !== null &&
        (low === null || (open ? n > low : n >= low)) &&
        (high === null || (close ? n < high : n <= high)),
    })),
  fc.constantFrom<Query>(
    { text: 'n:*', finds: ({ n }) => n !== null },
    { text: '_missing_:n', finds: ({ n }) => n === null },
    { text: '*', finds: () => true },
  ),
)

const { query } = fc.letrec<{ query: Query; clauses: Query }>((tie) => ({
  query: fc.oneof({ depthSize: 'small', withCrossShrink: true }, term, tie('clauses')),
  clauses: fc.oneof(
    fc
      .array(fc.record({ sign: fc.constantFrom('', '+', '-'), of: tie('query') }), { minLength: 1, maxLength: 4 })
      .map((parts) => {
        const having = (sign: string) => parts.filter((part) => part.sign === sign).map(({ of }) => of)
        const [may, must, not] = [having(''), having('+'), having('-')]
        return {
          text: `(${parts.map(({ sign, of }) => sign + of.text).join(' ')})`,
          finds: (doc: Doc) =>
            must.every((one) => one.finds(doc)) &&
            !not.some((one) => one.finds(doc)) &&
            (must.length > 0 || may.length === 0 || may.some((one) => one.finds(doc))),
        }
      }),
    fc
      .record({
        joint: fc.constantFrom('AND', 'OR', '&&', '||'),
        of: fc.array(tie('query'), { minLength: 2, maxLength: 3 }),
      })
      .map(({ joint, of }) => ({
        text: `(${of.map(({ text }) => text).join(` ${joint} `)})`,
        finds: (doc: Doc) =>
          /AND|&&/.test(joint) ? of.every((one) => one.finds(doc)) : of.some((one) => one.finds(doc)),
      })),
    tie('query').map((of) => ({ text: `(NOT ${of.text})`, finds: (doc: Doc) => !of.finds(doc) })),
  ),
}))

/** Declares tests that compare queries with the model, for every kind of index. */
export function describeQueries(app: TestApp): void {
  describe('query strings', () => {
    beforeAll(async () => {
      await makeSearched(app, 'Doc', { title: 'String', text: 'String', n: 'Number', name: 'Number' })
      const requests = docs.map(({ name, title, text, n }) => ({
        method: 'POST',
        path: '/1.1/classes/Doc',
        body: { name: name + 1000, title: title.join(' '), text: text.join(' '), ...(n !== null && { n }) },
      }))
      await app.request('POST', '/1.1/batch', { body: { requests } })
      await indexed(app)
    })

    it(
      'a query finds what the model predicts',
      () =>
        fc.assert(
          fc.asyncProperty(query, async (query) => {
            fc.pre(query.text.length < 1000)
            const parameters = { clazz: 'Doc', q: query.text, limit: '1000', fields: 'name' }
            const { body } = await app.request('GET', '/1.1/search/select', { query: parameters })
            const found = body.results?.map(({ name }: { name: number }) => name - 1000)
            const expected = docs.filter((doc) => query.finds(doc)).map(({ name }) => name)
            expect(found?.toSorted((a: number, b: number) => a - b) ?? body).toEqual(expected)
            expect(body.hits).toBe(expected.length)
          }),
          { ...runs(150), ...bounded(60_000) },
        ),
      timeFor(120_000),
    )
  })
}
