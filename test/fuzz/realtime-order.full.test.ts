import { describe, expect, it } from 'vitest'
import type { GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { makeApp } from '../support/app.ts'
import { connect, type RawConnection } from '../support/raw-connection.ts'

const app = await makeApp()
const { appId } = app
let count = 0

const error = (code: number, reason: string) => ({ cmd: 'error', errorMessage: { code, reason } })
const required = error(4105, 'SESSION_REQUIRED')

/** The requests of a session. */
const REQUESTS: readonly GenericCommand[] = [
  ...(['query', 'refresh', 'close'] as const).map((op) => ({ cmd: 'session', op }) as const),
  ...(['start', 'add', 'remove', 'query', 'count', 'members', 'is_member', 'max_read', 'update'] as const).map(
    (op) => ({ cmd: 'conv', op }) as const,
  ),
  ...(['mute', 'unmute', 'member_info_update', 'add_shutup', 'query_shutup', 'check_shutup'] as const).map(
    (op) => ({ cmd: 'conv', op }) as const,
  ),
  ...(['block', 'unblock', 'query', 'check_block'] as const).map((op) => ({ cmd: 'blacklist', op }) as const),
  { cmd: 'logs' },
  { cmd: 'patch', op: 'modify' },
  { cmd: 'report', op: 'upload' },
]

/** Creates three clients on separate connections, a conversation of the first two, and a message of the first. */
async function makeThree() {
  const number = ++count
  const names = ['tom', 'jerry', 'stranger'].map((name) => `${name} ${number}`)
  const [tom, jerry, stranger] = await Promise.all(
    names.map(async (name) => {
      const connection = await connect(app)
      await connection.open(name)
      return connection
    }),
  )
  const started = await tom!.request({ cmd: 'conv', op: 'start', convMessage: { m: [names[1]!] } })
  const cid = started.convMessage!.cid!
  const { ackMessage } = await tom!.request({ cmd: 'direct', directMessage: { cid, msg: 'hello', r: true } })
  await jerry!.take(({ cmd }) => cmd === 'direct')
  return { tom: tom!, jerry: jerry!, stranger: stranger!, names, cid, mid: ackMessage!.uid!, ts: ackMessage!.t! }
}

/** Waits until all commands of a connection are processed, including those without a response. */
async function settled(connection: RawConnection): Promise<void> {
  await connection.request({ cmd: 'session', op: 'query', sessionMessage: { sessionPeerIds: [] } })
}

describe('before a session is open', () => {
  it.each(REQUESTS)('rejects $cmd/$op', async (command) => {
    const connection = await connect(app)
    await connection.request({ cmd: 'login', appId })
    const answer = await connection.request({ ...command, i: 7 })
    expect(answer).toMatchObject({ ...required, i: 7 })
  })

  it('rejects a message in its acknowledgment', async () => {
    const connection = await connect(app)
    const answer = await connection.request({ cmd: 'direct', appId, directMessage: { cid: 'x', msg: 'hello' } })
    expect(answer).toMatchObject({ cmd: 'ack', ackMessage: { cid: 'x', code: 4105, reason: 'SESSION_REQUIRED' } })
  })

  it('ignores acknowledgments and marks, and the session can still be opened', async () => {
    const connection = await connect(app)
    connection.send({ cmd: 'ack', i: 1, appId, ackMessage: { cid: 'x', mid: 'y' } })
    connection.send({ cmd: 'read', i: 2, readMessage: { convs: [{ cid: 'x' }] } })
    connection.send({ cmd: 'patch', op: 'modified', i: 3 })
    expect(await connection.open('late')).toMatchObject({ op: 'opened' })
    expect(connection.received).toHaveLength(1)
  })
})

describe('after a session is closed', () => {
  it.each(REQUESTS)('rejects $cmd/$op', async (command) => {
    const connection = await connect(app)
    await connection.open('leaver')
    const close = { cmd: 'session', op: 'close', peerId: 'leaver' } as const
    expect(await connection.request(close)).toMatchObject({ op: 'closed' })
    expect(await connection.request({ ...command, peerId: 'leaver' })).toMatchObject(required)
  })

  it('it can be opened again; a second close is rejected', async () => {
    const connection = await connect(app)
    const close = { cmd: 'session', op: 'close' } as const
    for (let round = 0; round < 3; round++) {
      await connection.open('comes and goes')
      const [first, second] = await Promise.all([connection.request(close), connection.request(close)])
      expect(first).toMatchObject({ op: 'closed' })
      expect(second).toMatchObject(required)
    }
  })

  it('commands started before still get a response', async () => {
    const { tom, cid } = await makeThree()
    const [sent, closed, late] = await Promise.all([
      tom.request({ cmd: 'direct', directMessage: { cid, msg: 'last words' } }),
      tom.request({ cmd: 'session', op: 'close' }),
      tom.request({ cmd: 'direct', directMessage: { cid, msg: 'too late' } }),
    ])
    expect(sent.ackMessage).toMatchObject({ cid, uid: expect.any(String) })
    expect(closed).toMatchObject({ op: 'closed' })
    expect(late).toMatchObject({ ackMessage: { code: 4105 } })
  })

  it.each(['leaving', 'losing the connection'])('%s while joining a chat room leaves no member behind', async (how) => {
    const { body } = await app.request('POST', '/1.2/rtm/chatrooms', { master: true, body: { name: 'room' } })
    const cid = body.objectId as string
    const visitors = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const connection = await connect(app)
        await connection.open(`visitor ${index}`)
        connection.send({ cmd: 'conv', op: 'add', convMessage: { cid, m: [`visitor ${index}`] } })
        if (how === 'leaving') return connection.request({ cmd: 'session', op: 'close' })
        connection.send({ cmd: 'data' })
        connection.drop()
        return connection.closed
      }),
    )
    expect(visitors).toHaveLength(20)
    const inRoom = () => app.request('GET', `/1.2/rtm/chatrooms/${cid}/members/online-count`, { master: true })
    await expect.poll(async () => (await inRoom()).body).toEqual({ result: 0 })
  })
})

