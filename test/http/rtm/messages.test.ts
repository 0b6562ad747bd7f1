import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeApp } from '../../support/app.ts'

const app = await makeApp()

const send = (method: string, path: string, body?: object, query: Record<string, string> = {}) =>
  app.request(method, `/1.2/rtm/${path}`, { master: true, query, ...(body && { body }) })
const refusal = (code: number, error: string, status = 400) => ({
  status,
  body: { code, error: expect.stringContaining(error) },
})
const make = async (root: string) =>
  `${root}/${(await send('POST', root, { ...(root === 'conversations' && { m: ['ann', 'bob'] }) })).body.objectId}`
interface Sent {
  'msg-id': string
  timestamp: number
}
/** Sends a message. Later messages have a later time, in any conversation. */
const say = async (place: string, message: string, from = 'ann'): Promise<Sent> => {
  const { body } = await send('POST', `${place}/messages`, { from_client: from, message })
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(body.timestamp), { timeout: 60_000, interval: 1 })
  return body
}
const history = async (place: string, query: Record<string, string> = {}) =>
  (await send('GET', `${place}/messages`, undefined, query)).body
const textsOf = (items: readonly { data: string }[]) => items.map(({ data }) => data)

describe.each(['conversations', 'chatrooms'])('messages of %s', (root) => {
  it('a sent message returns its id and time, and is in the history', async () => {
    const place = await make(root)
    const sent = await send('POST', `${place}/messages`, {
      from_client: 'stranger',
      message: 'hello',
      priority: 'HIGH',
      mention_all: true,
      mention_client_ids: ['ann'],
    })
    expect(sent.status).toBe(200)
    expect(sent.body).toEqual({ 'msg-id': expect.stringMatching(/^[\w-]{22}$/), timestamp: expect.any(Number) })
    const isRoom = root === 'chatrooms'
    expect(await history(place)).toEqual([
      {
        ...sent.body,
        'conv-id': place.split('/')[1],
        data: 'hello',
        from: 'stranger',
        to: expect.any(String),
        bin: false,
        'is-conv': !isRoom,
        'is-room': isRoom,
        'from-ip': '',
      },
    ])
    const { rows } = await app.sql('SELECT mention_all, mentions FROM "$messages" WHERE id = $1', [sent.body['msg-id']])
    expect(rows).toEqual([{ mention_all: true, mentions: ['ann'] }])
  })

  it('a transient message is not stored', async () => {
    const place = await make(root)
    const sent = await send('POST', `${place}/messages`, { from_client: 'ann', message: 'now', transient: true })
    expect(sent).toMatchObject({ status: 200, body: { 'msg-id': expect.any(String) } })
    expect(await history(place)).toEqual([])
  })

  it('accepts at most 5 KB, counted in bytes', async () => {
    const place = await make(root)
    const ask = (message: string) => send('POST', `${place}/messages`, { from_client: 'ann', message })
    expect((await ask('x'.repeat(5120))).status).toBe(200)
    expect(await ask('x'.repeat(5121))).toMatchObject(refusal(1, '5120 bytes'))
    expect(await ask('ä'.repeat(2561))).toMatchObject(refusal(1, '5120 bytes'))
  })

  it.each([
    [{ message: 'x' }, "'from_client' is missing"],
    [{ from_client: 5, message: 'x' }, "'from_client' must be a string, not 5"],
    [{ from_client: 'x'.repeat(65), message: 'x' }, "'from_client' must be a client id"],
    [{ from_client: 'ann' }, "'message' is missing"],
    [{ from_client: 'ann', message: { a: 1 } }, "'message' must be a string"],
    [{ from_client: 'ann', message: 'x', transient: 'perhaps' }, "'transient' must be true or false"],
    [{ from_client: 'ann', message: 'x', no_sync: 7 }, "'no_sync' must be true or false"],
    [{ from_client: 'ann', message: 'x', priority: 'urgent' }, "'priority' must be high, normal or low"],
    [{ from_client: 'ann', message: 'x', mention_all: 'all' }, "'mention_all' must be true or false"],
    [{ from_client: 'ann', message: 'x', mention_client_ids: [5] }, "'mention_client_ids' must be a list"],
    [
      { from_client: 'ann', message: 'x', mention_client_ids: Array.from({ length: 21 }, String) },
      "'mention_client_ids' must contain at most 20 clients",
    ],
    [{ from_client: 'ann', message: 'x', push_data: 5 }, "'push_data' must be a string or a JSON object"],
    [{ from_client: 'ann', message: 'x', push_data: { alert: 'y'.repeat(5120) } }, 'push data included'],
  ])('rejects %j', async (body, text) => {
    expect(await send('POST', `${await make(root)}/messages`, body)).toMatchObject(refusal(1, text))
  })

  it('can be updated by its sender and time', async () => {
    const place = await make(root)
    const { 'msg-id': id, timestamp } = await say(place, 'first')
    const update = (body: object) => send('PUT', `${place}/messages/${id}`, body)
    expect(await update({ from_client: 'ann', message: 'second', timestamp })).toMatchObject({ status: 200, body: {} })
    expect(textsOf(await history(place))).toEqual(['second'])
    expect(await update({ from_client: 'bob', message: 'third', timestamp })).toMatchObject(
      refusal(4403, 'MESSAGE_OWNERSHIP_REQUIRED'),
    )
    expect(await update({ from_client: 'ann', message: 'third', timestamp: timestamp + 1 })).toMatchObject(
      refusal(4404, 'MESSAGE_NOT_FOUND', 404),
    )
    expect(await update({ from_client: 'ann', message: 'x'.repeat(5121), timestamp })).toMatchObject(refusal(1, '5120'))
    for (const name of ['from_client', 'message', 'timestamp']) {
      const body = { from_client: 'ann', message: 'third', timestamp, [name]: undefined }
      expect(await update(body)).toMatchObject(refusal(1, `'${name}' is missing`))
    }
    expect(textsOf(await history(place))).toEqual(['second'])
  })

  it('can be recalled by its sender and time', async () => {
    const place = await make(root)
    const { 'msg-id': id, timestamp } = await say(place, 'regretted')
    const recall = (body: object) => send('PUT', `${place}/messages/${id}/recall`, body)
    expect(await recall({ from_client: 'bob', timestamp })).toMatchObject(refusal(4403, 'MESSAGE_OWNERSHIP_REQUIRED'))
    expect(await recall({ timestamp })).toMatchObject(refusal(1, "'from_client' is missing"))
    expect(await recall({ from_client: 'ann' })).toMatchObject(refusal(1, "'timestamp' is missing"))
    expect(await recall({ from_client: 'ann', timestamp })).toMatchObject({ status: 200, body: {} })
    expect(textsOf(await history(place))).toEqual(['{"_lctype":-127}'])
  })

  it('can be deleted by its sender and time', async () => {
    const place = await make(root)
    const { 'msg-id': id, timestamp } = await say(place, 'gone')
    const remove = (query: Record<string, string>) => send('DELETE', `${place}/messages/${id}`, undefined, query)
    const right = { from_client: 'ann', timestamp: String(timestamp) }
    expect(await remove({ ...right, from_client: 'bob' })).toMatchObject(refusal(4403, 'MESSAGE_OWNERSHIP_REQUIRED'))
    expect(await remove({ timestamp: right.timestamp })).toMatchObject(refusal(1, "'from_client' is missing"))
    expect(await remove({ from_client: 'ann' })).toMatchObject(refusal(1, "'timestamp' is missing"))
    expect(await remove({ ...right, timestamp: 'soon' })).toMatchObject(
      refusal(1, "'timestamp' must be a whole number"),
    )
    expect(await remove(right)).toMatchObject({ status: 200, body: {} })
    expect(await history(place)).toEqual([])
    expect(await remove(right)).toMatchObject(refusal(4404, 'MESSAGE_NOT_FOUND', 404))
  })
})

