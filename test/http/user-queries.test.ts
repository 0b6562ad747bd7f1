import { describe, expect, it } from 'vitest'
import { makeApp, type Reply, type RequestOptions } from '../support/app.ts'

const app = await makeApp()

function expectError(reply: Reply, code: number, status = 400): void {
  expect(reply.body, JSON.stringify(reply.body)).toEqual({ code, error: expect.any(String) })
  expect(reply.status).toBe(status)
}

describe('a query of users', () => {
  it('is closed to clients, with or without a session, until the administrator opens it', async () => {
    const { session } = await app.makeUser('querying')
    const find = (options: RequestOptions) =>
      app.request('GET', '/1.1/users', { query: { where: '{"username":"querying"}', count: '1' }, ...options })
    for (const options of [{}, { session }]) expectError(await find(options), 403, 403)
    expect((await find({ master: true })).body.count).toBe(1)
    await app.admin('PATCH', '/classes/_User', { permissions: { find: 'users' } })
    expectError(await find({}), 403, 403)
    const { body } = await find({ session })
    expect([body.count, body.results[0].username]).toEqual([1, 'querying'])
    await app.admin('PATCH', '/classes/_User', { permissions: { find: 'master' } })
    expectError(await find({ session }), 403, 403)
  })

  it('is closed as a sub-query and through a relation, too', async () => {
    const { id } = await app.makeUser('related')
    const user = { __type: 'Pointer', className: '_User', objectId: id }
    const body = { members: { __op: 'AddRelation', objects: [user] }, owner: user }
    const team = (await app.request('POST', '/1.1/classes/Team', { body })).body.objectId
    const inQuery = { owner: { $inQuery: { className: '_User', where: { username: 'related' } } } }
    const relatedTo = {
      $relatedTo: { object: { __type: 'Pointer', className: 'Team', objectId: team }, key: 'members' },
    }
    const find = (path: string, query: Record<string, string>) => app.request('GET', path, { query })
    expectError(await find('/1.1/classes/Team', { where: JSON.stringify(inQuery) }), 403, 403)
    expectError(await find('/1.1/classes/_User', { where: JSON.stringify(relatedTo) }), 403, 403)
    const redirected = { where: JSON.stringify(relatedTo), redirectClassNameForKey: 'members' }
    expectError(await find('/1.1/classes/Team', redirected), 403, 403)
  })
})

