import { beforeEach, describe, expect, it } from 'vitest'
import type { GenericCommand, LogItem } from '../../../src/realtime-protocol/schema.ts'
import { makeApp } from '../../support/app.ts'
import { type AppleConnection, connectApple } from './apple-connection.ts'
import { requestsOf, signOf } from './client-requests.ts'

// LeanCloud's Swift SDK 17: what RTMConnection, IMClient, IMConversation, IMConversationQuery, LiveQueryClient and LiveQuery
// send, and what they demand of what comes. It cannot run here. What would be dropped fails each test (connectApple).

const app = await makeApp()
const UDID = '6c3b1f0e9d5f4d0f8b1d0a7a4f2f9c11'
const ANY_TEXT = expect.any(String)
const ANY_NUMBER = expect.any(Number)
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** IMClient.SessionConfigs.support: edits, temporary conversations, answered transients, notifications, parts, no ids. */
const options = { userAgent: 'LeanCloud-Swift-SDK/17.10.1', configBitmap: 0xbb } as const
const commonHeaders = () => ({
  'x-lc-id': app.appId,
  'x-lc-sign': signOf(app.appKey),
  'user-agent': options.userAgent,
  accept: 'application/json',
  'x-lc-prod': '1',
})
const swift = requestsOf(app, commonHeaders, 'application/json')

let count = 0
let [tom, jerry] = ['', '']
beforeEach(() => {
  tom = `tom ${++count}`
  jerry = `jerry ${count}`
})

const device = () => connectApple(app, options)
const isOf = (cmd: GenericCommand['cmd'], op?: GenericCommand['op']) => (command: GenericCommand) =>
  command.cmd === cmd && command.op === op

/** IMClient.newSessionCommand: `r` is there either way, and a device without a token says its own id for one. */
async function open(connection: AppleConnection, id: string, more: GenericCommand['sessionMessage'] = {}) {
  const answer = await connection.open(id, { r: false, deviceToken: UDID, ...more })
  // IMClient.handle(openCommandCallback:)
  expect(answer).toMatchObject({ cmd: 'session', op: 'opened', peerId: id, serverTs: ANY_NUMBER })
  expect(answer.sessionMessage).toMatchObject({ st: ANY_TEXT, stTtl: ANY_NUMBER })
  return answer
}

/** IMClient.newConvStartCommand */
async function start(connection: AppleConnection, convMessage: GenericCommand['convMessage']): Promise<string> {
  const answer = await connection.request(tom, { cmd: 'conv', op: 'start', convMessage })
  // IMClient.conversationInstance
  expect(answer).toMatchObject({ cmd: 'conv', op: 'started', convMessage: { cid: ANY_TEXT, cdate: ISO } })
  return answer.convMessage!.cid!
}

async function pair() {
  const [his, hers] = [await device(), await device()]
  await open(his, tom)
  await open(hers, jerry)
  return { his, hers, cid: await start(his, { unique: true, m: [jerry, tom] }) }
}

/** IMConversation.send */
async function send(
  connection: AppleConnection,
  cid: string,
  text: string,
  more: GenericCommand['directMessage'] = {},
) {
  const msg = JSON.stringify({ _lctype: -1, _lctext: text })
  const answer = await connection.request(tom, {
    cmd: 'direct',
    directMessage: { msg, cid, dt: `${text} ${count}`, ...more },
  })
  // A message counts as sent by `uid` and `t`; `code` beside them would not hurt, without them it is the failure.
  expect(answer).toMatchObject({ cmd: 'ack', ackMessage: { uid: ANY_TEXT, t: ANY_NUMBER } })
  return { id: answer.ackMessage!.uid!, timestamp: answer.ackMessage!.t!, msg }
}