describe('history', () => {
  let place: string
  let sent: Sent[]

  beforeAll(async () => {
    place = await make('conversations')
    sent = []
    for (const text of ['id1', 'id2', 'id3']) sent.push(await say(place, text))
  })

  // The example of protocol/messaging, History query.
  it.each([
    ['id3', 'id1', false, false, false, 'id2'],
    ['id3', 'id1', true, false, false, 'id3, id2'],
    ['id3', 'id1', false, true, false, 'id2, id1'],
    ['id1', 'id3', false, false, true, 'id2'],
    ['id1', 'id3', true, false, true, 'id1, id2'],
    ['id1', 'id3', false, true, true, 'id2, id3'],
  ])(
    'from %s to %s, include_start %s, include_stop %s, reversed %s: %s',
    async (start, end, first, last, reversed, result) => {
      const at = (name: string) => sent[Number(name.at(-1)) - 1]!
      const found = await history(place, {
        msgid: at(start)['msg-id'],
        timestamp: String(at(start).timestamp),
        till_msgid: at(end)['msg-id'],
        till_timestamp: String(at(end).timestamp),
        include_start: String(first),
        include_stop: String(last),
        reversed: String(reversed),
      })
      expect(textsOf(found).join(', ')).toBe(result)
    },
  )

  it.each([
    [{}, ['id3', 'id2', 'id1']],
    [{ reversed: 'true' }, ['id1', 'id2', 'id3']],
    [{ limit: '2' }, ['id3', 'id2']],
    [{ limit: '1', reversed: 'true' }, ['id1']],
    [{ timestamp: '1' }, []],
    [{ till_timestamp: '9999999999999' }, []],
  ] as [Record<string, string>, string[]][])('%j finds %j', async (query, expected) => {
    expect(textsOf(await history(place, query))).toEqual(expected)
  })

  it.each([
    [{ msgid: 'x' }, "'msgid' requires 'timestamp'"],
    [{ till_msgid: 'x' }, "'till_msgid' requires 'till_timestamp'"],
    [{ timestamp: 'now' }, "'timestamp' must be a time in milliseconds"],
  ] as [Record<string, string>, string][])('rejects %j', async (query, text) => {
    expect(await send('GET', `${place}/messages`, undefined, query)).toMatchObject(refusal(1, text))
  })

  it('a page has 100 messages by default, and at most 1000', async () => {
    const busy = await make('conversations')
    const convId = busy.split('/')[1]
    await app.sql(
      `INSERT INTO "$messages" (thread, ts, id, conv_id, sender, content, bin, mention_all, receipt)
       SELECT $1, n, 'm' || n, $1, 'ann', 'x', false, false, false FROM generate_series(1, 1001) AS n`,
      [convId],
    )
    for (const [limit, size] of [
      ['', 100],
      ['1000', 1000],
      ['1001', 1000],
    ] as const)
      expect(await history(busy, { limit })).toHaveLength(size)
  })
})

