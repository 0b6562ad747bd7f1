import { describe, expect, it } from 'vitest'
import { makeApp, type RequestOptions } from '../support/app.ts'

/** `hidden: "results"`: clients cannot see a field, but can filter by it (docs/classes.md, Fields). */
const app = await makeApp()
const ann = await app.makeUser('ann')
const self = { __type: 'Pointer', className: 'Ticket', objectId: '' }
await app.admin('POST', '/classes', {
  className: 'Ticket',
  fields: {
    secret: { type: 'String', hidden: 'results', searchable: true, default: 'none' },
    friend: { type: 'Pointer', className: 'Ticket', hidden: 'results' },
    friends: { type: 'Relation', className: 'Ticket', hidden: 'results' },
    open: { type: 'String', searchable: true },
  },
})
const create = async (body: object): Promise<string> =>
  (await app.request('POST', '/1.1/classes/Ticket', { body })).body.objectId
const friend = await create({ open: 'a friend' })
const pointer = { ...self, objectId: friend }
const id = await create({
  secret: 'mystery',
  open: 'mystery',
  friend: pointer,
  friends: { __op: 'AddRelation', objects: [pointer] },
})
const holder = (await app.request('POST', '/1.1/classes/Holder', { body: { to: { ...self, objectId: id } } })).body
  .objectId

const query = (parameters: Record<string, string>, options: RequestOptions = {}) =>
  app.request('GET', '/1.1/classes/Ticket', { query: parameters, ...options })
const where = (condition: object) => ({ where: JSON.stringify(condition) })
const inner = { className: 'Ticket', where: { secret: 'mystery' } }
const HIDDEN = /"(secret|friend|friends)"/

describe('a field hidden in results', () => {
  it.each<[how: string, parameters: Record<string, string>, found: number]>([
    ['equality', where({ secret: 'mystery' }), 1],
    ['a pattern in $or', where({ $or: [{ open: 'none' }, { secret: { $regex: '^mys' } }] }), 1],
    ['$exists', where({ secret: { $exists: true } }), 1],
    ['an inner query', where({ objectId: { $in: [id, friend] }, friend: { $inQuery: inner } }), 0],
    ['a pointer', where({ friend: pointer }), 1],
    ['$select', where({ open: { $select: { query: inner, key: 'secret' } } }), 1],
    ['$relatedTo', where({ $relatedTo: { object: { ...self, objectId: id }, key: 'friends' } }), 1],
    ['order', { order: '-secret' }, 2],
    ['a chosen key', { keys: 'secret,open', order: 'secret' }, 2],
    ['include', { include: 'friend', order: 'secret' }, 2],
  ])('can be used in conditions, and is never returned: %s', async (_how, parameters, found) => {
    for (const options of [{}, { session: ann.session }]) {
      const { status, body } = await query(parameters, options)
      expect([status, body.results?.length]).toEqual([200, found])
      expect(JSON.stringify(body)).not.toMatch(HIDDEN)
      expect((await query({ ...parameters, count: '1', limit: '0' }, options)).body.count).toBe(found)
    }
  })

  it('is returned to the master key', async () => {
    expect((await query(where({ secret: 'mystery' }), { master: true })).body.results[0]).toMatchObject({
      secret: 'mystery',
      friend: pointer,
    })
  })

  it('is excluded wherever objects are returned', async () => {
    const path = `/1.1/classes/Ticket/${id}`
    const fetched = { fetchWhenSave: 'true' }
    const cql = "select secret, open from Ticket where secret = 'mystery' order by secret"
    const answers = await Promise.all([
      app.request('GET', path),
      app.request('GET', path, { query: { keys: 'secret' } }),
      app.request('GET', '/1.1/cloudQuery', { query: { cql } }),
      app.request('GET', `/1.1/classes/Holder/${holder}`, { query: { include: 'to,to.friend' } }),
      app.request('POST', '/1.1/classes/Ticket', { query: fetched, body: { secret: 'another' } }),
      app.request('PUT', path, { query: { ...fetched, where: '{"secret":"mystery"}' }, body: { secret: 'mystery' } }),
    ])
    for (const { status, body } of answers) {
      expect(status).toBeLessThan(300)
      expect(JSON.stringify(body)).not.toMatch(HIDDEN)
    }
  })

  it('works in live query conditions', async () => {
    const body = { id: 'client', query: { className: 'Ticket', where: { secret: 'mystery' } } }
    expect((await app.request('POST', '/1.1/LiveQuery/subscribe', { body })).status).toBe(200)
  })

  it('is excluded from client searches, except for the highlighted matches', async () => {
    const search = (q: string) => app.request('GET', '/1.1/search/select', { query: { q, clazz: 'Ticket' } })
    expect((await search('secret:mystery')).body.code).toBe(403)
  })

  it('can become fully hidden, and visible again', async () => {
    const declare = (hidden: unknown) => app.admin('PATCH', '/classes/Ticket', { fields: { secret: { hidden } } })
    expect((await declare(true)).body.fields.secret.hidden).toBe(true)
    expect((await query(where({ secret: 'mystery' }))).body.code).toBe(403)
    expect((await declare('results')).body.fields.secret.hidden).toBe('results')
    expect((await query(where({ secret: 'mystery' }))).status).toBe(200)
    expect((await declare(false)).body.fields.secret).not.toHaveProperty('hidden')
    expect((await query(where({ secret: 'mystery' }))).body.results[0].secret).toBe('mystery')
    expect((await declare('never')).body.code).toBe(1)
  })
})
