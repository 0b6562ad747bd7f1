import { describe, expect, it } from 'vitest'
import { makeApp, type Reply } from '../support/app.ts'

const app = await makeApp()

const create = (className: string, body: object) => app.request('POST', `/1.1/classes/${className}`, { body })
const make = async (className: string, body: object): Promise<string> => (await create(className, body)).body.objectId
const read = async (className: string, id: string) => (await app.request('GET', `/1.1/classes/${className}/${id}`)).body
const update = (className: string, id: string, body: object, query = {}) =>
  app.request('PUT', `/1.1/classes/${className}/${id}`, { body, query })
const count = async (className: string): Promise<number> =>
  (await app.request('GET', `/1.1/classes/${className}`, { query: { count: '1', limit: '0' } })).body.count
const schemaOf = async (className: string) =>
  (await app.request('GET', `/1.1/schemas/${className}`, { master: true })).body

/** Runs a function so many times concurrently. */
function atOnce<Result>(times: number, work: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => work(index)))
}

const statuses = (replies: Reply[]) => replies.map(({ status }) => status)
const all = (times: number, status: number) => Array.from({ length: times }, () => status)

describe('concurrent writes', () => {
  it('200 increments of one number add up', async () => {
    const id = await make('Counter', { n: 0 })
    const replies = await atOnce(200, (index) => update('Counter', id, { n: { __op: 'Increment', amount: index } }))
    expect(statuses(replies)).toEqual(all(200, 200))
    expect((await read('Counter', id)).n).toBe((200 * 199) / 2)
  })

  it('200 increments each return a distinct number', async () => {
    const id = await make('Counter', {})
    const body = { n: { __op: 'Increment', amount: 1 } }
    const replies = await atOnce(200, () => update('Counter', id, body, { fetchWhenSave: 'true' }))
    const seen = replies.map((reply) => reply.body.n as number).toSorted((a, b) => a - b)
    expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => index + 1))
  })

  it('increments of different fields, and plain sets, do not overwrite each other', async () => {
    const id = await make('Counter', { a: 0, b: 0 })
    await atOnce(90, (index) =>
      update(
        'Counter',
        id,
        index % 3 === 2 ? { [`set${index}`]: index } : { [index % 3 ? 'a' : 'b']: { __op: 'Increment' } },
      ),
    )
    const object = await read('Counter', id)
    expect([object.a, object.b]).toEqual([30, 30])
    for (let index = 2; index < 90; index += 3) expect(object[`set${index}`]).toBe(index)
  })

  it('array additions are all kept, unique ones once', async () => {
    const id = await make('Counter', {})
    await atOnce(60, (index) =>
      update('Counter', id, {
        all: { __op: 'Add', objects: [index] },
        unique: { __op: 'AddUnique', objects: [index % 10] },
        'deep.all': { __op: 'Add', objects: [index] },
      }),
    )
    const { all: added, unique, deep } = await read('Counter', id)
    const inOrder = (list: number[], length: number) => {
      expect(list.toSorted((a, b) => a - b)).toEqual(Array.from({ length }, (_, index) => index))
    }
    inOrder(added, 60)
    inOrder(unique, 10)
    inOrder(deep.all, 60)
  })

  it('conditional decrements never go below zero', async () => {
    const id = await make('Account', { balance: 100 })
    const where = { where: '{"balance":{"$gte":7}}' }
    const replies = await atOnce(50, () => update('Account', id, { balance: { __op: 'Decrement', amount: 7 } }, where))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(14)
    expect(replies.filter(({ body }) => body.code === 305)).toHaveLength(36)
    expect((await read('Account', id)).balance).toBe(2)
  })

  it('of conditional updates to the same state exactly one succeeds', async () => {
    const id = await make('Account', { state: 'free' })
    const replies = await atOnce(30, (index) =>
      update('Account', id, { state: 'taken', by: index }, { where: '{"state":"free"}' }),
    )
    const winners = replies.flatMap(({ status }, index) => (status === 200 ? [index] : []))
    expect(winners).toHaveLength(1)
    expect((await read('Account', id)).by).toBe(winners[0])
  })

  it('relation changes neither fail nor get lost', async () => {
    const ids = await atOnce(20, () => make('Member', {}))
    const owner = await make('Owner', {})
    const objects = (index: number) => [{ __type: 'Pointer', className: 'Member', objectId: ids[index % 20] }]
    const replies = await atOnce(60, (index) =>
      update('Owner', owner, { fans: { __op: 'AddRelation', objects: objects(index) } }),
    )
    expect(statuses(replies)).toEqual(all(60, 200))
    const object = { __type: 'Pointer', className: 'Owner', objectId: owner }
    const query = { where: JSON.stringify({ $relatedTo: { object, key: 'fans' } }), count: '1', limit: '0' }
    expect((await app.request('GET', '/1.1/classes/Member', { query })).body.count).toBe(20)
  })

  it('of conditional deletions exactly one finds the object', async () => {
    const id = await make('Account', { n: 1 })
    const replies = await atOnce(20, () =>
      app.request('DELETE', `/1.1/classes/Account/${id}`, { query: { where: '{"n":1}' } }),
    )
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ body }) => body.code === 305)).toHaveLength(19)
  })
})

