import { describe, expect, it } from 'vitest'
import type { ConvCommand, DirectCommand, GenericCommand } from '../../src/realtime-protocol/schema.ts'
import { makeApp } from '../support/app.ts'
import { connect, type RawConnection } from '../support/raw-connection.ts'

const app = await makeApp()
let count = 0

const isDirect = ({ cmd }: GenericCommand) => cmd === 'direct'
const start = async (connection: RawConnection, convMessage: ConvCommand) =>
  (await connection.request({ cmd: 'conv', op: 'start', convMessage })).convMessage!.cid!
const send = (connection: RawConnection, directMessage: DirectCommand) =>
  connection.request({ cmd: 'direct', directMessage })

/** Opens two connections, each with a client, and creates their conversation. */
async function makePair(version: 1 | 3 = 3, message: object = {}) {
  const number = ++count
  const [tom, jerry] = [await connect(app), await connect(app, `lc.protobuf2.${version}`)]
  await tom.open(`tom ${number}`)
  await jerry.open(`jerry ${number}`, message)
  const cid = await start(tom, { m: [`jerry ${number}`], unique: false })
  return { tom, jerry, cid, names: [`tom ${number}`, `jerry ${number}`] as const }
}

describe('sending', () => {
  it('is acknowledged with id and time, without a code', async () => {
    const { tom, jerry, cid, names } = await makePair()
    const ack = await send(tom, { cid, msg: 'hello', dt: 'once' })
    expect(ack).toEqual({
      cmd: 'ack',
      i: ack.i,
      peerId: names[0],
      ackMessage: { cid, uid: expect.stringMatching(/^[\w-]{22}$/), t: expect.any(Number) },
    })
    expect(await jerry.take(isDirect)).toEqual({
      cmd: 'direct',
      service: 2,
      peerId: names[1],
      directMessage: {
        cid,
        id: ack.ackMessage!.uid,
        fromPeerId: names[0],
        timestamp: ack.ackMessage!.t,
        msg: 'hello',
        convType: 1,
      },
    })
  })

  it('a duplicate gets the same acknowledgment, and is delivered once', async () => {
    const { tom, jerry, cid } = await makePair()
    const first = await send(tom, { cid, msg: 'hello', dt: 'token' })
    const again = await send(tom, { cid, msg: 'hello', dt: 'token' })
    expect(again.ackMessage).toEqual(first.ackMessage)
    await send(tom, { cid, msg: 'last' })
    await jerry.take(({ directMessage }) => directMessage?.msg === 'last')
    expect(jerry.received.filter(isDirect)).toHaveLength(2)
  })

  it('many at once keeps their order', async () => {
    const { tom, jerry, cid } = await makePair()
    const words = Array.from({ length: 150 }, (_, index) => `message ${index}`)
    const acks = await Promise.all(words.map((msg) => send(tom, { cid, msg })))
    await jerry.take(({ directMessage }) => directMessage?.msg === words.at(-1))
    const directs = jerry.received.filter(isDirect).map(({ directMessage }) => directMessage!)
    expect(directs.map(({ msg }) => msg)).toEqual(words)
    const times = acks.map(({ ackMessage }) => ackMessage!.t!)
    expect(directs.map(({ timestamp }) => timestamp)).toEqual(times)
    expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b))
  })

  it('to oneself reaches the other devices', async () => {
    const { tom, cid, names } = await makePair()
    const elsewhere = await connect(app)
    await elsewhere.open(names[0])
    const { ackMessage } = await send(tom, { cid, msg: 'synced' })
    const direct = await elsewhere.take(isDirect)
    expect(direct).toMatchObject({ peerId: names[0], directMessage: { id: ackMessage!.uid, fromPeerId: names[0] } })
    expect(tom.received.filter(isDirect)).toEqual([])
  })

  it('bytes sends only the bytes and the other members', async () => {
    const { tom, jerry, cid, names } = await makePair()
    const binaryMsg = Buffer.from([0, 255, 128])
    await send(tom, { cid, binaryMsg, msg: '', mentionPids: [names[1]], mentionAll: true, transient: true })
    const { directMessage } = await jerry.take(isDirect)
    expect(directMessage).toMatchObject({ binaryMsg, mentionPids: [names[1]], mentionAll: true, transient: true })
    expect(directMessage).not.toHaveProperty('msg')
  })

  it.each([
    ['to nowhere', { cid: '555555555555555555555555', msg: 'x' }, 4401, 'INVALID_MESSAGING_TARGET'],
    ['without a conversation', { msg: 'x' }, 4401, 'INVALID_MESSAGING_TARGET'],
    ['to a temporary conversation that is not', { cid: '_tmp:none', msg: 'x' }, 4303, 'CONVERSATION_NOT_FOUND'],
    ['what is too long', { msg: 'x'.repeat(5121) }, 4109, 'FRAME_TOO_LONG'],
    ['too much with its push data', { msg: 'x'.repeat(5000), pushData: 'x'.repeat(121) }, 4109, 'FRAME_TOO_LONG'],
    ['a mention that can be no id', { msg: 'x', mentionPids: ['a\u0000b'] }, 4301, 'CONVERSATION_API_FAILED'],
  ])('%s is rejected in the acknowledgment', async (_, directMessage: DirectCommand, code, reason) => {
    const { tom, cid } = await makePair()
    const isAnywhere = 'cid' in directMessage || reason === 'INVALID_MESSAGING_TARGET'
    const ack = await send(tom, isAnywhere ? directMessage : { cid, ...directMessage })
    expect(ack).toMatchObject({ cmd: 'ack', ackMessage: { code, reason } })
    expect(ack.ackMessage).not.toHaveProperty('uid')
  })

  it('too often is rejected, as are queries', async () => {
    const { tom, cid } = await makePair()
    await app.admin('PATCH', '/settings', { messaging: { limits: { sends: 3, history: 2, operations: 2 } } })
    const acks = []
    for (let index = 0; index < 8; index++) acks.push(await send(tom, { cid, msg: 'quick' }))
    const history = []
    for (let index = 0; index < 6; index++) history.push(await tom.request({ cmd: 'logs', logsMessage: { cid } }))
    const counts = []
    for (let index = 0; index < 6; index++)
      counts.push(await tom.request({ cmd: 'conv', op: 'count', convMessage: { cid } }))
    await app.admin('PATCH', '/settings', { messaging: null })
    // If a new minute has started in between, it accepts the same number again.
    const refused = { code: 4116, reason: 'MESSAGE_SENT_QUOTA_EXCEEDED' }
    expect(acks.filter(({ ackMessage }) => ackMessage?.code === 4116)[0]?.ackMessage).toMatchObject(refused)
    expect(history.filter(({ cmd }) => cmd === 'error')[0]?.errorMessage).toMatchObject(refused)
    expect(counts.filter(({ cmd }) => cmd === 'error')[0]?.errorMessage).toMatchObject(refused)
  })
})

