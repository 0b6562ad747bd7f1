import { once } from 'node:events'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { GenericCommand, LogItem } from '../../../src/realtime-protocol/schema.ts'
import { makeApp } from '../../support/app.ts'
import { connect } from '../../support/raw-connection.ts'
import { requestsOf, signOf } from './client-requests.ts'

// LeanCloud's C# SDK 1.0 and 2.x (.NET and Unity): what LCConnection, the LCIM controllers and LCLiveQueryConnection send,
// and what they demand of what comes. It cannot run here.

const app = await makeApp()
const ANY_TEXT = expect.any(String)
const ANY_NUMBER = expect.any(Number)
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const USER_AGENT = 'LeanCloud-CSharp-SDK/1.0.4'
const commonHeaders = () => ({
  'x-lc-id': app.appId,
  'x-lc-sign': signOf(app.appKey),
  'user-agent': USER_AGENT,
  accept: 'application/json',
})
const csharp = requestsOf(app, commonHeaders, 'application/json')

let count = 0
let [tom, jerry] = ['', '']
beforeEach(() => {
  tom = `tom ${++count}`
  jerry = `jerry ${count}`
})

const isOf = (cmd: GenericCommand['cmd'], op?: GenericCommand['op']) => (command: GenericCommand) =>
  command.cmd === cmd && command.op === op

/** LCConnection and the controllers of one LCIMClient. When the test is over, nothing must have come that it drops. */
async function device(id: string) {
  const connection = await connect(app)
  let number = 0
  // LCConnection.OnMessage: what has no number is for the client that `peerId` names, or is an echo or a goaway.
  onTestFinished(() => {
    const pushes = connection.received.filter(({ i, cmd }) => i === undefined && cmd !== 'echo' && cmd !== 'goaway')
    expect(pushes.filter(({ peerId }) => peerId !== id)).toEqual([])
  })
  // LCIMController.NewCommand: every command says the app and the client.
  const command = (cmd: GenericCommand['cmd'], op?: GenericCommand['op'], message: Partial<GenericCommand> = {}) => ({
    cmd,
    ...(op && { op }),
    appId: app.appId,
    peerId: id,
    ...message,
  })
  const request = (...args: Parameters<typeof command>) => connection.request({ ...command(...args), i: ++number })
  return {
    request,
    /** LCConnection.SendCommand: what is not answered has no number. */
    send: (...args: Parameters<typeof command>) => connection.send(command(...args)),
    heard: (fits: (command: GenericCommand) => boolean) =>
      connection.take((push) => push.i === undefined && push.peerId === id && fits(push)),
    /** LCRTMHeartBeat.SendPing */
    async ping() {
      connection.send({ cmd: 'echo', appId: app.appId, peerId: app.appId })
      const pong = await connection.take(({ cmd }) => cmd === 'echo')
      expect(pong).not.toHaveProperty('i')
    },
    async open(more: GenericCommand['sessionMessage'] = {}) {
      const sessionMessage = { r: true, configBitmap: 0xab, ua: USER_AGENT, ...more }
      const answer = await request('session', 'open', { sessionMessage })
      // LCIMSessionController.UpdateSession
      const { st, stTtl } = answer.sessionMessage!
      expect([answer.op, st, stTtl]).toEqual(['opened', ANY_TEXT, ANY_NUMBER])
      return st!
    },
    drop: () => connection.drop(),
  }
}
type Device = Awaited<ReturnType<typeof device>>

async function opened(id: string): Promise<Device> {
  const it = await device(id)
  await it.open()
  return it
}

/** LCIMConversationController.CreateConv: `transient`, `unique` and attributes are always there; the client is not in `m`. */
async function start(his: Device, m: string[], more: GenericCommand['convMessage'] = {}): Promise<string> {
  const convMessage = { m, transient: false, unique: true, attr: { data: '{}' }, ...more }
  const answer = await his.request('conv', 'start', { convMessage })
  expect(answer).toMatchObject({ op: 'started', convMessage: { cid: ANY_TEXT, cdate: ISO } })
  return answer.convMessage!.cid!
}

