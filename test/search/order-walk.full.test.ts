import { beforeAll, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { indexed, makeSearched } from '../support/search.ts'

// Beyond the sorting limit, objects are read from an index in the requested order.
const app = await makeApp()
const [ann, bob] = [await app.makeUser('ann'), await app.makeUser('bob')]

const OBJECTS = 12_000
/** After all objects that other users can read. */
const OF_ANN = 300

interface Row {
  readonly id: string
  readonly n: number | null
  readonly word: string
  readonly when: string
  readonly mine: boolean
}

const rows: readonly Row[] = Array.from({ length: OBJECTS }, (_, n) => ({
  id: `id${String(n).padStart(6, '0')}`,
  n: n % 40 === 7 ? null : (n * 7919) % 1000,
  word: `w${(n * 31) % 500}`,
  when: new Date(Date.UTC(2020, 0, 1 + ((n * 13) % 900))).toISOString(),
  mine: n >= OBJECTS - OF_ANN,
}))

async function page(query: Record<string, string>, session?: string) {
  const all = { clazz: 'Leaf', q: 'leaf', fields: 'n', ...query }
  const { status, body } = await app.request('GET', '/1.1/search/select', { query: all, ...(session && { session }) })
  expect([status, body.error]).toEqual([200, undefined])
  return body as { hits: number; sid: string; results: { objectId: string }[] }
}

beforeAll(async () => {
  await makeSearched(app, 'Leaf', { text: 'String', n: 'Number', word: 'String', when: 'Date' })
  await app.sql(
    `INSERT INTO "Leaf" (id, created_at, updated_at, acl, readers, writers, data)
     SELECT id, now(), now(),
       CASE WHEN mine THEN jsonb_build_object($2::text, '{"read":true}'::jsonb) END,
       CASE WHEN mine THEN ARRAY[$2] END, CASE WHEN mine THEN ARRAY[]::text[] END,
       jsonb_build_object('text', 'leaf', 'word', word, 'when', jsonb_build_object('__type', 'Date', 'iso', "when"))
         || CASE WHEN n IS NULL THEN '{}' ELSE jsonb_build_object('n', n) END
     FROM jsonb_to_recordset($1::jsonb) AS leaf (id text, n integer, word text, "when" text, mine boolean)`,
    [JSON.stringify(rows), ann.id],
  )
  await indexed(app)
  const indexes = ['n', 'word', 'when', 'createdAt'].map((field) => ({ fields: [field] }))
  const { status, body } = await app.admin('PATCH', '/classes/Leaf', { indexes })
  expect([status, body.error]).toEqual([200, undefined])
}, 60_000)

type Compare = (a: Row, b: Row) => number
const byId: Compare = (a, b) => (a.id < b.id ? -1 : 1)
const by = (value: (row: Row) => number | string): Compare => {
  return (a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : byId(a, b))
}
const down =
  (compare: Compare): Compare =>
  (a, b) =>
    -compare(a, b)

const ORDERS: readonly [order: string, compare: Compare][] = [
  ['n', by(({ n }) => n ?? 0)],
  ['-n', down(by(({ n }) => n ?? 0))],
  ['word', by(({ word }) => word)],
  ['-word', down(by(({ word }) => word))],
  ['when', by(({ when }) => when)],
  ['-when', down(by(({ when }) => when))],
  ['createdAt', byId],
  ['objectId', byId],
  ['-objectId', down(byId)],
]

it.each(ORDERS)('pages in the order %s contain what each caller can read, in that order', async (order, compare) => {
  const readable = (session?: string) =>
    rows.filter(({ mine, n }) => (session === ann.session || !mine) && !(/^-?n$/.test(order) && n === null))
  for (const session of [undefined, ann.session, bob.session]) {
    const expected = readable(session)
      .toSorted(compare)
      .map(({ id }) => id)
    const seen: string[] = []
    let sid = ''
    for (const limit of ['1', '150', '999', '1000']) {
      const found = await page({ order, limit, ...(sid && { sid }) }, session)
      expect(found.hits).toBeGreaterThanOrEqual(10_000)
      seen.push(...found.results.map(({ objectId }) => objectId))
      sid = found.sid
    }
    expect(seen).toEqual(expected.slice(0, 2150))
    const { results } = await page({ order, limit: '20', skip: '700' }, session)
    expect(results.map(({ objectId }) => objectId)).toEqual(expected.slice(700, 720))
  }
})

it('counts only as far as needed when an index has the order', async () => {
  expect((await page({ order: '-n', limit: '20' })).hits).toBe(10_000)
  // No index has this order.
  expect((await page({ order: '-n,word', limit: '20' })).hits).toBe(OBJECTS - OF_ANN)
})

it('continues with objects that lack the field', async () => {
  const having = rows.filter(({ n, mine }) => n !== null && !mine).length
  const lacking = rows.filter(({ n, mine }) => n === null && !mine).map(({ id }) => id)
  const { results } = await page({ order: '-n', limit: '1000', skip: String(having) })
  expect(results.map(({ objectId }) => objectId)).toEqual(lacking.toReversed())
})