describe('a will', () => {
  it('is delivered with its announced id when the connection is lost, and is not in the history', async () => {
    const { tom, jerry, cid } = await makePair()
    await send(tom, { cid, msg: 'first will', will: true })
    const { ackMessage } = await send(tom, { cid, msg: 'last will', will: true })
    tom.drop()
    const { directMessage } = await jerry.take(isDirect)
    expect(directMessage).toMatchObject({ id: ackMessage!.uid, msg: 'last will' })
    const { logsMessage } = await jerry.request({ cmd: 'logs', logsMessage: { cid } })
    expect(logsMessage).toEqual({ cid })
    expect(jerry.received.filter(isDirect)).toHaveLength(1)
  })

  it('is not sent after a clean logout', async () => {
    const { tom, jerry, cid, names } = await makePair()
    await send(tom, { cid, msg: 'will', will: true })
    await tom.request({ cmd: 'session', op: 'close' })
    await tom.open(names[0])
    await send(tom, { cid, msg: 'still here' })
    tom.drop()
    expect((await jerry.take(isDirect)).directMessage!.msg).toBe('still here')
  })
})

describe('a session of version 1', () => {
  it('receives missed messages in pages, as it reports what it has received', async () => {
    const { tom, jerry, cid, names } = await makePair(1)
    await jerry.request({ cmd: 'session', op: 'close' })
    const words = Array.from({ length: 25 }, (_, index) => `missed ${index}`)
    for (const msg of words) await send(tom, { cid, msg })

    const again = await connect(app, 'lc.protobuf2.1')
    await again.open(names[1])
    const last = await again.take(({ directMessage }) => directMessage?.msg === words[19])
    expect(last.directMessage).toMatchObject({ offline: true, hasMore: true })
    const { timestamp } = last.directMessage!
    again.send({ cmd: 'ack', ackMessage: { cid, fromts: 1, tots: timestamp } })
    const end = await again.take(({ directMessage }) => directMessage?.msg === words[24])
    expect(end.directMessage).toMatchObject({ offline: true })
    expect(end.directMessage).not.toHaveProperty('hasMore')
    expect(again.received.filter(isDirect).map(({ directMessage }) => directMessage!.msg)).toEqual(words)
    expect(again.received.filter(({ cmd }) => cmd === 'unread')).toEqual([])
  })

  it('gets no unread counts after it has read something', async () => {
    const { tom, jerry, cid, names } = await makePair(1)
    const modern = await connect(app)
    await modern.open(names[1])
    await send(tom, { cid, msg: 'hello' })
    jerry.send({ cmd: 'read', readMessage: { convs: [{ cid }] } })
    // The notification at its login can include the message already.
    const told = await modern.take(({ unreadMessage }) => unreadMessage?.convs?.[0]?.unread === 0)
    expect(told.unreadMessage!.convs).toMatchObject([{ cid, unread: 0, mentioned: false }])
    await jerry.request({ cmd: 'echo' })
    expect(jerry.received.filter(({ cmd }) => cmd === 'unread')).toEqual([])
  })
})