describe('access to other clients', () => {
  it('an acknowledgment of an unknown message has no effect', async () => {
    const { tom, jerry, stranger, cid, mid } = await makeThree()
    const heard = tom.received.length
    jerry.send({ cmd: 'ack', ackMessage: { cid, mid: 'AAAAAAAAAAAAAAAAAAAAAA' } })
    jerry.send({ cmd: 'ack', ackMessage: { cid: '555555555555555555555555', mid } })
    jerry.send({ cmd: 'ack', ackMessage: { mid } })
    stranger.send({ cmd: 'ack', ackMessage: { cid, mid } })
    await Promise.all([settled(jerry), settled(stranger)])
    const asked = await tom.request({ cmd: 'conv', op: 'max_read', convMessage: { cid } })
    expect(asked.convMessage).toEqual({ cid })
    expect(tom.received.slice(heard).map(({ op }) => op)).toEqual(['max_read'])
  })

  it('a non-member can neither mark as read nor see the read positions of members', async () => {
    const { tom, stranger, cid, mid, ts } = await makeThree()
    const heard = tom.received.length
    stranger.send({ cmd: 'read', readMessage: { convs: [{ cid, mid, timestamp: ts }] } })
    await settled(stranger)
    const asked = await stranger.request({ cmd: 'conv', op: 'max_read', convMessage: { cid } })
    expect(asked).toMatchObject(error(4317, 'CONVERSATION_MEMBERSHIP_REQUIRED'))
    expect(stranger.received.some(({ cmd }) => cmd === 'unread')).toBe(false)
    const own = await tom.request({ cmd: 'conv', op: 'max_read', convMessage: { cid } })
    expect(own.convMessage).toEqual({ cid })
    expect(tom.received).toHaveLength(heard + 1)
  })

  it.each(['edit', 'recall'])('only the sender can %s a message', async (what) => {
    const { tom, jerry, stranger, cid, mid, ts } = await makeThree()
    const patch = { cid, mid, timestamp: ts, ...(what === 'edit' ? { data: 'never said' } : { recall: true }) }
    for (const other of [jerry, stranger]) {
      const answer = await other.request({ cmd: 'patch', op: 'modify', patchMessage: { patches: [patch] } })
      expect(answer).toMatchObject(error(4403, 'MESSAGE_OWNERSHIP_REQUIRED'))
    }
    const { logsMessage } = await tom.request({ cmd: 'logs', logsMessage: { cid } })
    expect(logsMessage!.logs).toMatchObject([{ msgId: mid, data: 'hello' }])
    expect(logsMessage!.logs![0]).not.toHaveProperty('patchTimestamp')
  })

  it('a removed member can neither send, read nor change anything', async () => {
    const { tom, jerry, names, cid } = await makeThree()
    await tom.request({ cmd: 'conv', op: 'remove', convMessage: { cid, m: [names[1]!] } })
    expect(await jerry.request({ cmd: 'direct', directMessage: { cid, msg: 'still here' } })).toMatchObject({
      ackMessage: { code: 4401, reason: 'INVALID_MESSAGING_TARGET' },
    })
    expect(await jerry.request({ cmd: 'direct', directMessage: { cid, msg: 'x', will: true } })).toMatchObject({
      ackMessage: { code: 4401 },
    })
    expect(await jerry.request({ cmd: 'logs', logsMessage: { cid } })).toMatchObject(
      error(4312, 'CONVERSATION_LOG_REJECTED'),
    )
    const attr = { data: '{"name":"mine"}' }
    expect(await jerry.request({ cmd: 'conv', op: 'update', convMessage: { cid, attr } })).toMatchObject(
      error(4309, 'CONVERSATION_UPDATE_REJECTED'),
    )
    const found = await jerry.request({
      cmd: 'conv',
      op: 'query',
      convMessage: { where: { data: JSON.stringify({ objectId: cid }) }, flag: 2 },
    })
    const [record] = JSON.parse(found.convMessage!.results!.data)
    // The last message is visible to a client that could rejoin and read it.
    expect(record).toMatchObject({ objectId: cid, msg: 'hello' })
    expect(tom.received.some(({ cmd }) => cmd === 'direct')).toBe(false)
  })

  it('a connection cannot act for a client that is open on another connection', async () => {
    const { stranger, names, cid } = await makeThree()
    const answer = await stranger.request({ cmd: 'direct', peerId: names[0], directMessage: { cid, msg: 'I am Tom' } })
    expect(answer).toMatchObject({ cmd: 'ack', peerId: names[0], ackMessage: { code: 4105 } })
  })
})