describe('concurrent first writes', () => {
  it('of a new class create it once, and all succeed', async () => {
    const replies = await atOnce(50, (n) => create('Fresh', { n, text: 'a' }))
    expect(statuses(replies)).toEqual(all(50, 201))
    expect(new Set(replies.map(({ body }) => body.objectId)).size).toBe(50)
    expect(await count('Fresh')).toBe(50)
    expect(Object.keys(await schemaOf('Fresh'))).toEqual(expect.arrayContaining(['n', 'text']))
  })

  it('of many new classes create each of them', async () => {
    const replies = await atOnce(20, (index) => create(`Fresh${index % 10}`, { n: 1 }))
    expect(statuses(replies)).toEqual(all(20, 201))
    for (let index = 0; index < 10; index++) expect(await count(`Fresh${index}`)).toBe(2)
  })

  it('to one new field of the same type all succeed', async () => {
    await make('Same', {})
    const replies = await atOnce(50, (n) => create('Same', { field: n }))
    expect(statuses(replies)).toEqual(all(50, 201))
    expect((await schemaOf('Same')).field).toEqual({ type: 'Number' })
  })

  it('to many new fields all succeed', async () => {
    const id = await make('Wide', {})
    // Each waits for the changes of the class before it, and at most 10 s: not more of them than a busy machine makes in that time.
    const replies = await atOnce(15, (index) =>
      update('Wide', id, { [`field${index}`]: index, [`also${index % 5}`]: 'x' }),
    )
    expect(statuses(replies)).toEqual(all(15, 200))
    const object = await read('Wide', id)
    for (let index = 0; index < 15; index++) expect(object[`field${index}`]).toBe(index)
  })

  it('of a GeoPoint field all succeed', async () => {
    const place = { __type: 'GeoPoint', latitude: 1, longitude: 2 }
    expect(statuses(await atOnce(20, () => create('Located', { place })))).toEqual(all(20, 201))
    expect(await count('Located')).toBe(20)
  })

  const values = [1, 'text', true, [1], { a: 1 }, { __type: 'Date', iso: '2024-01-01T00:00:00.000Z' }]
  const types = ['Number', 'String', 'Boolean', 'Array', 'Object', 'Date']

  it.each([
    ['a class that exists', true],
    ['a new class', false],
  ])('to one new field of %s with different types: one type wins, the others get error 111', async (_kind, exists) => {
    const className = exists ? 'Contested' : 'ContestedToo'
    if (exists) await make(className, {})
    const replies = await atOnce(48, (index) => create(className, { field: values[index % values.length] }))
    const winner = types.indexOf((await schemaOf(className)).field.type)
    replies.forEach(({ status, body }, index) => {
      if (index % values.length === winner) expect(status).toBe(201)
      else expect([status, body.code]).toEqual([400, 111])
    })
    const { body } = await app.request('GET', `/1.1/classes/${className}`, {
      query: { where: '{"field":{"$exists":true}}' },
    })
    expect(body.results.map((result: { field: unknown }) => result.field)).toEqual(
      Array.from({ length: 8 }, () => values[winner]),
    )
  })

  it('to one new field by updates with different types: one type wins, the others get error 111', async () => {
    const ids = await atOnce(24, () => make('ContestedUpdates', {}))
    const replies = await atOnce(24, (index) =>
      update('ContestedUpdates', ids[index]!, { field: values[index % values.length] }),
    )
    const winner = types.indexOf((await schemaOf('ContestedUpdates')).field.type)
    replies.forEach(({ status, body }, index) => {
      if (index % values.length === winner) expect(status).toBe(200)
      else expect([status, body.code]).toEqual([400, 111])
    })
  })
})
