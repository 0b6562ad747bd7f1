import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { GenericCommand } from '../../../src/realtime-protocol/schema.ts'
import { makeApp } from '../../support/app.ts'
import { connect, type RawConnection } from '../../support/raw-connection.ts'

// What cn.leancloud:realtime-core 8.2 sends and reads otherwise than 6.0.5, which runs in test/clients/java.

const app = await makeApp()
const ANY_TEXT = expect.any(String)
const ANY_NUMBER = expect.any(Number)
const UA = 'LeanCloud-Java-SDK/8.2.28'
/** SessionControlPacket: recall, temporary conversations, transient acks, members' roles, receipts of groups; `open` binds the device. */
const CONFIG = 0xab
const CONFIG_OF_OPEN = 0xaf
const systemInfo = {
  deviceType: 'android',
  osVersion: { build: 'Google/google/Pixel 8' },
  isEmulator: false,
  androidVersion: { apiLevel: '34', codename: 'REL' },
} as const

/** WindTalker.getNextIMRequestId counts from -65535 up. */
let last = -65536
const number = () => ++last

/** WindTalker.assembleSessionOpenPacket, which names the app since 6.5.4. */
const opening = (peerId: string, more: GenericCommand['sessionMessage'] = {}): GenericCommand => ({
  cmd: 'session',
  op: 'open',
  appId: app.appId,
  peerId,
  sessionMessage: { ua: UA, deviceId: `device of ${peerId}`, configBitmap: CONFIG_OF_OPEN, systemInfo, ...more },
})

/** A session of somebody new; the login for pushes is switched off (`setDisableAutoLogin4Push`), so `open` comes first. */
async function open(more?: GenericCommand['sessionMessage']) {
  const peerId = `java ${randomUUID().slice(0, 8)}`
  const connection = await connect(app)
  const opened = await connection.request({ ...opening(peerId, more), i: number() })
  // LCDefaultConnectionListener.processSessionCommand takes the token only together with its life.
  expect(opened).toMatchObject({ op: 'opened', peerId, sessionMessage: { st: ANY_TEXT, stTtl: ANY_NUMBER } })
  return { peerId, connection, st: opened.sessionMessage!.st! }
}

async function start(connection: RawConnection, peerId: string, others: string[]): Promise<string> {
  const convMessage = { m: [...others, peerId], attr: { data: '{"name":"a talk"}' }, unique: false }
  const started = await connection.request({ cmd: 'conv', op: 'start', i: number(), peerId, convMessage })
  expect(started).toMatchObject({ op: 'started', convMessage: { cid: ANY_TEXT, cdate: ANY_TEXT } })
  return started.convMessage!.cid!
}

it('the login for pushes says what device it is, and is answered as one', async () => {
  const connection = await connect(app)
  const installationId = randomUUID()
  connection.send({ cmd: 'login', appId: app.appId, installationId, loginMessage: { systemInfo } })
  const answer = await connection.take(({ cmd }) => cmd === 'loggedin')
  // LCConnectionManager.onMessage drops what is not of service 0 here, and lets the connection go with pushDisabled.
  expect(answer).toMatchObject({ service: 0 })
  expect(answer.loggedinMessage?.pushDisabled ?? false).toBe(false)
})

describe('a session', () => {
  it('opens again by its token, without a number, and is answered without one', async () => {
    const { peerId, connection, st } = await open({ tag: 'phone' })
    connection.drop()
    const again = await connect(app)
    again.send(opening(peerId, { st, r: true, tag: 'phone' }))
    const opened = await again.take(({ cmd }) => cmd === 'session')
    expect(opened).toMatchObject({ op: 'opened', peerId, sessionMessage: { st: ANY_TEXT, stTtl: ANY_NUMBER } })
    expect(opened).not.toHaveProperty('i')
  })

  it('is told of a token that no longer holds without a number, and opens without it', async () => {
    const connection = await connect(app)
    connection.send(opening('java expired', { st: 'no token', r: true }))
    const refused = await connection.take(({ cmd }) => cmd === 'error')
    expect(refused).toMatchObject({ peerId: 'java expired', errorMessage: { code: 4112, reason: ANY_TEXT } })
    expect(refused).not.toHaveProperty('i')
    const opened = await connection.request({ ...opening('java expired', { r: true }), i: number() })
    expect(opened).toMatchObject({ op: 'opened', peerId: 'java expired' })
  })
})