async function pair() {
  const [his, hers] = [await opened(tom), await opened(jerry)]
  return { his, hers, cid: await start(his, [jerry]) }
}

/** LCIMMessageController.Send */
async function send(his: Device, cid: string, content: object, more: GenericCommand['directMessage'] = {}) {
  const msg = JSON.stringify(content)
  const answer = await his.request('direct', undefined, { directMessage: { fromPeerId: tom, cid, msg, ...more } })
  expect(answer).toMatchObject({ cmd: 'ack', ackMessage: { uid: ANY_TEXT, t: ANY_NUMBER } })
  return { id: answer.ackMessage!.uid!, timestamp: answer.ackMessage!.t!, msg }
}
const text = (words: string) => ({ _lctype: -1, _lctext: words })

/** LCIMConversationQuery.Find; then LCIMConversationController.Find reads each record. */
async function find(his: Device, where: object, more: GenericCommand['convMessage'] = {}) {
  const convMessage = { where: { data: JSON.stringify(where) }, ...more }
  const answer = await his.request('conv', 'query', { convMessage })
  const records: Record<string, unknown>[] = JSON.parse(answer.convMessage!.results!.data)
  for (const record of records) {
    expect(record).toMatchObject({ objectId: ANY_TEXT, createdAt: ISO, updatedAt: ISO })
    // LCIMConversation.MergeFrom casts these to lists, and a last message by `bin`.
    for (const list of ['m', 'mu']) if (list in record) expect(record[list]).toBeInstanceOf(Array)
    if ('msg' in record) expect(record).toMatchObject({ bin: expect.any(Boolean), msg_timestamp: ANY_NUMBER })
  }
  return records
}

describe('a session', () => {
  it('opens, is kept alive, refreshes its token and closes', async () => {
    const his = await device(tom)
    const token = await his.open({ tag: 'pc', deviceId: 'a device' })
    await his.ping()
    // LCIMSessionController.Refresh: the token is not said.
    const refreshed = await his.request('session', 'refresh', {
      sessionMessage: { tag: 'pc', deviceId: 'a device' },
    })
    expect(refreshed).toMatchObject({ op: 'refreshed', sessionMessage: { st: ANY_TEXT, stTtl: ANY_NUMBER } })
    expect(refreshed.sessionMessage!.st).not.toBe(token)
    // LCIMSessionController.Close: there is no message in it.
    expect(await his.request('session', 'close')).toMatchObject({ cmd: 'session', op: 'closed' })
  })

  it('comes back with nothing but the wish to, and goes on as before', async () => {
    const { his, hers, cid } = await pair()
    hers.drop()
    await send(his, cid, text('while away'))
    const back = await device(jerry)
    // LCIMSessionController.Reopen
    const answer = await back.request('session', 'open', { sessionMessage: { r: true } })
    expect(answer).toMatchObject({ op: 'opened', sessionMessage: { st: ANY_TEXT, stTtl: ANY_NUMBER } })
    await send(his, cid, text('back again'))
    const told = await back.heard(({ directMessage }) => directMessage?.msg === JSON.stringify(text('back again')))
    expect(told.directMessage).toMatchObject({ cid })
  })

  it('with a tag gives way to the next with the tag', async () => {
    const [one, two] = [await device(tom), await device(tom)]
    await one.open({ tag: 'pc', deviceId: 'one' })
    await two.open({ tag: 'pc', deviceId: 'two', r: false })
    const { sessionMessage } = await one.heard(isOf('session', 'closed'))
    // LCIMSessionController.HandleNotification
    expect(sessionMessage).toMatchObject({ code: 4111, reason: ANY_TEXT })
  })

  it('of a user brings a signature', async () => {
    const user = await app.makeUser(tom)
    const { body } = await csharp('POST', '/1.1/rtm/sign', { body: { session_token: user.session } })
    const his = await device(user.id)
    await his.open({ s: body.signature, t: body.timestamp, n: body.nonce })
  })
})