describe('a session', () => {
  it('opens, says a device token that has changed, refreshes its token, and closes', async () => {
    const connection = await device()
    const { sessionMessage } = await open(connection, tom)
    const report = { initiative: true, type: 'token', data: 'cd'.repeat(32) }
    expect(await connection.request(tom, { cmd: 'report', op: 'upload', reportMessage: report })).toMatchObject({
      cmd: 'report',
      op: 'uploaded',
    })
    const refresh = {
      configBitmap: options.configBitmap,
      deviceToken: UDID,
      st: sessionMessage!.st!,
      ua: options.userAgent,
    }
    const refreshed = await connection.request(tom, {
      cmd: 'session',
      op: 'refresh',
      appId: app.appId,
      peerId: tom,
      sessionMessage: refresh,
    })
    // IMClient.refresh
    expect(refreshed).toMatchObject({ op: 'refreshed', sessionMessage: { st: ANY_TEXT, stTtl: ANY_NUMBER } })
    const closed = await connection.request(tom, { cmd: 'session', op: 'close', sessionMessage: {} })
    expect(closed).toMatchObject({ cmd: 'session', op: 'closed' })
  })

  it('of a user who is logged in brings a signature', async () => {
    const user = await app.makeUser(tom)
    const { body: sign } = await swift('POST', '/1.1/rtm/sign', { body: { session_token: user.session } })
    // IMClient.getOpenSignature
    expect(sign).toMatchObject({ signature: ANY_TEXT, timestamp: ANY_NUMBER, nonce: ANY_TEXT })
    await open(await device(), user.id, { s: sign.signature, t: sign.timestamp, n: sign.nonce })
  })

  it('shares the connection with others, and from then on says whose commands are', async () => {
    const { his, cid } = await pair()
    await open(his, `${tom} too`)
    const answer = await his.request(`${tom} too`, { cmd: 'conv', op: 'add', convMessage: { cid, m: [`${tom} too`] } })
    expect(answer).toMatchObject({ peerId: `${tom} too`, op: 'added', convMessage: { allowedPids: [`${tom} too`] } })
    await his.heard(`${tom} too`, isOf('conv', 'joined'))
    await his.heard(tom, isOf('conv', 'members_joined'))
  })

  it('of the same tag elsewhere closes this one, which does not come back by itself', async () => {
    const [one, two] = [await device(), await device()]
    await open(one, tom, { tag: 'phone' })
    await open(two, tom, { tag: 'phone', deviceToken: `${UDID} other` })
    const closed = await one.heard(tom, isOf('session', 'closed'))
    // IMSessionCommand.lcError
    expect(closed.sessionMessage).toMatchObject({ code: 4111, reason: ANY_TEXT })
    const reopened = await one.open(tom, { r: true, tag: 'phone', deviceToken: UDID })
    expect(reopened).toMatchObject({ cmd: 'error', errorMessage: { code: 4111, reason: ANY_TEXT } })
  })

  it('comes back with its token, and without one when that is refused', async () => {
    const connection = await device()
    const { sessionMessage } = await open(connection, tom)
    connection.drop()
    const again = await device()
    await open(again, tom, { r: true, st: sessionMessage!.st! })
    // IMClient.send(reopenCommand:): 4112 as an error means to open once more, anything else ends the session.
    const later = await device()
    const refused = await later.open(tom, { r: true, deviceToken: UDID, st: 'no such token' })
    expect(refused).toMatchObject({ cmd: 'error', errorMessage: { code: 4112, reason: ANY_TEXT } })
    await open(later, tom, { r: true })
  })

  it('asks who is online', async () => {
    const { his } = await pair()
    const answer = await his.request(tom, {
      cmd: 'session',
      op: 'query',
      sessionMessage: { sessionPeerIds: [jerry, 'no one'] },
    })
    expect(answer.sessionMessage!.onlineSessionPeerIds).toEqual([jerry])
  })
})

