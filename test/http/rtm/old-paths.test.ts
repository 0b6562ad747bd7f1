import { describe, expect, it, vi } from 'vitest'
import { makeApp } from '../../support/app.ts'

const app = await makeApp()

const send = (method: string, path: string, body?: object, query: Record<string, string> = {}) =>
  app.request(method, path, { master: true, query, ...(body && { body }) })
const make = async (root: string): Promise<string> =>
  (await send('POST', `/1.2/rtm/${root}`, root === 'conversations' ? { m: ['ann', 'bob'] } : {})).body.objectId
const textsOf = (items: readonly { data: string }[]) => items.map(({ data }) => data)
const refusal = (code: number, error: string, status = 400) => ({
  status,
  body: { code, error: expect.stringContaining(error) },
})
const sent = { status: 200, body: { result: { 'msg-id': expect.any(String), timestamp: expect.any(Number) } } }

describe('POST /1.1/rtm/messages', () => {
  it.each(['conversations', 'chatrooms'])('sends to all who are in one of the %s', async (root) => {
    const conv_id = await make(root)
    const body = { from_peer: 'ann', conv_id, message: 'hi', transient: false, push_data: { alert: 'hi' } }
    expect(await send('POST', '/1.1/rtm/messages', body)).toMatchObject(sent)
    expect(textsOf((await send('GET', `/1.2/rtm/${root}/${conv_id}/messages`)).body)).toEqual(['hi'])
  })

  it('sends in a system conversation to those who are named', async () => {
    const conv_id = await make('service-conversations')
    const body = { from_peer: 'editor', conv_id, message: 'hi', to_peers: ['ann'] }
    expect(await send('POST', '/1.1/rtm/messages', body)).toMatchObject(sent)
    const read = async (clientId: string) =>
      textsOf((await send('GET', `/1.2/rtm/service-conversations/${conv_id}/subscribers/${clientId}/messages`)).body)
    expect(await read('ann')).toEqual(['hi'])
    expect(await read('bob')).toEqual([])
    const { rows } = await app.sql(`SELECT FROM "_SysMessage"`)
    expect(rows).toHaveLength(0)
  })

  it('in a system conversation it needs to know to whom', async () => {
    const conv_id = await make('service-conversations')
    const body = { from_peer: 'editor', conv_id, message: 'hi' }
    expect(await send('POST', '/1.1/rtm/messages', body)).toMatchObject(refusal(1, "'to_peers' is missing"))
  })

  it.each([
    [{ conv_id: 'c', message: 'x' }, "'from_peer' is missing"],
    [{ from_peer: 'ann', message: 'x' }, "'conv_id' is missing"],
    [{ from_peer: 'ann', conv_id: 'c' }, "'message' is missing"],
    [{ from_peer: 'ann', conv_id: 'c', message: 'x', to_peers: Array.from({ length: 21 }, String) }, "'to_peers' may"],
  ])('%j is refused', async (body, text) => {
    expect(await send('POST', '/1.1/rtm/messages', body)).toMatchObject(refusal(1, text))
  })

  it('an unknown conversation is answered with 404 and 4303', async () => {
    const body = { from_peer: 'ann', conv_id: '555555555555555555555555', message: 'x' }
    expect(await send('POST', '/1.1/rtm/messages', body)).toMatchObject(refusal(4303, 'NOT_FOUND', 404))
  })
})

describe('POST /1.1/rtm/broadcast', () => {
  it.each([
    [undefined, null],
    [4_102_444_800_000, '4102444800000'],
  ])('is for everyone, until %s', async (valid_till, expires) => {
    const conv_id = await make('service-conversations')
    const body = { from_peer: 'editor', conv_id, message: 'to all', push: 'look', ...(valid_till && { valid_till }) }
    const answer = await send('POST', '/1.1/rtm/broadcast', body)
    expect(answer).toMatchObject(sent)
    const { rows } = await app.sql('SELECT to_everyone, expires_ts FROM "$broadcasts" WHERE id = $1', [
      answer.body.result['msg-id'],
    ])
    expect(rows).toEqual([{ to_everyone: true, expires_ts: expires }])
  })

  it('needs a system conversation', async () => {
    const body = { from_peer: 'editor', conv_id: await make('conversations'), message: 'x' }
    expect(await send('POST', '/1.1/rtm/broadcast', body)).toMatchObject(refusal(4313, 'SYSTEM_CONVERSATION_REQUIRED'))
    expect(await send('POST', '/1.1/rtm/broadcast', { ...body, valid_till: 'ever' })).toMatchObject(
      refusal(1, "'valid_till' must be a whole number"),
    )
  })
})

interface Sent {
  'msg-id': string
  timestamp: number
}

describe('GET /1.1/rtm/messages/history', () => {
  it('finds the messages of a conversation, of a sender, or all, before a time', async () => {
    const convid = await make('conversations')
    /** What is said next has a later time, in whatever conversation. */
    const say = async (from_peer: string, message: string, conv_id = convid): Promise<Sent> => {
      const { result } = (await send('POST', '/1.1/rtm/messages', { from_peer, conv_id, message })).body
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(result.timestamp), { timeout: 10_000, interval: 1 })
      return result
    }
    await say('talker', 'elsewhere', await make('chatrooms'))
    await say('talker', 'one')
    const two = await say('other', 'two')
    await say('talker', 'three')
    const read = async (query: Record<string, string>) =>
      textsOf((await send('GET', '/1.1/rtm/messages/history', undefined, query)).body)
    expect(await read({ convid })).toEqual(['three', 'two', 'one'])
    expect(await read({ convid, reversed: 'true', limit: '2' })).toEqual(['one', 'two'])
    expect(await read({ convid, max_ts: String(two.timestamp), msgid: two['msg-id'] })).toEqual(['one'])
    expect(await read({ from: 'talker' })).toEqual(['three', 'one', 'elsewhere'])
    expect(await read({ limit: '4' })).toEqual(['three', 'two', 'one', 'elsewhere'])
  })
})