describe('received and read marks', () => {
  it('reach the sender, by message or by time, and can be queried by members', async () => {
    const { tom, jerry, cid, names } = await makePair()
    const { ackMessage } = await send(tom, { cid, msg: 'hello', r: true })
    jerry.send({ cmd: 'ack', ackMessage: { cid, mid: ackMessage!.uid } })
    const received = await tom.take(({ cmd }) => cmd === 'rcp')
    expect(received.rcpMessage).toEqual({ id: ackMessage!.uid, cid, t: expect.any(Number), from: names[1] })
    const max = () => tom.request({ cmd: 'conv', op: 'max_read', convMessage: { cid, queryAllMembers: true } })
    expect((await max()).convMessage).toEqual({
      cid,
      maxAckTimestamp: ackMessage!.t,
      maxReadTuples: [{ pid: names[1], maxAckTimestamp: ackMessage!.t }, { pid: names[0] }],
    })

    jerry.send({
      cmd: 'read',
      i: -3,
      readMessage: { convs: [{ cid, timestamp: ackMessage!.t, mid: ackMessage!.uid }] },
    })
    const read = await tom.take(({ rcpMessage }) => rcpMessage?.read === true)
    expect(read.rcpMessage).toMatchObject({ id: ackMessage!.uid, cid, read: true, from: names[1] })
    expect((await max()).convMessage).toMatchObject({
      maxReadTimestamp: ackMessage!.t,
      maxReadTuples: [{ pid: names[1], maxReadTimestamp: ackMessage!.t }, { pid: names[0] }],
    })
    // A `read` has no response, with or without a number.
    await jerry.request({ cmd: 'echo' })
    expect(jerry.received.filter(({ i }) => i === -3)).toEqual([])
  })

  it('of foreign conversations are ignored', async () => {
    const { jerry } = await makePair()
    jerry.send({ cmd: 'ack', i: 70, ackMessage: { cid: '555555555555555555555555', mid: 'x' } })
    jerry.send({ cmd: 'ack', i: 71, service: 1, ackMessage: { ids: ['x'] } })
    jerry.send({ cmd: 'read', i: 72, peerId: 'somebody else', readMessage: { convs: [{ cid: 'x' }] } })
    jerry.send({ cmd: 'patch', op: 'modified', i: 73, patchMessage: { lastPatchTime: 1 } })
    await jerry.request({ cmd: 'echo', i: 74 })
    await jerry.request({ cmd: 'session', op: 'query', i: 75 })
    expect(jerry.received.filter(({ i }) => i !== undefined && i >= 70 && i < 74)).toEqual([])
  })
})

