import { describe, expect, it } from 'vitest'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { makeApp } from '../support/app.ts'
import { connect } from '../support/raw-connection.ts'

const app = await makeApp()
let count = 0

/** Logs a client in, and returns its state as seen over REST. */
async function newClient() {
  const name = `client ${++count}`
  const connection = await connect(app)
  const { sessionMessage } = await connection.open(name)
  const get = (path: string, query: Record<string, string> = {}, clientId = name) =>
    app.request('GET', path, {
      query: { client_id: clientId, ...query },
      headers: { 'x-lc-im-session-token': sessionMessage!.st! },
    })
  const start = async (...m: string[]) =>
    (await connection.request({ cmd: 'conv', op: 'start', convMessage: { m } })).convMessage!
  return { name, connection, get, start }
}

describe('GET /1.1/rtm/notifications', () => {
  const path = '/1.1/rtm/notifications'

  it('returns pending notifications of a client as missed commands', async () => {
    const [tom, jerry] = [await newClient(), await newClient()]
    await jerry.connection.request({ cmd: 'session', op: 'close' })
    const { cid, cdate } = await tom.start(jerry.name)
    const { body } = await jerry.get(path, { start_ts: '0', notification_type: 'permanent' })
    const serverTs = Date.parse(cdate!)
    expect(body).toEqual({
      hasMore: false,
      notifications: [
        {
          cmd: 'conv',
          service: 2,
          op: 'joined',
          peerId: jerry.name,
          serverTs,
          notificationType: 1,
          cid,
          initBy: tom.name,
          udate: cdate,
        },
      ],
    })
    const after = await jerry.get(path, { start_ts: String(serverTs), notification_type: 'permanent' })
    expect(after.body).toEqual({ hasMore: false, notifications: [] })
  })

  it('returns receipts separately, as droppable notifications', async () => {
    const [tom, jerry] = [await newClient(), await newClient()]
    const { cid } = await tom.start(jerry.name)
    const direct: GenericCommand = { cmd: 'direct', directMessage: { cid: cid!, msg: 'x', r: true } }
    const { ackMessage } = await tom.connection.request(direct)
    await tom.connection.request({ cmd: 'session', op: 'close' })
    jerry.connection.send({ cmd: 'ack', ackMessage: { cid: cid!, mid: ackMessage!.uid! } })
    const kinds = async () => (await tom.get(path)).body
    await expect.poll(async () => (await kinds()).droppable.notifications).toHaveLength(1)
    expect(await kinds()).toEqual({
      permanent: { hasMore: false, notifications: [expect.objectContaining({ op: 'joined', cid })] },
      droppable: {
        hasMore: false,
        notifications: [
          {
            cmd: 'rcp',
            service: 2,
            peerId: tom.name,
            serverTs: expect.any(Number),
            notificationType: 2,
            id: ackMessage!.uid,
            cid,
            t: expect.any(Number),
            from: jerry.name,
          },
        ],
      },
    })
    expect((await tom.get(path, { notification_type: 'permanent' })).body.notifications).toHaveLength(1)
  })

  it('never splits notifications of the same time', async () => {
    const { name, get } = await newClient()
    const event = { kind: 'receipt', convId: 'c', messageId: 'm', at: 1, read: false, from: 'x' }
    await app.sql(
      `INSERT INTO "$notifications" (client_id, ts, id, permanent, body)
       SELECT $1, 1000 + number / 40, number::text, TRUE, $2 FROM generate_series(0, 239) AS number`,
      [name, JSON.stringify(event)],
    )
    const page = async (since: number) =>
      (await get(path, { start_ts: String(since), notification_type: 'permanent' })).body
    const first = await page(0)
    expect(first.hasMore).toBe(true)
    expect(first.notifications).toHaveLength(120)
    const second = await page(first.notifications.at(-1).serverTs)
    expect(second.notifications).toHaveLength(120)
    expect(second.hasMore).toBe(false)
  })

  it('requires the token of the client', async () => {
    const { get } = await newClient()
    expect(await get(path, {}, 'somebody else')).toMatchObject({ status: 401, body: { code: 401 } })
    expect(await app.request('GET', path, { query: { client_id: 'x' } })).toMatchObject({ status: 401 })
  })
})

describe('GET /1.1/classes/_ConversationMemberInfo', () => {
  const path = '/1.1/classes/_ConversationMemberInfo'

  it('returns the roles in a conversation, in each query form of the clients', async () => {
    const { name, connection, get, start } = await newClient()
    const { cid } = await start('a', 'b')
    for (const pid of ['a', 'b']) {
      const convMessage = { cid: cid!, targetClientId: pid, info: { pid, role: 'Manager' } }
      await connection.request({ cmd: 'conv', op: 'member_info_update', convMessage })
    }
    const roleOf = (clientId: string) =>
      expect.objectContaining({ objectId: expect.any(String), cid, clientId, role: 'Manager' })
    const ask = async (query: Record<string, string>) => (await get(path, query)).body.results
    const where = (value: object) => ({ where: JSON.stringify(value) })
    expect(await ask(where({ cid }))).toEqual([roleOf('a'), roleOf('b')])
    expect(await ask({ cid: cid! })).toEqual([roleOf('a'), roleOf('b')])
    expect(await ask(where({ cid, peerId: 'b' }))).toEqual([roleOf('b')])
    expect(await ask({ ...where({ cid }), skip: '1', limit: '1' })).toEqual([roleOf('b')])
    expect(await get(path, where({ role: 'Manager' }))).toMatchObject({ status: 400, body: { code: 102 } })
    expect(await get(path, where({ cid }), `not ${name}`)).toMatchObject({ status: 401 })
  })

  it('is an ordinary class without the token of a client', async () => {
    expect(await app.request('GET', path, { master: true })).toMatchObject({ status: 200 })
  })
})

describe('POST /1.1/rtm/sign', () => {
  it('signs the login of a user id', async () => {
    const user = await app.makeUser('signed')
    const { body } = await app.request('POST', '/1.1/rtm/sign', { body: { session_token: user.session } })
    expect(body).toEqual({ signature: expect.any(String), nonce: expect.any(String), timestamp: expect.any(Number) })
    await app.admin('PATCH', '/settings', { messaging: { sessionSignature: true } })
    const connection = await connect(app)
    const { timestamp: t, nonce: n, signature: s } = body
    expect(await connection.open('somebody else', { t, n, s })).toMatchObject({
      cmd: 'error',
      errorMessage: { code: 4102, reason: 'SIGNATURE_FAILED' },
    })
    expect(await connection.open(user.id, { t, n, s: s.toUpperCase() })).toMatchObject({ op: 'opened' })
    await app.admin('PATCH', '/settings', { messaging: null })
  })
})
