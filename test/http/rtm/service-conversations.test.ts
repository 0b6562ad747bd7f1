import { describe, expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'

const app = await makeApp()
const ROOT = '/1.2/rtm/service-conversations'

const send = (method: string, path: string, body?: object, query: Record<string, string> = {}) =>
  app.request(method, ROOT + path, { master: true, query, ...(body && { body }) })
const make = async (): Promise<string> => (await send('POST', '', { name: 'News' })).body.objectId
const refusal = (code: number, error: string, status = 400) => ({
  status,
  body: { code, error: expect.stringContaining(error) },
})
const done = { status: 200, body: {} }
const textsOf = (items: readonly { data: string }[]) => items.map(({ data }) => data)
const historyOf = async (id: string, clientId: string, query: Record<string, string> = {}) =>
  textsOf((await send('GET', `/${id}/subscribers/${clientId}/messages`, undefined, query)).body)

describe.each(['/1.2/rtm/chatrooms', ROOT])('%s', (root) => {
  const ask = (method: string, path: string, body?: object, query: Record<string, string> = {}) =>
    app.request(method, root + path, { master: true, query, ...(body && { body }) })

  it('can be created, listed, changed and deleted', async () => {
    const made = await ask('POST', '', { name: 'First', color: 'red' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      objectId: expect.stringMatching(/^[0-9a-f]{24}$/),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    const id = made.body.objectId
    const changed = await ask('PUT', `/${id}`, { name: 'Second' })
    expect(changed).toMatchObject({ status: 200, body: { objectId: id, updatedAt: expect.any(String) } })
    const where = JSON.stringify({ color: 'red' })
    const { results } = (await ask('GET', '', undefined, { where })).body
    const marker = root === ROOT ? 'sys' : 'tr'
    expect(results).toMatchObject([{ objectId: id, name: 'Second', [marker]: true }])
    expect(await ask('PUT', `/${id}`, { sys: false })).toMatchObject(refusal(4306, "'sys'"))
    expect(await ask('DELETE', `/${id}`)).toMatchObject(done)
    expect((await ask('GET', '', undefined, { where })).body.results).toEqual([])
    expect(await ask('POST', '', { m: ['ann'] })).toMatchObject(refusal(117, "'m'"))
  })
})

describe('subscribers', () => {
  it('are added, counted, listed after a given one, and removed', async () => {
    const id = await make()
    for (const client_id of ['cid', 'ann', 'bob'])
      expect(await send('POST', `/${id}/subscribers`, { client_id })).toMatchObject(done)
    const listed = await send('GET', `/${id}/subscribers`)
    expect(listed.body).toEqual(
      ['ann', 'bob', 'cid'].map((subscriber) => ({ subscriber, conv_id: id, timestamp: expect.any(Number) })),
    )
    const rest = (await send('GET', `/${id}/subscribers`, undefined, { client_id: 'ann', limit: '1' })).body
    expect(rest).toMatchObject([{ subscriber: 'bob' }])
    expect((await send('GET', `/${id}/subscribers/count`)).body).toEqual({ count: 3 })
    expect(await send('DELETE', `/${id}/subscribers/bob`)).toMatchObject(done)
    expect(await send('DELETE', `/${id}/subscribers/nobody`)).toMatchObject(done)
    expect((await send('GET', `/${id}/subscribers/count`)).body).toEqual({ count: 2 })
    expect(await send('POST', `/${id}/subscribers`, {})).toMatchObject(refusal(1, "'client_id' is missing"))
  })

  it.each([
    ['', 50],
    ['20', 20],
    ['51', 50],
    ['0', 50],
  ])('a page with the limit %j has %i', async (limit, size) => {
    const id = await make()
    await app.sql(
      `INSERT INTO "$subscriptions" (conv_id, client_id, since_ts) SELECT $1, 'c' || n, n FROM generate_series(1, 60) AS n`,
      [id],
    )
    expect((await send('GET', `/${id}/subscribers`, undefined, { limit })).body).toHaveLength(size)
  })
})

describe('broadcasts', () => {
  it('are in the history of every subscriber, and can be updated, recalled and deleted', async () => {
    const id = await make()
    await send('POST', `/${id}/subscribers`, { client_id: 'ann' })
    const sent = await send('POST', `/${id}/broadcasts`, {
      from_client: 'editor',
      message: 'news',
      push: { alert: 'x' },
    })
    expect(sent.status).toBe(200)
    expect(sent.body).toEqual({ 'msg-id': expect.any(String), timestamp: expect.any(Number) })
    const { 'msg-id': messageId, timestamp } = sent.body
    const [item] = (await send('GET', `/${id}/subscribers/ann/messages`)).body
    expect(item).toMatchObject({ ...sent.body, 'conv-id': id, from: 'editor', data: 'news', 'is-room': false })
    const place = `/${id}/messages/${messageId}`
    const update = { from_client: 'editor', message: 'better news', timestamp }
    expect(await send('PUT', place, update)).toMatchObject(done)
    expect(await historyOf(id, 'ann')).toEqual(['better news'])
    expect(await send('PUT', `${place}/recall`, { from_client: 'editor', timestamp })).toMatchObject(done)
    expect(await historyOf(id, 'ann')).toEqual(['{"_lctype":-127}'])
    const remove = () => app.request('DELETE', `/1.2/rtm/broadcasts/${messageId}`, { master: true })
    expect(await remove()).toMatchObject(done)
    expect(await historyOf(id, 'ann')).toEqual([])
    expect(await remove()).toMatchObject(refusal(4404, 'MESSAGE_NOT_FOUND', 404))
  })

  it.each([
    [{ message: 'x' }, "'from_client' is missing"],
    [{ from_client: 'editor' }, "'message' is missing"],
    [{ from_client: 'editor', message: 'x'.repeat(5121) }, '5120 bytes'],
    [{ from_client: 'editor', message: 'x', push: 7 }, "'push' must be a string or a JSON object"],
  ])('rejects %j', async (body, text) => {
    expect(await send('POST', `/${await make()}/broadcasts`, body)).toMatchObject(refusal(1, text))
  })
})

describe('messages to some subscribers', () => {
  it('are only in their history, ordered with the broadcasts', async () => {
    const id = await make()
    const to = (to_clients: string[], message: string) =>
      send('POST', `/${id}/messages`, { from_client: 'editor', to_clients, message })
    await to(['ann', 'bob'], 'both')
    await send('POST', `/${id}/broadcasts`, { from_client: 'editor', message: 'all' })
    const sent = await to(['ann'], 'ann')
    expect(sent).toMatchObject({ status: 200, body: { 'msg-id': expect.any(String), timestamp: expect.any(Number) } })
    expect(await historyOf(id, 'ann')).toEqual(['ann', 'all', 'both'])
    expect(await historyOf(id, 'bob', { reversed: 'true' })).toEqual(['both', 'all'])
    expect(await historyOf(id, 'cid')).toEqual(['all'])
  })

  it('are updated and recalled for the named clients, and deleted for one', async () => {
    const id = await make()
    const { body } = await send('POST', `/${id}/messages`, {
      from_client: 'editor',
      to_clients: ['ann', 'bob'],
      message: 'first',
    })
    const { 'msg-id': messageId, timestamp } = body
    const change = { from_client: 'editor', timestamp }
    const place = `/${id}/messages/${messageId}`
    expect(await send('PUT', place, { ...change, message: 'second' })).toMatchObject(refusal(4404, 'NOT_FOUND', 404))
    expect(await send('PUT', place, { ...change, message: 'second', to_clients: ['ann'] })).toMatchObject(done)
    expect(await historyOf(id, 'ann')).toEqual(['second'])
    expect(await historyOf(id, 'bob')).toEqual(['first'])
    expect(await send('PUT', `${place}/recall`, { ...change, to_clients: ['bob'] })).toMatchObject(done)
    expect(await historyOf(id, 'bob')).toEqual(['{"_lctype":-127}'])
    const remove = (query: Record<string, string>) =>
      send('DELETE', `/${id}/subscribers/ann/messages/${messageId}`, undefined, query)
    expect(await remove({ timestamp: String(timestamp) })).toMatchObject(refusal(1, "'from_client' is missing"))
    expect(await remove({ from_client: 'editor' })).toMatchObject(refusal(1, "'timestamp' is missing"))
    expect(await remove({ from_client: 'editor', timestamp: String(timestamp) })).toMatchObject(done)
    expect(await historyOf(id, 'ann')).toEqual([])
    expect(await historyOf(id, 'bob')).toHaveLength(1)
  })

  const crowd = Array.from({ length: 21 }, String)
  it.each([
    ['POST', '/messages', { from_client: 'e', message: 'x' }, "'to_clients' is missing"],
    [
      'POST',
      '/messages',
      { from_client: 'e', message: 'x', to_clients: crowd },
      "'to_clients' must contain at most 20 clients",
    ],
    ['POST', '/messages', { message: 'x', to_clients: ['a'] }, "'from_client' is missing"],
    ['POST', '/messages', { from_client: 'e', to_clients: ['a'] }, "'message' is missing"],
    ['POST', '/messages', { from_client: 'e', to_clients: ['a'], message: 'x'.repeat(5121) }, '5120 bytes'],
    [
      'PUT',
      '/messages/m',
      { from_client: 'e', message: 'x', timestamp: 1, to_clients: crowd },
      "'to_clients' must contain at most",
    ],
    [
      'PUT',
      '/messages/m/recall',
      { from_client: 'e', timestamp: 1, to_clients: crowd },
      "'to_clients' must contain at most 20",
    ],
  ])('%s %s rejects %j', async (method, path, body, text) => {
    expect(await send(method, `/${await make()}${path}`, body)).toMatchObject(refusal(1, text))
  })
})