describe('changing a message', () => {
  const modify = (connection: RawConnection, item: object) =>
    connection.request({ cmd: 'patch', op: 'modify', patchMessage: { patches: [item] } })

  it('returns its time, and notifies other clients and devices', async () => {
    const { tom, jerry, cid, names } = await makePair()
    const elsewhere = await connect(app)
    await elsewhere.open(names[0])
    const { ackMessage } = await send(tom, { cid, msg: 'helo' })
    const [mid, timestamp] = [ackMessage!.uid!, ackMessage!.t!]
    const answer = await modify(tom, {
      cid,
      mid,
      timestamp,
      recall: false,
      data: 'hello',
      from: 'x',
      patchTimestamp: 1,
    })
    expect(answer).toMatchObject({ cmd: 'patch', op: 'modified', peerId: names[0] })
    const patchTimestamp = answer.patchMessage!.lastPatchTime!
    expect(patchTimestamp).toBeGreaterThan(timestamp)
    const item = { cid, mid, timestamp, patchTimestamp, recall: false, data: 'hello', from: names[0] }
    for (const told of [jerry, elsewhere]) {
      const push = await told.take(({ cmd }) => cmd === 'patch')
      const { peerId } = push
      expect(push).toEqual({ cmd: 'patch', op: 'modify', service: 2, peerId, patchMessage: { patches: [item] } })
    }
    expect(tom.received.filter(({ op }) => op === 'modify')).toEqual([])
  })

  it('to empty content leaves a placeholder', async () => {
    const { tom, jerry, cid } = await makePair()
    const { ackMessage } = await send(tom, { cid, msg: 'oops' })
    await modify(tom, { cid, mid: ackMessage!.uid, timestamp: ackMessage!.t, recall: true })
    const { patchMessage } = await jerry.take(({ cmd }) => cmd === 'patch')
    expect(patchMessage!.patches).toMatchObject([{ recall: true, data: '{"_lctype":-127}' }])
  })

  it('is not sent to clients without support', async () => {
    const { tom, jerry, cid } = await makePair(3, { configBitmap: 0xba })
    const { ackMessage } = await send(tom, { cid, msg: 'helo' })
    await modify(tom, { cid, mid: ackMessage!.uid, timestamp: ackMessage!.t, data: 'hello' })
    await send(tom, { cid, msg: 'next' })
    await jerry.take(({ directMessage }) => directMessage?.msg === 'next')
    expect(jerry.received.filter(({ cmd }) => cmd === 'patch')).toEqual([])
  })

  it('that does not exist is rejected', async () => {
    const { tom, cid } = await makePair()
    expect(await modify(tom, { cid, mid: 'none', timestamp: 1, data: 'x' })).toMatchObject({
      cmd: 'error',
      errorMessage: { code: 4404, reason: 'MESSAGE_NOT_FOUND' },
    })
  })
})