describe('history with a signature', () => {
  const set = (historySignature: boolean) => app.admin('PATCH', '/settings', { messaging: { historySignature } })
  let place: string

  beforeAll(async () => {
    place = await make('conversations')
    await say(place, 'secret')
    await set(true)
  })
  afterAll(() => set(false))

  const signed = (convId: string, client = 'ann', signature_ts = Date.now()) => ({
    client_id: client,
    nonce: 'n',
    signature_ts: String(signature_ts),
    signature: createHmac('sha1', app.masterKey)
      .update(`${app.appId}:${client}:${convId}:n:${signature_ts}`)
      .digest('hex'),
  })
  const read = (at: string, query: Record<string, string>) => app.request('GET', `/1.2/rtm/${at}/messages`, { query })
  const idOf = (at: string) => at.split('/')[1]!

  it('lets a client read the signed conversation with the application key', async () => {
    const other = await make('conversations')
    const good = signed(idOf(place))
    expect(textsOf((await read(place, good)).body)).toEqual(['secret'])
    expect(await read(other, good)).toMatchObject(refusal(4302, 'CONVERSATION_SIGNATURE_FAILED'))
    for (const wrong of [{ client_id: 'bob' }, { nonce: 'm' }, { signature: 'f'.repeat(40) }])
      expect(await read(place, { ...good, ...wrong })).toMatchObject(refusal(4302, 'CONVERSATION_SIGNATURE_FAILED'))
    const old = signed(idOf(place), 'ann', Date.now() - 7 * 3_600_000)
    expect(await read(place, old)).toMatchObject(refusal(4302, '6 hours'))
    expect(await read(place, {})).toMatchObject(refusal(1, "'client_id' is missing"))
    expect((await send('GET', `${place}/messages`)).status).toBe(200)
  })

  it('lets a client read its own messages of a system conversation', async () => {
    const system = await make('service-conversations')
    const query = signed(idOf(system))
    expect((await read(`${system}/subscribers/ann`, query)).status).toBe(200)
    expect(await read(`${system}/subscribers/bob`, query)).toMatchObject({ status: 401 })
  })

  it('is rejected when the app has it disabled', async () => {
    await set(false)
    expect(await read(place, signed(idOf(place)))).toMatchObject({ status: 401 })
    await set(true)
  })
})

describe('history of more than one conversation', () => {
  it('returns the messages a client sent in any conversation, or all messages of the app', async () => {
    const fresh = await make('conversations')
    const room = await make('chatrooms')
    await say(fresh, 'one', 'wanderer')
    await say(room, 'two', 'wanderer')
    await say(room, 'three', 'somebody')
    const own = (await send('GET', 'clients/wanderer/messages')).body
    expect(textsOf(own)).toEqual(['two', 'one'])
    expect(own.map((item: { 'is-room': boolean }) => item['is-room'])).toEqual([true, false])
    const all = (await send('GET', 'messages', undefined, { limit: '3' })).body
    expect(textsOf(all)).toEqual(['three', 'two', 'one'])
    const reversed = (await send('GET', 'clients/wanderer/messages', undefined, { reversed: 'true' })).body
    expect(textsOf(reversed)).toEqual(['one', 'two'])
  })
})