describe('a conversation', () => {
  it('tells both when it begins, and whoever does not know it asks by its id', async () => {
    const { his, hers, cid } = await pair()
    const joined = { convMessage: { cid, initBy: tom, udate: ISO } }
    // IMClient.memberChangedEventTuple takes the day from `udate`, process(convCommand:) the time from `serverTs`.
    expect(await hers.heard(jerry, isOf('conv', 'joined'))).toMatchObject({ ...joined, serverTs: ANY_NUMBER })
    const everybody = await hers.heard(jerry, isOf('conv', 'members_joined'))
    expect(everybody).toMatchObject(joined)
    expect(everybody.convMessage!.m!.toSorted()).toEqual([jerry, tom].toSorted())
    await his.heard(tom, isOf('conv', 'joined'))
    const query = { where: { data: JSON.stringify({ objectId: cid }) }, limit: 1, flag: 2 }
    const answer = await hers.request(jerry, { cmd: 'conv', op: 'query', convMessage: query })
    const [record, ...more] = JSON.parse(answer.convMessage!.results!.data)
    expect(more).toEqual([])
    // IMConversation.instance, createdAt, updatedAt, members
    expect(record).toMatchObject({
      objectId: cid,
      c: tom,
      createdAt: ISO,
      updatedAt: ISO,
      unique: true,
      uniqueId: ANY_TEXT,
    })
    expect(record.m.toSorted()).toEqual([jerry, tom].toSorted())
  })

  it('is changed: the answer and the push have both what was asked for and what came of it', async () => {
    const { his, hers, cid } = await pair()
    const attr = { data: JSON.stringify({ 'attr.color': 'red', name: 'new', gone: { __op: 'Delete' } }) }
    const answer = await his.request(tom, { cmd: 'conv', op: 'update', convMessage: { cid, attr } })
    // IMConversation._update
    expect(answer.convMessage).toMatchObject({ udate: ISO, attrModified: { data: ANY_TEXT } })
    // IMClient.conversationDataUpdatedEventTuple
    const push = await hers.heard(jerry, isOf('conv', 'updated'))
    expect(push.convMessage).toMatchObject({ cid, initBy: tom, udate: ISO, attr })
    for (const { convMessage } of [answer, push]) {
      expect(JSON.parse(convMessage!.attrModified!.data)).toEqual({ name: 'new', attr: { color: 'red' } })
    }
  })

  it('for a while says how long, in the answer and to its members', async () => {
    const [his, hers] = [await device(), await device()]
    await open(his, tom)
    await open(hers, jerry)
    const cid = await start(his, { m: [jerry, tom], tempConv: true, tempConvTTL: 3600 })
    expect(cid).toMatch(/^_tmp:/)
    const push = await hers.heard(jerry, isOf('conv', 'joined'))
    expect(push.convMessage).toMatchObject({ cid, tempConv: true, tempConvTTL: 3600 })
    const answer = await hers.request(jerry, {
      cmd: 'conv',
      op: 'query',
      convMessage: { limit: 1, tempConvIds: [cid] },
    })
    expect(JSON.parse(answer.convMessage!.results!.data)).toMatchObject([
      { objectId: cid, temp: true, ttl: ANY_NUMBER },
    ])
  })

  it('loses members in parts', async () => {
    const { his, hers, cid } = await pair()
    const answer = await his.request(tom, { cmd: 'conv', op: 'remove', convMessage: { cid, m: [jerry] } })
    // IMConversation.update(members:op:): `udate` must be there, or the members stay in memory.
    expect(answer).toMatchObject({ op: 'removed', convMessage: { allowedPids: [jerry], udate: ISO } })
    expect(await hers.heard(jerry, isOf('conv', 'left'))).toMatchObject({
      convMessage: { cid, initBy: tom, udate: ISO },
    })
    expect(await his.heard(tom, isOf('conv', 'members_left'))).toMatchObject({
      convMessage: { cid, m: [jerry], udate: ISO },
    })
  })
})