// protocol/storage, strictlyQuery
describe('strictlyQuery', async () => {
  const contacts = { email: 'strict@example.org', mobilePhoneNumber: '13400000000' }
  const sent = { username: 'strict', password: 'password of strict', nick: 'Strict', ...contacts }
  const strict = (await app.request('POST', '/1.1/users', { body: sent })).body
  const find = (query: Record<string, string>, options: RequestOptions = {}) =>
    app.request('GET', '/1.1/users/strictlyQuery', { query, ...options })

  it('finds users by a condition although queries are closed, without address, number and linked accounts', async () => {
    const { status, body } = await find({ where: '{"nick":"Strict"}' })
    const { sessionToken: _, email: _email, mobilePhoneNumber: _number, ...rest } = strict
    expect([status, body]).toEqual([200, { results: [rest] }])
    const keys = await find({ where: '{"nick":"Strict"}', keys: 'username,email,mobilePhoneNumber' })
    expect(Object.keys(keys.body.results[0]).toSorted()).toEqual(['createdAt', 'objectId', 'updatedAt', 'username'])
  })

  it('finds the user of a full address or number', async () => {
    for (const where of [{ email: contacts.email }, { $or: [{ mobilePhoneNumber: contacts.mobilePhoneNumber }] }]) {
      const { body } = await find({ where: JSON.stringify(where) })
      expect(body.results.map(({ objectId }: { objectId: string }) => objectId)).toEqual([strict.objectId])
    }
  })

  it.each([
    ['no condition', {}, 102],
    ['an empty condition', { where: '{}' }, 102],
    ['a condition that is an array', { where: '[{"nick":"Strict"}]' }, 102],
    ['no JSON', { where: '{' }, 107],
    ['a part of an address', { where: '{"email":{"$regex":"^s"}}' }, 403],
    ['a range of addresses', { where: '{"$and":[{"nick":"Strict"},{"email":{"$gt":"s"}}]}' }, 403],
    ['a part of an address below $or', { where: '{"$or":[{"$or":[{"email":{"$regex":"^s"}}]}]}' }, 403],
    ['whether there is a number', { where: '{"mobilePhoneNumber":{"$exists":true}}' }, 403],
    ['linked accounts', { where: '{"authData.weixin.openid":"x"}' }, 403],
    ['an order by address', { where: '{"nick":"Strict"}', order: '-email' }, 403],
    ['skip', { where: '{"nick":"Strict"}', skip: '1' }, 102],
    ['a skip that is no number', { where: '{"nick":"Strict"}', skip: 'x' }, 102],
    ['a skip beside a count', { where: '{"nick":"Strict"}', skip: '100', count: '1', limit: '0' }, 102],
    ...['sessionToken', 'password', 'salt', 'smsCode'].flatMap((name): [string, object, number][] => [
      [`${name} in the condition`, { where: JSON.stringify({ nick: 'Strict', [name]: 'x' }) }, 403],
      [`whether there is a ${name}`, { where: JSON.stringify({ nick: 'Strict', [name]: { $exists: true } }) }, 403],
      [`${name} below $or`, { where: JSON.stringify({ $or: [{ $and: [{ [name]: { $ne: 'x' } }] }] }) }, 403],
      [`a part of ${name}`, { where: JSON.stringify({ [`${name}.a`]: 'x' }) }, 403],
      [`an order by ${name}`, { where: '{"nick":"Strict"}', order: `nick,-${name}` }, 403],
      [`${name} in keys`, { where: '{"nick":"Strict"}', keys: `nick,${name}` }, 403],
      [`${name} in include`, { where: '{"nick":"Strict"}', include: name }, 403],
    ]),
    [
      'an inner query of users',
      { where: '{"nick":{"$select":{"query":{"className":"_User","where":{"email":{"$regex":"^s"}}},"key":"nick"}}}' },
      403,
    ],
  ])('is rejected with %s', async (_fault, query, code) => {
    for (const caller of [{}, { session: strict.sessionToken }])
      expectError(await find(query as Record<string, string>, caller), code, code === 403 ? 403 : 400)
  })

  it('rejects skip and session tokens with the master key, too', async () => {
    expectError(await find({ where: '{"nick":"Strict"}', skip: '1' }, { master: true }), 102)
    expectError(await find({ where: '{"sessionToken":"x"}' }, { master: true }), 403, 403)
  })

  it('accepts a skip of zero, and keys that exclude the token', async () => {
    for (const more of [{ skip: '0' }, { skip: '' }, { keys: '-sessionToken' }, { limit: '10', order: '-createdAt' }])
      expect((await find({ where: '{"nick":"Strict"}', ...more } as Record<string, string>)).body.results).toHaveLength(
        1,
      )
  })

  it('returns all fields to the master key', async () => {
    const where = '{"email":{"$regex":"^strict@"}}'
    expect((await find({ where }, { master: true })).body.results).toEqual([strict])
  })

  it('hides users whose ACL hides them', async () => {
    const { id, session } = await app.makeUser('hidden')
    const body = { nick: 'Hidden', ACL: { [id]: { read: true } } }
    await app.request('PUT', `/1.1/users/${id}`, { body, session })
    expect((await find({ where: '{"nick":"Hidden"}' })).body.results).toEqual([])
    expect((await find({ where: '{"nick":"Hidden"}' }, { session })).body.results).toHaveLength(1)
  })
})