describe('a conversation', () => {
  it('tells the sender of a message with a receipt to whom it came', async () => {
    const sender = await open()
    const receiver = await open()
    const cid = await start(sender.connection, sender.peerId, [receiver.peerId])
    const directMessage = { cid, msg: '{"_lctype":-1,"_lctext":"hello"}', r: true, dt: randomUUID() }
    const { peerId } = sender
    const sent = await sender.connection.request({ cmd: 'direct', i: number(), peerId, directMessage })
    expect(sent).toMatchObject({ cmd: 'ack', ackMessage: { uid: ANY_TEXT, t: ANY_NUMBER } })
    // onAckError: a code that is there is a failure, whatever it says.
    expect(sent.ackMessage).not.toHaveProperty('code')
    const came = await receiver.connection.take(({ cmd }) => cmd === 'direct')
    const mid = came.directMessage!.id!
    receiver.connection.send({ cmd: 'ack', peerId: receiver.peerId, ackMessage: { cid, mid } })
    // processMessageReceipt gives onMessageReceipt the client as well: `from`.
    const receipt = await sender.connection.take(({ cmd }) => cmd === 'rcp')
    expect(receipt).toMatchObject({ peerId, rcpMessage: { id: mid, cid, t: ANY_NUMBER, from: receiver.peerId } })
    expect(receipt.rcpMessage).not.toHaveProperty('read')
  })

  it.each([
    ['silenced', 'conv', 'add_shutup', 'query_shutup'],
    ['blocked', 'blacklist', 'block', 'query'],
  ] as const)('lists who is %s page by page, each with the `next` of the one before', async (_, cmd, act, query) => {
    const { peerId, connection } = await open()
    const others = await Promise.all([open(), open(), open()])
    const ids = others.map((other) => other.peerId)
    const cid = await start(connection, peerId, ids)
    const asConv = cmd === 'conv'
    const message = (more: object) =>
      asConv ? { convMessage: { cid, ...more } } : { blacklistMessage: { srcCid: cid, ...more } }
    await connection.request({ cmd, op: act, i: number(), peerId, ...message(asConv ? { m: ids } : { toPids: ids }) })
    const listed: string[] = []
    let next: string | undefined
    do {
      const page = await connection.request({ cmd, op: query, i: number(), peerId, ...message({ limit: 2, next }) })
      listed.push(...((asConv ? page.convMessage!.m : page.blacklistMessage!.blockedPids) ?? []))
      next = asConv ? page.convMessage!.next : page.blacklistMessage!.next
    } while (next !== undefined && listed.length < 10)
    expect(listed.sort()).toEqual(ids.sort())
  })

  it('tells of a change both what was sent and what it has become', async () => {
    const one = await open()
    const other = await open()
    const cid = await start(one.connection, one.peerId, [other.peerId])
    const convMessage = { cid, attr: { data: '{"name":"renamed","attr.topic":"sun"}' } }
    const { peerId } = one
    await one.connection.request({ cmd: 'conv', op: 'update', i: number(), peerId, convMessage })
    const told = await other.connection.take(({ op }) => op === 'updated')
    // LCConversationHolder.onInfoChangedNotify reads both as JSON.
    expect(JSON.parse(told.convMessage!.attr!.data)).toEqual({ name: 'renamed', 'attr.topic': 'sun' })
    expect(JSON.parse(told.convMessage!.attrModified!.data)).toMatchObject({ name: 'renamed', attr: { topic: 'sun' } })
  })

  it('asks for members and roles over REST with the token of the session', async () => {
    const { peerId, connection, st } = await open()
    const other = await open()
    const cid = await start(connection, peerId, [other.peerId])
    const info = { pid: other.peerId, role: 'Manager' }
    const convMessage = { cid, targetClientId: other.peerId, info }
    await connection.request({ cmd: 'conv', op: 'member_info_update', i: number(), peerId, convMessage })
    const { status, body } = await app.request('GET', '/1.1/classes/_ConversationMemberInfo', {
      query: { client_id: peerId, where: JSON.stringify({ cid }), skip: '0', limit: '10' },
      headers: { 'x-lc-im-session-token': st },
    })
    // LCIMConversationMemberInfo.createInstance
    expect([status, body.results]).toEqual([
      200,
      [expect.objectContaining({ objectId: ANY_TEXT, cid, clientId: other.peerId, role: 'Manager' })],
    ])
  })

  it('sends on, and is closed, with the bits of a session', async () => {
    const { peerId, connection } = await open()
    const asked = { sessionPeerIds: [peerId, 'nobody'], configBitmap: CONFIG }
    const online = await connection.request({ cmd: 'session', op: 'query', i: number(), peerId, sessionMessage: asked })
    expect(online).toMatchObject({ op: 'query_result', sessionMessage: { onlineSessionPeerIds: [peerId] } })
    const bye = { deviceId: `device of ${peerId}`, configBitmap: CONFIG }
    const closed = await connection.request({ cmd: 'session', op: 'close', i: number(), peerId, sessionMessage: bye })
    expect(closed).toMatchObject({ op: 'closed', peerId })
    // A code that is there is a kick.
    expect(closed.sessionMessage ?? {}).not.toHaveProperty('code')
  })
})