describe('a conversation', () => {
  it('begins, and the other hears of it and asks for it', async () => {
    const { hers, cid } = await pair()
    const joined = await hers.heard(isOf('conv', 'joined'))
    // LCIMConversationController.OnJoined
    expect(joined.convMessage).toMatchObject({ cid, initBy: tom })
    const all = await hers.heard(isOf('conv', 'members_joined'))
    expect(all.convMessage).toMatchObject({ cid, initBy: tom, m: expect.arrayContaining([tom, jerry]) })
    const [record] = await find(hers, { objectId: cid })
    // LCIMClient.GetOrQueryConversation
    expect(record).toMatchObject({ objectId: cid, c: tom, m: expect.arrayContaining([tom, jerry]) })
  })

  it('may be a room or one for a while, which are known by what their records say', async () => {
    const { his } = await pair()
    // CreateChatRoom: `unique` is there all the same, and no member.
    const room = await start(his, [], { transient: true })
    expect(await find(his, { objectId: room })).toMatchObject([{ tr: true }])
    const brief = await start(his, [jerry], { unique: false, tempConv: true, tempConvTTL: 3600 })
    const convMessage = { tempConvIds: [brief] }
    const answer = await his.request('conv', 'query', { convMessage })
    const [record] = JSON.parse(answer.convMessage!.results!.data)
    expect(record).toMatchObject({ objectId: brief, tempConv: true, tempConvTTL: ANY_NUMBER })
    const counted = await his.request('conv', 'count', { convMessage: { cid: room } })
    expect(counted.convMessage).toHaveProperty('count', ANY_NUMBER)
    // LCIMConversationController.GetOnlineMembers: `m`, of at most fifty
    const members = await his.request('conv', 'members', { convMessage: { cid: room, limit: 50 } })
    expect(members.convMessage!.m ?? []).toBeInstanceOf(Array)
  })

  it('is changed: answer and push say to what', async () => {
    const { his, hers, cid } = await pair()
    const attr = { data: JSON.stringify({ name: 'leancloud', 'attr.k': 1 }) }
    const answer = await his.request('conv', 'update', { convMessage: { cid, attr } })
    // LCIMConversationController.UpdateInfo, OnPropertiesUpdated
    const push = await hers.heard(isOf('conv', 'updated'))
    expect(push.convMessage).toMatchObject({ cid, initBy: tom })
    for (const { convMessage } of [answer, push]) {
      expect(JSON.parse(convMessage!.attrModified!.data)).toMatchObject({ name: 'leancloud' })
    }
  })

  it('gains and loses members, in parts, and they hear of it', async () => {
    const { his, hers, cid } = await pair()
    const third = await opened(`third ${count}`)
    const convMessage = { cid, m: [`third ${count}`] }
    // NewPartiallySuccessResult
    const added = await his.request('conv', 'add', { convMessage })
    expect(added.convMessage).toMatchObject({ allowedPids: convMessage.m })
    await third.heard(isOf('conv', 'joined'))
    const joined = await hers.heard(
      ({ op, convMessage }) => op === 'members_joined' && convMessage!.m!.includes(`third ${count}`),
    )
    expect(joined.convMessage).toMatchObject({ cid, initBy: tom, m: convMessage.m })
    const removed = await his.request('conv', 'remove', { convMessage })
    expect(removed.convMessage).toMatchObject({ allowedPids: convMessage.m })
    expect((await third.heard(isOf('conv', 'left'))).convMessage).toMatchObject({ cid, initBy: tom })
    expect((await hers.heard(isOf('conv', 'members_left'))).convMessage).toMatchObject({ cid, m: convMessage.m })
  })

  it('says whether someone is a member, as one object', async () => {
    const { his, cid } = await pair()
    const elsewhere = '5'.repeat(24)
    const answer = await his.request('conv', 'is_member', { convMessage: { cids: [cid, elsewhere] } })
    // LCIMConversationController.CheckSubscription
    expect(JSON.parse(answer.convMessage!.results!.data)).toEqual({ [cid]: true, [elsewhere]: false })
  })

  it('is muted, has roles, the silenced and the blocked, and all of it is told', async () => {
    const { his, hers, cid } = await pair()
    await his.request('conv', 'mute', { convMessage: { cid } })
    expect(await find(his, { objectId: cid })).toMatchObject([{ mu: [tom] }])
    await his.request('conv', 'unmute', { convMessage: { cid } })

    const info = { pid: jerry, role: 'Manager' }
    const role = await his.request('conv', 'member_info_update', { convMessage: { cid, targetClientId: jerry, info } })
    expect(role).not.toHaveProperty('errorMessage')
    // LCIMConversationController.OnMemberInfoChanged
    const changed = await hers.heard(isOf('conv', 'member_info_changed'))
    expect(changed.convMessage).toMatchObject({ cid, initBy: tom, info })

    const silenced = await his.request('conv', 'add_shutup', { convMessage: { cid, m: [jerry] } })
    expect(silenced.convMessage).toMatchObject({ allowedPids: [jerry] })
    expect((await hers.heard(isOf('conv', 'shutuped'))).convMessage).toMatchObject({ cid, initBy: tom })
    const silent = await his.request('conv', 'query_shutup', { convMessage: { cid, limit: 10 } })
    expect(silent.convMessage).toMatchObject({ m: [jerry] })

    const blacklistMessage = { srcCid: cid, toPids: [jerry] }
    const blocked = await his.request('blacklist', 'block', { blacklistMessage })
    expect(blocked.blacklistMessage).toMatchObject({ allowedPids: [jerry] })
    // LCIMConversationController.OnConversation knows of blocking as of a conversation's event only.
    const told = await hers.heard(isOf('conv', 'blocked'))
    expect(told.convMessage).toMatchObject({ cid, initBy: tom })
    const listed = await his.request('blacklist', 'query', { blacklistMessage: { srcCid: cid, limit: 10 } })
    expect(listed.blacklistMessage).toMatchObject({ blockedPids: [jerry] })
  })

  it('shows the roles to who has the token of the session', async () => {
    const his = await device(tom)
    const token = await his.open()
    const cid = await start(his, [jerry])
    const info = { pid: jerry, role: 'Manager' }
    await his.request('conv', 'member_info_update', { convMessage: { cid, targetClientId: jerry, info } })
    const headers = { 'x-lc-im-session-token': token }
    const query = { client_id: tom, cid }
    const { body } = await csharp('GET', '/1.1/classes/_ConversationMemberInfo', { query, headers })
    // LCIMConversationController.GetAllMemberInfo
    expect(body.results).toEqual([expect.objectContaining({ cid, clientId: jerry, role: 'Manager' })])
  })
})