describe('a message', () => {
  it('is handed to the other, who acknowledges and reads it; the sender hears of both', async () => {
    const { his, hers, cid } = await pair()
    const sent = await send(his, cid, 'hello', { r: true, mentionAll: true })
    const { directMessage } = await hers.heard(jerry, isOf('direct'))
    // IMClient.process(directCommand:)
    const { id, timestamp, msg } = sent
    expect(directMessage).toMatchObject({ cid, id, timestamp, msg, fromPeerId: tom, mentionAll: true })
    hers.send(jerry, { cmd: 'ack', ackMessage: { mid: id, cid } })
    const delivered = await his.heard(tom, ({ cmd, rcpMessage }) => cmd === 'rcp' && !rcpMessage!.read)
    // IMClient.process(rcpCommand:)
    expect(delivered.rcpMessage).toEqual({ id, cid, t: ANY_NUMBER, from: jerry })
    hers.send(jerry, { cmd: 'read', readMessage: { convs: [{ cid, timestamp, mid: id }] } })
    const read = await his.heard(tom, ({ rcpMessage }) => rcpMessage?.read === true)
    expect(read.rcpMessage).toEqual({ id, cid, t: ANY_NUMBER, read: true, from: jerry })
    // IMConversation.process(unreadTuple:): only this push makes the client's own count zero. What she is told at her login
    // may still count the message.
    const unread = await hers.heard(jerry, ({ unreadMessage }) => unreadMessage?.convs?.[0]?.unread === 0)
    expect(unread.unreadMessage).toMatchObject({ convs: [{ cid, unread: 0 }], notifTime: ANY_NUMBER })
    const flag = await his.request(tom, { cmd: 'conv', op: 'max_read', convMessage: { cid } })
    expect(flag.convMessage).toMatchObject({ maxReadTimestamp: ANY_NUMBER, maxAckTimestamp: ANY_NUMBER })
  })

  it('of bytes is bytes for the other, and text in the history', async () => {
    const { his, hers, cid } = await pair()
    const binaryMsg = Buffer.from([0, 1, 2, 253, 254, 255])
    const answer = await his.request(tom, { cmd: 'direct', directMessage: { cid, dt: 'bytes', binaryMsg } })
    expect(answer.ackMessage).toMatchObject({ uid: ANY_TEXT, t: ANY_NUMBER })
    const { directMessage } = await hers.heard(jerry, isOf('direct'))
    expect(directMessage!.binaryMsg).toEqual(binaryMsg)
    expect(directMessage).not.toHaveProperty('msg')
    const logs = await hers.request(jerry, { cmd: 'logs', logsMessage: { cid, limit: 20 } })
    expect(logs.logsMessage!.logs).toMatchObject([{ data: binaryMsg.toString('base64'), bin: true }])
  })

  it('is found in the history, from old to new', async () => {
    const { his, cid } = await pair()
    const sent = [await send(his, cid, 'one'), await send(his, cid, 'two'), await send(his, cid, 'three')]
    const logs = async (more: GenericCommand['logsMessage'] = {}) =>
      (await his.request(tom, { cmd: 'logs', logsMessage: { cid, limit: 2, ...more } })).logsMessage!.logs ?? []
    const texts = (items: readonly LogItem[]) => items.map(({ data }) => JSON.parse(data!)._lctext)
    const last = await logs()
    expect(texts(last)).toEqual(['two', 'three'])
    // IMConversation.handleMessageQueryResult takes what merely has `bin` for bytes, whatever it says.
    expect(last[0]).toEqual({
      from: tom,
      data: sent[1]!.msg,
      timestamp: sent[1]!.timestamp,
      msgId: sent[1]!.id,
      convType: 1,
    })
    const before = { t: sent[1]!.timestamp, mid: sent[1]!.id }
    expect(texts(await logs(before))).toEqual(['one'])
    expect(texts(await logs({ ...before, tIncluded: true }))).toEqual(['one', 'two'])
    expect(texts(await logs({ direction: 'new', tIncluded: false }))).toEqual(['one', 'two'])
    expect(texts(await logs({ lctype: -2 }))).toEqual([])
  })

  it('is edited and recalled', async () => {
    const { his, hers, cid } = await pair()
    const { id: mid, timestamp } = await send(his, cid, 'first')
    const modify = async (content: object) => {
      const data = JSON.stringify(content)
      const patches = [{ cid, mid, timestamp, data }]
      const answer = await his.request(tom, { cmd: 'patch', op: 'modify', patchMessage: { patches } })
      // IMConversation.update(oldMessage:to:)
      expect(answer.patchMessage!.lastPatchTime).toEqual(ANY_NUMBER)
      // IMConversation.process(patchItem:)
      const push = await hers.heard(jerry, isOf('patch', 'modify'))
      const item = { cid, mid, timestamp, from: tom, data, patchTimestamp: answer.patchMessage!.lastPatchTime! }
      expect(push.patchMessage!.patches).toMatchObject([item])
    }
    await modify({ _lctype: -1, _lctext: 'second' })
    // IMConversation.recall: an edit to a message of the recalled kind, without `recall`.
    await modify({ _lctype: -127 })
    const patches = [{ cid, mid: 'no such message', timestamp, data: '{}' }]
    const refused = await his.request(tom, { cmd: 'patch', op: 'modify', patchMessage: { patches } })
    expect(refused).toMatchObject({ cmd: 'error', errorMessage: { code: 4404, reason: ANY_TEXT } })
  })

  it('to where one is no member fails by an acknowledgement with a code', async () => {
    const connection = await device()
    await open(connection, tom)
    const directMessage = { cid: '5'.repeat(24), msg: '{}', dt: 'nowhere' }
    const { cmd, ackMessage } = await connection.request(tom, { cmd: 'direct', directMessage })
    // IMAckCommand.lcError, looked at when there is no `uid`
    expect([cmd, ackMessage]).toEqual(['ack', expect.objectContaining({ code: 4401, reason: ANY_TEXT })])
    expect(ackMessage).not.toHaveProperty('uid')
  })

  it('that came meanwhile is counted when the session opens, and an edit is told', async () => {
    const { his, hers, cid } = await pair()
    const { serverTs } = await open(hers, jerry)
    hers.drop()
    const first = await send(his, cid, 'first')
    const patches = [{ cid, mid: first.id, timestamp: first.timestamp, data: '{"_lctype":-1,"_lctext":"changed"}' }]
    await his.request(tom, { cmd: 'patch', op: 'modify', patchMessage: { patches } })
    const back = await device()
    await open(back, jerry, { r: true, lastPatchTime: serverTs! })
    const { unreadMessage } = await back.heard(jerry, isOf('unread'))
    const [tuple] = unreadMessage!.convs!
    expect(tuple).toMatchObject({
      cid,
      unread: 1,
      mid: first.id,
      timestamp: first.timestamp,
      from: tom,
      mentioned: false,
    })
    expect(unreadMessage!.notifTime).toEqual(ANY_NUMBER)
    expect((await back.heard(jerry, isOf('patch', 'modify'))).patchMessage!.patches).toMatchObject([{ mid: first.id }])
  })

  it('that came meanwhile is pushed itself to a client that does not count', async () => {
    const { his, hers, cid } = await pair()
    hers.drop()
    const { id } = await send(his, cid, 'kept')
    const back = await connectApple(app, { ...options, subprotocol: 'lc.protobuf2.1' })
    await open(back, jerry)
    const { directMessage } = await back.heard(jerry, ({ directMessage }) => directMessage?.id === id)
    expect(directMessage).toMatchObject({ cid, fromPeerId: tom, timestamp: ANY_NUMBER })
    back.send(jerry, { cmd: 'ack', ackMessage: { mid: id, cid } })
  })
})