describe('history', () => {
  it('contains sent messages, with bytes as base64 and the time received', async () => {
    const { tom, jerry, cid, names } = await makePair()
    const first = await send(tom, { cid, msg: '{"_lctype":7}', mentionPids: [names[1]], mentionAll: true })
    await send(tom, { cid, binaryMsg: Buffer.from('bytes') })
    await jerry.request({ cmd: 'conv', op: 'max_read', convMessage: { cid } })
    const { uid, t } = first.ackMessage!
    const logs = async (query: object) =>
      (await jerry.request({ cmd: 'logs', op: 'open', logsMessage: { cid, ...query } })).logsMessage!.logs
    expect(await logs({})).toMatchObject([
      {
        msgId: uid,
        timestamp: t,
        from: names[0],
        data: '{"_lctype":7}',
        mentionAll: true,
        mentionPids: [names[1]],
        convType: 1,
      },
      { data: Buffer.from('bytes').toString('base64'), bin: true },
    ])
    expect(await logs({ lctype: 7 })).toHaveLength(1)
    expect(await logs({ limit: 1 })).toMatchObject([{ bin: true }])
    expect(await logs({ l: 0 })).toBeUndefined()
    expect(await logs({ limit: 0 })).toHaveLength(2)
    expect(await logs({ t, mid: uid, tIncluded: true, direction: 'new', l: 1 })).toMatchObject([{ msgId: uid }])
  })
})

describe('unread counts', () => {
  it('follow the login response, with the last message', async () => {
    const { tom, jerry, cid, names } = await makePair()
    await jerry.request({ cmd: 'session', op: 'close' })
    await send(tom, { cid, msg: 'one' })
    const { ackMessage } = await send(tom, { cid, msg: 'two', mentionAll: true })
    const again = await connect(app)
    await again.open(names[1])
    const unread = await again.take(({ cmd }) => cmd === 'unread')
    expect(unread).toEqual({
      cmd: 'unread',
      service: 2,
      peerId: names[1],
      unreadMessage: {
        notifTime: expect.any(Number),
        convs: [
          {
            cid,
            unread: 2,
            mentioned: true,
            mid: ackMessage!.uid,
            timestamp: ackMessage!.t,
            from: names[0],
            data: 'two',
            convType: 1,
          },
        ],
      },
    })
    expect(again.received.map(({ cmd }) => cmd)).toEqual(['session', 'unread'])
  })
})

describe('messages of low priority', () => {
  // Much more than the kernel buffers, and than may be queued for a client.
  const MANY = 2500
  const LARGE = 'x'.repeat(4000)

  /**
   * Sends many messages to a chat room in which another client does not read.
   * @returns the number that client receives later
   */
  async function sendToOneBehind(directMessage: DirectCommand, priority: number) {
    const [tom, jerry, deaf] = [await connect(app), await connect(app), await connect(app)]
    const number = ++count
    await tom.open(`tom ${number}`)
    const cid = await start(tom, { transient: true })
    for (const [name, connection] of [
      ['jerry', jerry],
      ['deaf', deaf],
    ] as const) {
      const m = [`${name} ${number}`]
      await connection.open(m[0])
      const { convMessage } = await connection.request({ cmd: 'conv', op: 'add', convMessage: { cid, m } })
      expect(convMessage!.allowedPids).toEqual(m)
    }
    deaf.pause()
    // The maximum in progress at once; the next batch follows the responses.
    for (let sent = 0; sent < MANY; sent += 100) {
      const command = { cmd: 'direct', priority, directMessage: { ...directMessage, cid, msg: LARGE } } as const
      await Promise.all(Array.from({ length: 100 }, () => tom.request(command)))
    }
    const isLast = ({ directMessage }: GenericCommand) => directMessage?.msg === 'last'
    const told = ({ received }: RawConnection) => received.filter(isDirect).length
    await send(tom, { cid, msg: 'last' })
    await jerry.take(isLast)
    expect(told(jerry)).toBe(MANY + 1)
    deaf.resume()
    const cutOff = await Promise.race([deaf.take(isLast).then(() => false), deaf.closed.then(() => true)])
    return { cutOff, told: told(deaf) }
  }

  it('are dropped for a slow client, so that other messages still arrive', async () => {
    const { cutOff, told } = await sendToOneBehind({ transient: true }, 3)
    expect(cutOff).toBe(false)
    expect(told).toBeGreaterThan(100)
    expect(told).toBeLessThan(MANY)
  })

  it('are the only ones dropped: a client slow with other messages is disconnected', async () => {
    expect((await sendToOneBehind({ transient: true }, 2)).cutOff).toBe(true)
  })
})