describe('a message', () => {
  it('is handed to the other, who acknowledges and reads it; the sender hears of both', async () => {
    const { his, hers, cid } = await pair()
    const sent = await send(his, cid, text('hello'), { r: true, pushData: '{"alert":"hi"}', mentionPids: [jerry] })
    const { directMessage } = await hers.heard(isOf('direct'))
    // LCIMMessageController.OnMessage
    const { id, timestamp, msg } = sent
    expect(directMessage).toMatchObject({ cid, id, timestamp, msg, fromPeerId: tom, mentionPids: [jerry] })
    expect(directMessage).not.toHaveProperty('binaryMsg')
    hers.send('ack', undefined, { ackMessage: { cid, mid: id } })
    const delivered = await his.heard(({ cmd, rcpMessage }) => cmd === 'rcp' && !rcpMessage!.read)
    expect(delivered.rcpMessage).toMatchObject({ cid, id, t: ANY_NUMBER, from: jerry })
    hers.send('read', undefined, { readMessage: { convs: [{ cid, mid: id, timestamp }] } })
    const read = await his.heard(({ rcpMessage }) => rcpMessage?.read === true)
    expect(read.rcpMessage).toMatchObject({ cid, id, t: ANY_NUMBER, from: jerry })
    const flags = await his.request('conv', 'max_read', { convMessage: { cid } })
    // LCIMConversationController.FetchReceiptTimestamp
    expect(flags.convMessage).toMatchObject({ cid, maxReadTimestamp: ANY_NUMBER, maxAckTimestamp: ANY_NUMBER })
  })

  it('of bytes stays bytes', async () => {
    const { his, hers, cid } = await pair()
    const binaryMsg = Buffer.from([0, 255, 1, 254])
    const answer = await his.request('direct', undefined, { directMessage: { fromPeerId: tom, cid, binaryMsg } })
    expect(answer.ackMessage).toMatchObject({ uid: ANY_TEXT, t: ANY_NUMBER })
    expect((await hers.heard(isOf('direct'))).directMessage!.binaryMsg).toEqual(binaryMsg)
    // LCIMConversation.MergeFrom: a last message of bytes is known by `bin`.
    const [record] = await find(his, { objectId: cid }, { flag: 2 })
    expect(record).toMatchObject({ bin: true, msg: binaryMsg.toString('base64'), msg_from: tom, msg_mid: ANY_TEXT })
  })

  it('is found in the history, which is asked for by an operation of its own', async () => {
    const { his, cid } = await pair()
    const sent = [
      await send(his, cid, text('one')),
      await send(his, cid, text('two')),
      await send(his, cid, text('three')),
    ]
    // LCIMMessageController.QueryMessages
    const logs = async (more: GenericCommand['logsMessage'] = {}): Promise<readonly LogItem[]> => {
      const logsMessage = { cid, direction: 'old', limit: 20, ...more } as const
      return (await his.request('logs', 'open', { logsMessage })).logsMessage!.logs ?? []
    }
    const texts = (items: readonly LogItem[]) => items.map(({ data }) => JSON.parse(data!)._lctext)
    const all = await logs()
    expect(texts(all)).toEqual(['one', 'two', 'three'])
    expect(all[0]).toMatchObject({ msgId: sent[0]!.id, from: tom, timestamp: sent[0]!.timestamp })
    const second = { t: sent[1]!.timestamp, mid: sent[1]!.id }
    expect(texts(await logs({ ...second, tIncluded: true }))).toEqual(['one', 'two'])
    expect(texts(await logs({ ...second, tIncluded: false }))).toEqual(['one'])
    const until = { tt: sent[2]!.timestamp, tmid: sent[2]!.id, ttIncluded: false }
    expect(texts(await logs({ ...second, tIncluded: true, ...until, direction: 'new' }))).toEqual(['two'])
    expect(texts(await logs({ lctype: -2 }))).toEqual([])
  })

  it('is edited, and recalled without a content, which what is told has nevertheless', async () => {
    const { his, hers, cid } = await pair()
    const { id: mid, timestamp } = await send(his, cid, text('first'))
    const data = JSON.stringify(text('second'))
    const modify = (more: object) => {
      const patches = [{ cid, mid, from: tom, timestamp, patchTimestamp: Date.now(), ...more }]
      return his.request('patch', 'modify', { patchMessage: { patches } })
    }
    const heard = async () => (await hers.heard(isOf('patch', 'modify'))).patchMessage!.patches![0]!
    // LCIMMessageController.UpdateMessage, OnMessagePatched
    expect(await modify({ recall: false, data })).toMatchObject({ cmd: 'patch', op: 'modified' })
    expect(await heard()).toMatchObject({ cid, mid, from: tom, timestamp, patchTimestamp: ANY_NUMBER, data })
    // LCIMMessageController.RecallMessage; LCIMTypedMessage.Deserialize knows a recalled one by its type.
    expect(await modify({ recall: true })).toMatchObject({ cmd: 'patch', op: 'modified' })
    const recalled = await heard()
    expect(recalled).toMatchObject({ cid, mid, recall: true })
    expect(JSON.parse(recalled.data!)).toMatchObject({ _lctype: -127 })
    const logs = await his.request('logs', 'open', { logsMessage: { cid, direction: 'old', limit: 1 } })
    expect(JSON.parse(logs.logsMessage!.logs![0]!.data!)).toMatchObject({ _lctype: -127 })
  })

  it('to nowhere is not taken for sent', async () => {
    const his = await opened(tom)
    const directMessage = { fromPeerId: tom, cid: '5'.repeat(24), msg: '{}' }
    const answer = await his.request('direct', undefined, { directMessage })
    expect(answer.ackMessage).toMatchObject({ code: 4401, reason: ANY_TEXT })
  })

  it('that came meanwhile is counted, in conversations that can be asked for', async () => {
    const { his, hers, cid } = await pair()
    hers.drop()
    const { id, timestamp, msg } = await send(his, cid, text('missed'), { mentionAll: true })
    const back = await opened(jerry)
    const { unreadMessage } = await back.heard(isOf('unread'))
    // LCIMConversationController.OnUnread
    const tuple = { cid, unread: 1, mid: id, timestamp, from: tom, data: msg, mentioned: true }
    expect(unreadMessage).toMatchObject({ convs: [tuple], notifTime: ANY_NUMBER })
    const cids = unreadMessage!.convs!.map((conv) => conv.cid)
    const found = await find(back, { objectId: { $in: cids } })
    expect(found.map(({ objectId }) => objectId)).toEqual(cids)
  })
})