it('what happened meanwhile is asked for over REST, of both kinds at once', async () => {
  const { his, hers, cid } = await pair()
  const directMessage = { cid, msg: '{"_lctype":-1,"_lctext":"read me"}', dt: 'read me', r: true }
  const { ackMessage } = await hers.request(jerry, { cmd: 'direct', directMessage })
  const id = ackMessage!.uid!
  hers.drop()
  // What comes before the server knows that she is gone is told to the connection that she had.
  const online = () => his.request(tom, { cmd: 'session', op: 'query', sessionMessage: { sessionPeerIds: [jerry] } })
  await expect.poll(async () => (await online()).sessionMessage?.onlineSessionPeerIds ?? []).toEqual([])
  his.send(tom, { cmd: 'ack', ackMessage: { mid: id, cid } })
  await his.request(tom, { cmd: 'conv', op: 'remove', convMessage: { cid, m: [jerry] } })
  const { sessionMessage } = await open(await device(), jerry)
  // IMClient.getOfflineEvents
  const query = { client_id: jerry, start_ts: String(ackMessage!.t! - 1) }
  const headers = { 'x-lc-im-session-token': sessionMessage!.st! }
  const missed = async () => {
    const { body } = await swift('GET', '/1.1/rtm/notifications', { query, headers })
    // IMClient.mapReduceNotifications
    return [...body.permanent.notifications, ...body.droppable.notifications]
  }
  // IMClient.process(notification:) goes by the names of the command and its operation.
  const receipt = { cmd: 'rcp', cid, id, t: ANY_NUMBER, from: tom, serverTs: ANY_NUMBER }
  await expect.poll(missed).toContainEqual(expect.objectContaining(receipt))
  const left = { cmd: 'conv', op: 'left', cid, initBy: tom, serverTs: ANY_NUMBER }
  expect(await missed()).toContainEqual(expect.objectContaining(left))
})

it('a live query logs in, subscribes, and is handed what happens', async () => {
  const connection = await device()
  await open(connection, tom)
  const id = `livequery-${UDID}-${count}`
  const clientTs = Date.now()
  // LiveQueryClient.handle(callbackCommand:)
  expect(await connection.logIn(id, clientTs)).toMatchObject({ cmd: 'loggedin' })
  const query = { className: 'Watched', where: { n: { $gt: 1 } } }
  const { body } = await swift('POST', '/1.1/LiveQuery/subscribe', { body: { query, id, clientTimestamp: clientTs } })
  expect(body).toMatchObject({ query_id: ANY_TEXT })
  const requests = [{ path: '/1.1/classes/Watched', method: 'post', body: { __internalId: 'A', n: 2 }, new: true }]
  await swift('POST', '/1.1/batch/save', { body: { requests } })
  const { dataMessage } = await connection.heard(id, isOf('data'))
  const event = JSON.parse(dataMessage!.msg![0]!.data)
  // LiveQuery.process(jsonObject:): `object` says its class.
  expect(event).toMatchObject({ query_id: body.query_id, op: 'create', object: { className: 'Watched', n: 2 } })
  const end = await swift('POST', '/1.1/LiveQuery/unsubscribe', { body: { id, query_id: body.query_id } })
  expect(end.status).toBe(200)
})
