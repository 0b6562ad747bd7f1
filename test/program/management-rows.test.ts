import { describe, expect, test } from 'vitest'
import { makeApp, type RequestOptions } from '../support/app.ts'

const app = await makeApp()

interface Page {
  readonly results: readonly { readonly objectId: string; readonly [name: string]: unknown }[]
  readonly next: string | null
}

const create = async (className: string, body: object, options: RequestOptions = {}) =>
  (await app.request('POST', `/1.1/classes/${className}`, { ...options, body })).body.objectId as string
const find = async (className: string, query: object) =>
  (await app.admin('POST', `/classes/${className}/find`, query)).body as Page
const refusal = async (path: string, body: object) => {
  const { status, body: answer } = await app.admin('POST', path, body)
  return [status, answer.error]
}

/** Reads all objects page by page. */
async function walk(className: string, query: object): Promise<Page['results']> {
  const all: Page['results'][number][] = []
  for (let after: string | undefined; ; ) {
    const { results, next } = await find(className, { ...query, ...(after ? { after } : {}) })
    all.push(...results)
    if (next === null) return all
    after = next
  }
}

describe('pages of objects', () => {
  test('follow each other in the order of any field, both ways, with objects without it first or last', async () => {
    const values = [3, 1, null, 2, 1, undefined, 3]
    for (const n of values) await create('Ordered', n === undefined ? {} : { n, text: `t${n}`, at: date(n ?? 0) })
    for (const key of ['objectId', 'createdAt', 'updatedAt', 'n', 'text', 'at']) {
      const rising = await walk('Ordered', { order: key, limit: 2 })
      const falling = await walk('Ordered', { order: `-${key}`, limit: 3 })
      expect(rising).toHaveLength(values.length)
      expect(falling).toEqual([...rising].reverse())
    }
    const rising = (await walk('Ordered', { order: 'n', limit: 1 })).map(({ n }) => n)
    expect(rising).toEqual([undefined, null, 1, 1, 2, 3, 3])
  })

  test('contain matches of the condition with ACLs regardless of the settings, newest first by default', async () => {
    const acl = { someone: { read: true } }
    const first = await create('Guarded', { n: 1, ACL: acl }, { master: true })
    const second = await create('Guarded', { n: 2 })
    await create('Guarded', { n: 3 })
    const { results, next } = await find('Guarded', { where: { n: { $lt: 3 } } })
    expect(results.map(({ objectId, ACL }) => [objectId, ACL])).toEqual([
      [second, { '*': { read: true, write: true } }],
      [first, acl],
    ])
    expect(next).toBeNull()
    expect((await find('Guarded', { keys: 'n' })).results[0]).not.toHaveProperty('text')
  })

  test.each([
    [{ after: 'nonsense' }, "'after' must be"],
    [{ after: token('1e', 'x'), order: 'n' }, "position is not valid for the order of 'n'"],
    [{ after: token('"a\\u0000"', 'x'), order: 'n' }, "position is not valid for the order of 'n'"],
    [{ after: token('2026-99-99 00:00:00+00', 'x'), order: 'createdAt' }, 'position is not valid'],
    [{ after: token('2026-02-30 00:00:00+00', 'x'), order: 'createdAt' }, 'position is not valid'],
    [{ after: token('0000-01-01 00:00:00+00', 'x'), order: 'updatedAt' }, 'position is not valid'],
    [{ after: token(null, 'x'), order: 'objectId' }, 'position is not valid'],
    [{ where: { n: { $nonsense: 1 } } }, "The operator '$nonsense'"],
    [{ order: '$n' }, '$n'],
    [{ limit: 5000 }, 'limit'],
    [{ other: 1 }, 'other'],
  ])('reject %j with the valid form', async (query, word) => {
    await create('Asked', { n: 1 })
    const [status, error] = await refusal('/classes/Asked/find', query)
    expect(status).toBe(400)
    expect(error).toContain(word)
  })
})

describe('counts', () => {
  test('are exact for few objects, of a condition and of each class', async () => {
    for (const n of [1, 2, 3]) await create('Counted', { n })
    const count = (where: object) => app.admin('POST', '/classes/Counted/count', { where })
    expect((await count({ n: { $gt: 1 } })).body).toEqual({ count: 2, kind: 'exact' })
    const { body } = await app.admin('GET', '/class-counts')
    expect(body.counts).toMatchObject({ Counted: { count: 3, kind: 'exact' }, _Role: { count: 0, kind: 'exact' } })
  })

  test('are capped for many objects, using estimates of the database', async () => {
    await create('Many', { n: 1 })
    await app.sql(
      `INSERT INTO "Many" (id, created_at, updated_at, data)
       SELECT 'many' || n, now(), now(), '{"n":1}' FROM generate_series(1, 100001) AS n`,
    )
    await app.sql(`ANALYZE "Many"`)
    const all = await app.admin('POST', '/classes/Many/count', {})
    expect(all.body.kind).toBe('estimated')
    expect(all.body.count).toBeGreaterThan(100_000)
    const found = await app.admin('POST', '/classes/Many/count', { where: { n: 1 } })
    expect(found.body).toEqual({ count: 100_000, kind: 'atLeast' })
  })
})

test('restores a deleted object under its id once, except of a built-in class', async () => {
  const objectId = await create('Deleted', { n: 1 })
  await app.request('DELETE', `/1.1/classes/Deleted/${objectId}`)
  const createdAt = '2020-01-01T00:00:00.000Z'
  const restore = { objectId, createdAt, fields: { n: 1, ACL: { someone: { read: true } } } }
  expect((await app.admin('POST', '/classes/Deleted/restore', restore)).status).toBe(200)
  const { results } = await find('Deleted', {})
  expect(results).toEqual([{ objectId, createdAt, updatedAt: createdAt, n: 1, ACL: { someone: { read: true } } }])
  expect((await app.admin('POST', '/classes/Deleted/restore', restore)).status).toBe(400)
  expect((await app.admin('POST', '/classes/_User/restore', restore)).status).toBe(400)
  expect((await app.admin('POST', '/classes/Nowhere/restore', restore)).body.code).toBe(101)
})

function date(n: number): object {
  return { __type: 'Date', iso: new Date(n * 1000).toISOString() }
}

function token(value: string | null, id: string): string {
  return Buffer.from(JSON.stringify([value, id])).toString('base64url')
}