describe('a live query', () => {
  /** LCLiveQueryConnection */
  async function liveQueries() {
    const socket = new WebSocket(app.url.replace('http', 'ws'), 'lc.json.3')
    onTestFinished(() => socket.terminate())
    // biome-ignore lint/suspicious/noExplicitAny: frames, read by the tests
    const frames: any[] = []
    socket.on('message', (frame, isBinary) => {
      expect(isBinary).toBe(false)
      frames.push(JSON.parse(String(frame)))
    })
    await once(socket, 'open')
    const next = async (fits: (frame: (typeof frames)[number]) => boolean) => {
      await expect.poll(() => frames.some(fits)).toBe(true)
      return frames.splice(frames.findIndex(fits), 1)[0]
    }
    return { socket, next }
  }

  it('logs in over JSON, subscribes and is handed what happens', async () => {
    const { socket, next } = await liveQueries()
    const id = `livequery-${count}`
    const clientTs = Date.now()
    // LCLiveQueryClient.Login
    const login = { cmd: 'login', appId: app.appId, installationId: id, clientTs, service: 1, i: 1 }
    socket.send(JSON.stringify(login))
    // LCLiveQueryConnection.OnMessage: an answer has the number, and `error` only if it is one.
    const answer = await next(({ i }) => i === 1)
    expect(answer).not.toHaveProperty('error')
    const query = { className: 'Watched', where: { n: { $gt: 0 } } }
    const subscription = await csharp('POST', '/1.1/LiveQuery/subscribe', {
      body: { query, id, clientTimestamp: clientTs },
    })
    const { query_id } = subscription.body
    expect(query_id).toEqual(ANY_TEXT)

    const { body: object } = await csharp('POST', '/1.1/classes/Watched', { body: { n: 1 } })
    const path = `/1.1/classes/Watched/${object.objectId}`
    // LCLiveQuery.OnNotification: every object of `msg` says the operation and the query, and its object the class.
    const event = async (op: string) => {
      const data = await next(({ cmd }) => cmd === 'data')
      expect(data).not.toHaveProperty('i')
      expect(data.msg).toMatchObject([{ op, query_id, object: { className: 'Watched', objectId: object.objectId } }])
      return data.msg[0]
    }
    expect(await event('create')).toMatchObject({ object: { n: 1, createdAt: ISO } })
    await csharp('PUT', path, { body: { n: 2 } })
    expect((await event('update')).updatedKeys).toEqual(['n'])
    await csharp('PUT', path, { body: { n: 0 } })
    expect((await event('leave')).updatedKeys).toEqual(['n'])
    await csharp('PUT', path, { body: { n: 3 } })
    expect((await event('enter')).updatedKeys).toEqual(['n'])
    await csharp('DELETE', path)
    await event('delete')

    // LCLiveQueryHeartBeat
    socket.send('{}')
    expect(await next((frame) => Object.keys(frame).length === 0)).toEqual({})
    const end = await csharp('POST', '/1.1/LiveQuery/unsubscribe', { body: { id, query_id } })
    expect(end.status).toBe(200)
  })
})
