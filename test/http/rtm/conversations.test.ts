import { describe, expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'

const app = await makeApp()
const ROOT = '/1.2/rtm/conversations'

const send = (method: string, path: string, body?: object, query: Record<string, string> = {}) =>
  app.request(method, ROOT + path, { master: true, query, ...(body && { body }) })
const make = async (body: object): Promise<string> => (await send('POST', '', body)).body.objectId
const find = async (id: string) =>
  (await send('GET', '', undefined, { where: JSON.stringify({ objectId: id }) })).body.results[0]
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const refusal = (code: number, error: string, status = 400) => ({
  status,
  body: { code, error: expect.stringContaining(error) },
})

describe('creating conversations', () => {
  it('returns the record of a new one, an object of _Conversation', async () => {
    const made = await send('POST', '', { name: 'Tea', m: ['ann', 'bob', 'ann'], unique: true, color: 'red' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      objectId: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Tea',
      m: ['ann', 'bob'],
      unique: true,
      uniqueId: expect.stringMatching(/^[0-9a-f]{32}$/),
      color: 'red',
      createdAt: iso,
      updatedAt: made.body.createdAt,
    })
    const { body } = await app.request('GET', `/1.1/classes/_Conversation/${made.body.objectId}`, { master: true })
    expect(body).toMatchObject({ name: 'Tea', m: ['ann', 'bob'] })
  })

  it('returns the existing unique one of the same members unchanged', async () => {
    const first = await send('POST', '', { name: 'First', m: ['cid', 'dan'], unique: true })
    const second = await send('POST', '', { name: 'Second', m: ['dan', 'cid'], unique: true })
    expect(second).toMatchObject({ status: 200, body: { objectId: first.body.objectId, name: 'First' } })
    const other = await send('POST', '', { name: 'Other', m: ['cid', 'dan'] })
    expect(other.status).toBe(201)
    expect(other.body.objectId).not.toBe(first.body.objectId)
    expect(other.body).not.toHaveProperty('uniqueId')
  })

  it.each([
    [{ m: 'ann' }, 1, "'m' must be a list of client ids"],
    [{ m: ['ann', 5] }, 1, "'m' must be a list of client ids"],
    [{ m: ['x'.repeat(65)] }, 1, "'m' must be a list of client ids"],
    [{ m: ['ann'], unique: 'maybe' }, 1, "'unique' must be true or false"],
    [{ m: ['ann'], name: 5 }, 111, 'name'],
    [{ m: ['ann'], sys: true }, 117, 'sys'],
    [{ m: ['ann'], tr: true }, 117, 'tr'],
    [{ m: Array.from({ length: 501 }, (_, index) => `client ${index}`) }, 4304, '500'],
    [['a'], 107, 'JSON object'],
  ])('rejects %j', async (body, code, text) => {
    expect(await send('POST', '', body)).toMatchObject(refusal(code, text))
  })
})

describe('listing conversations', () => {
  it('lists only this kind, by condition and in pages', async () => {
    for (const name of ['one', 'two', 'three']) await send('POST', '', { name, m: ['lister'], set: 'listed' })
    await app.request('POST', '/1.2/rtm/chatrooms', { master: true, body: { name: 'room', set: 'listed' } })
    const where = JSON.stringify({ set: 'listed' })
    const all = await send('GET', '', undefined, { where })
    expect(all.status).toBe(200)
    expect(all.body.results.map(({ name }: { name: string }) => name)).toEqual(['one', 'two', 'three'])
    expect(all.body.results[0]).toMatchObject({ m: ['lister'], createdAt: iso, updatedAt: iso })
    const page = await send('GET', '', undefined, { where, skip: '1', limit: '1' })
    expect(page.body.results.map(({ name }: { name: string }) => name)).toEqual(['two'])
  })

  it.each([
    [{ skip: 'some' }, 1, "'skip' must be a whole number"],
    [{ where: '{' }, 107, "The parameter 'where'"],
    [{ where: '{"a":{"$nope":1}}' }, 102, '$nope'],
  ])('rejects %j', async (query, code, text) => {
    expect(await send('GET', '', undefined, query as Record<string, string>)).toMatchObject(refusal(code, text))
  })
})

describe('changing conversations', () => {
  it('changes attributes, but not the members', async () => {
    const id = await make({ name: 'Old', m: ['ann'], attr: { a: 1, b: 2 } })
    const answer = await send('PUT', `/${id}`, { name: 'New', 'attr.a': { __op: 'Increment', amount: 1 } })
    expect(answer).toMatchObject({ status: 200, body: { objectId: id, updatedAt: iso } })
    expect(Object.keys(answer.body).toSorted()).toEqual(['objectId', 'updatedAt'])
    expect(await find(id)).toMatchObject({ name: 'New', attr: { a: 2, b: 2 }, updatedAt: answer.body.updatedAt })
    expect(await send('PUT', `/${id}`, { m: ['eve'] })).toMatchObject(refusal(4306, "'m'"))
    expect(await find(id)).toMatchObject({ m: ['ann'] })
  })

  it('a deleted one is removed with its messages', async () => {
    const id = await make({ m: ['ann'] })
    await send('POST', `/${id}/messages`, { from_client: 'ann', message: 'x' })
    expect(await send('DELETE', `/${id}`)).toMatchObject({ status: 200, body: {} })
    expect(await find(id)).toBeUndefined()
    expect(await send('GET', `/${id}/members`)).toMatchObject(refusal(4303, 'CONVERSATION_NOT_FOUND', 404))
    expect(await send('DELETE', `/${id}`)).toMatchObject(refusal(4303, 'CONVERSATION_NOT_FOUND', 404))
    expect((await app.sql('SELECT FROM "$messages" WHERE conv_id = $1', [id])).rows).toHaveLength(0)
  })
})

describe.each([
  ['members', 'm'],
  ['mutes', 'mu'],
])('%s', (path, column) => {
  it('are added, listed and removed', async () => {
    const id = await make({ m: ['ann', 'bob', 'cid'] })
    const expected = { status: 200, body: { objectId: id, updatedAt: iso } }
    const before = path === 'members' ? ['ann', 'bob', 'cid'] : []
    const listed = async () => (await send('GET', `/${id}/${path}`)).body.result
    expect(await listed()).toEqual(before)
    const added = await send('POST', `/${id}/${path}`, { client_ids: ['dan', 'eve', 'dan'] })
    expect(added).toMatchObject(expected)
    expect(await listed()).toEqual([...before, 'dan', 'eve'])
    expect(await find(id)).toMatchObject({ [column]: [...before, 'dan', 'eve'], updatedAt: added.body.updatedAt })
    expect(await send('DELETE', `/${id}/${path}`, { client_ids: ['dan'] })).toMatchObject(expected)
    expect(await listed()).toEqual([...before, 'eve'])
  })

  it('DELETE also takes the clients from the query: as JSON, repeated, or a single one', async () => {
    const id = await make({ m: ['ann'] })
    await send('POST', `/${id}/${path}`, { client_ids: ['b', 'c', 'd', 'e', 'f', 'g'] })
    const remove = (search: string) => app.request('DELETE', `${ROOT}/${id}/${path}?${search}`, { master: true })
    for (const search of [`client_ids=${encodeURIComponent('["b","c"]')}`, 'client_ids=d&client_ids=e', 'client_ids=f'])
      expect((await remove(search)).status).toBe(200)
    expect((await send('GET', `/${id}/${path}`)).body.result.filter((name: string) => name !== 'ann')).toEqual(['g'])
  })

  it.each([
    ['POST', {}, "'client_ids' is missing"],
    ['POST', { client_ids: [] }, "'client_ids' is missing"],
    ['POST', { client_ids: { a: 1 } }, "'client_ids' must be a list of client ids"],
    ['POST', { client_ids: 'bob' }, "'client_ids' must be a list of client ids"],
    ['POST', { client_ids: [''] }, "'client_ids' must be a list of client ids"],
    ['POST', { client_ids: Array.from({ length: 1001 }, String) }, "'client_ids' must contain at most 1000 clients"],
    ['DELETE', {}, "'client_ids' is missing"],
  ])('%s rejects %j', async (method, body, text) => {
    const id = await make({ m: ['ann'] })
    expect(await send(method, `/${id}/${path}`, body)).toMatchObject(refusal(1, text))
  })
})

describe('members', () => {
  it('names clients that cannot be added, and adds the others', async () => {
    const id = await make({ m: ['ann'] })
    await send('POST', `/${id}/blacklists`, { client_ids: ['mallory'] })
    const answer = await send('POST', `/${id}/members`, { client_ids: ['mallory', 'bob'] })
    expect(answer).toMatchObject(refusal(4548, "'mallory'"))
    expect((await send('GET', `/${id}/members`)).body.result).toEqual(['ann', 'bob'])
  })

  it('has at most 500 in a conversation', async () => {
    const id = await make({ m: Array.from({ length: 500 }, (_, index) => `client ${index}`) })
    expect(await send('POST', `/${id}/members`, { client_ids: ['one more'] })).toMatchObject(refusal(4304, '500'))
  })
})