describe('opening the same client again on the same connection', () => {
  it('with another tag keeps the session', async () => {
    const connection = await connect(app)
    await connection.open('twice', { tag: 'phone', deviceId: 'one' })
    expect(await connection.open('twice', { tag: 'desktop', deviceId: 'two' })).toMatchObject({ op: 'opened' })
    const elsewhere = await connect(app)
    // The second tag is not in use; the first one is.
    await elsewhere.open('twice', { tag: 'desktop', deviceId: 'three' })
    await settled(connection)
    expect(connection.received.some(({ op }) => op === 'closed')).toBe(false)
    await elsewhere.request({ cmd: 'session', op: 'close' })
    await elsewhere.open('twice', { tag: 'phone', deviceId: 'three' })
    expect(await connection.take(({ op }) => op === 'closed')).toMatchObject({
      peerId: 'twice',
      sessionMessage: { code: 4111 },
    })
  })

  it('with an invalid token keeps the session open', async () => {
    const connection = await connect(app)
    await connection.open('once')
    await connection.open('once', { st: 'nonsense', r: true })
    await settled(connection)
    expect(await connection.request({ cmd: 'session', op: 'query' })).toMatchObject({ op: 'query_result' })
  })
})

describe('device and live query logins', () => {
  it('coexist with sessions, in any order', async () => {
    const connection = await connect(app)
    const push = { cmd: 'login', appId, installationId: 'device' } as const
    const live = { cmd: 'login', service: 1, installationId: 'subscription' } as const
    expect(await connection.request(push)).toMatchObject({ cmd: 'loggedin', service: 0, installationId: 'device' })
    await connection.open('mixed')
    expect(await connection.request(live)).toMatchObject({ cmd: 'loggedin', service: 1 })
    expect(await connection.request({ ...live, cmd: 'logout' })).toMatchObject({ cmd: 'loggedout', service: 1 })
    expect(await connection.request({ cmd: 'session', op: 'query' })).toMatchObject({ op: 'query_result' })
    await connection.request({ cmd: 'session', op: 'close' })
    expect(await connection.request(live)).toMatchObject({ cmd: 'loggedin', service: 1 })
    expect(await connection.request({ cmd: 'session', op: 'query' })).toMatchObject(required)
  })

  it('do not open a session', async () => {
    const connection = await connect(app)
    await connection.request({ cmd: 'login', appId, installationId: 'device', peerId: 'nobody at all' })
    expect(await connection.request({ cmd: 'session', op: 'query', peerId: 'nobody at all' })).toMatchObject(required)
    const asked = { master: true, body: { client_ids: ['nobody at all'] } }
    expect((await app.request('POST', '/1.2/rtm/clients/check-online', asked)).body).toEqual({ results: [] })
  })

  it('of a connection without an app are rejected', async () => {
    const connection = await connect(app)
    const answer = await connection.request({ cmd: 'login', installationId: 'device' })
    expect(answer).toMatchObject(required)
  })
})
