import { beforeEach, describe, expect, it } from 'vitest'
import type { GenericCommand } from '../../../src/realtime-protocol/schema.ts'
import { makeApp } from '../../support/app.ts'
import { type AppleConnection, connectApple } from './apple-connection.ts'
import { requestsOf, signOf } from './client-requests.ts'

// LeanCloud's Objective-C SDK 13: what LCPaasClient, LCObject, LCUser, LCInstallation, LCIMClient, LCIMConversation and
// LCSubscriber send, and what they demand of what comes. It cannot run here. Its connection is Swift's (connectApple).

const app = await makeApp()
const ANY_TEXT = expect.any(String)
const ANY_NUMBER = expect.any(Number)
/** LCDate reads no other form. */
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** LCPaasClient.requestWithPath; the type is said of every request, whether it has a body or not. */
const commonHeaders = () => ({
  'x-lc-id': app.appId,
  'x-lc-sign': signOf(app.appKey),
  'x-lc-prod': '1',
  'user-agent': 'LeanCloud-Objective-C-SDK/13.9.0',
  'content-type': 'application/json; charset=utf-8',
  accept: 'application/json',
  'accept-encoding': 'gzip',
})
const objc = requestsOf(app, commonHeaders, 'application/json; charset=utf-8')
/** Patches, temporary conversations, answered transients, partial failures, no ids. */
const options = { userAgent: 'LeanCloud-Objective-C-SDK/13.9.0', configBitmap: 0xab } as const

/** LCPaasClient.batchMethod */
const item = (method: string, path: string, body?: object, more: object = {}) => ({
  method,
  path: `/1.1/${path}`,
  ...(body && { body }),
  ...more,
})
const save = (...requests: object[]) => objc('POST', '/1.1/batch/save', { body: { requests } })

let count = 0
let [tom, jerry, uuid] = ['', '', '']
beforeEach(() => {
  tom = `tom ${++count}`
  jerry = `jerry ${count}`
  uuid = `67c35bc8-4183-4db0-8f5a-${String(count).padStart(12, '0')}`
})

describe('a save', () => {
  it('of a new object is answered by its uuid', async () => {
    const body = { title: 'One', n: 1, __internalId: uuid }
    const { status, body: saved } = await save(item('POST', 'classes/Todo', body, { new: true }))
    // LCObject.copyByUUIDFromDictionary
    expect([status, saved]).toEqual([200, { [uuid]: expect.objectContaining({ objectId: ANY_TEXT, createdAt: ISO }) }])
  })

  it('of a family puts the objects first, and then their children into them, by paths that have no id yet', async () => {
    const child = `${uuid} child`
    const __children = [{ className: 'Leaf', cid: child, key: 'leaf' }]
    // LCObject.buildSaveRequests: addInitialSaveRequest, then dataForCloud, whose requestFromBody always says PUT.
    const { status, body: saved } = await save(
      item('POST', 'classes/Leaf', { color: 'green', __internalId: child }, { new: true }),
      item('POST', 'classes/Tree', { height: 3, __internalId: uuid }, { new: true }),
      item('PUT', 'classes/Tree', { __children, __internalId: uuid }, { new: true }),
    )
    expect(status, JSON.stringify(saved)).toBe(200)
    expect(Object.keys(saved).toSorted()).toEqual([uuid, child].toSorted())
    const { body: tree } = await objc('GET', `/1.1/classes/Tree/${saved[uuid].objectId}`)
    const leaf = { __type: 'Pointer', className: 'Leaf', objectId: saved[child].objectId }
    expect(tree).toMatchObject({ height: 3, leaf, createdAt: ISO })
  })

  it('of a change is answered by the id', async () => {
    const { body: made } = await save(item('POST', 'classes/Todo', { n: 1, __internalId: uuid }, { new: true }))
    const { objectId } = made[uuid]
    const body = {
      n: { __op: 'Increment', amount: 1 },
      tags: { __op: 'AddUnique', objects: ['a'] },
      __internalId: objectId,
    }
    const { body: saved } = await save(
      item('PUT', `classes/Todo/${objectId}`, body, { params: { fetchWhenSave: true } }),
    )
    expect(saved).toEqual({ [objectId]: expect.objectContaining({ updatedAt: ISO, n: 2, tags: ['a'] }) })
  })

  it('that fails is a dictionary with a number and a text', async () => {
    const { status, body } = await save(item('POST', 'classes/Todo', { 'no-name': 1, __internalId: uuid }))
    // LCPaasClient.performRequest
    expect([status >= 400, body]).toEqual([true, { code: ANY_NUMBER, error: ANY_TEXT }])
  })
})

it('objects are fetched and deleted in batches, each with an element of the answer', async () => {
  const { body: made } = await save(item('POST', 'classes/Todo', { n: 1, __internalId: uuid }, { new: true }))
  const path = `classes/Todo/${made[uuid].objectId}`
  const batch = (...requests: object[]) => objc('POST', '/1.1/batch', { body: { requests } })
  // LCPaasClient.postBatchObject: as many as there were requests
  const fetched = await batch(item('GET', path), item('GET', path))
  expect(fetched.body).toMatchObject([{ success: { n: 1 } }, { success: { n: 1 } }])
  expect((await batch(item('DELETE', path))).body).toEqual([{ success: {} }])
})

it('a query has its condition as JSON, and one too long for an address goes by a batch', async () => {
  await save(item('POST', 'classes/Found', { n: 7, __internalId: uuid }, { new: true }))
  const query = { where: JSON.stringify({ n: { $gt: 6 } }), limit: '10', order: '-createdAt' }
  expect((await objc('GET', '/1.1/classes/Found', { query })).body.results).toMatchObject([{ n: 7, createdAt: ISO }])
  // LCPaasClient.getObjectFromNetworkWithPath takes the first element for the answer.
  const where = JSON.stringify({ n: { $in: Array.from({ length: 2000 }, (_, index) => index) } })
  const long = await objc('POST', '/1.1/batch', {
    body: { requests: [item('GET', 'classes/Found', undefined, { params: { where } })] },
  })
  expect(long.body).toMatchObject([{ success: { results: [{ n: 7 }] } }])
})

describe('a user', () => {
  it('signs up by a batch, logs in, renews the session and changes the password', async () => {
    const body = { username: tom, password: 'secret', __internalId: uuid }
    const { body: saved } = await save(item('POST', 'users', body, { new: true }))
    expect(saved[uuid]).toMatchObject({ objectId: ANY_TEXT, sessionToken: ANY_TEXT, createdAt: ISO })
    const { body: user } = await objc('POST', '/1.1/login', { body: { username: tom, password: 'secret' } })
    expect(user).toMatchObject({ objectId: saved[uuid].objectId, sessionToken: ANY_TEXT, username: tom })
    const session = user.sessionToken
    const renewed = await objc('PUT', `/1.1/users/${user.objectId}/refreshSessionToken`, { session })
    // refreshSessionTokenWithBlock
    expect(renewed.body).toMatchObject({ sessionToken: ANY_TEXT, updatedAt: ISO })
    const passwords = { old_password: 'secret', new_password: 'better' }
    const changed = await objc('PUT', `/1.1/users/${user.objectId}/updatePassword`, {
      body: passwords,
      session: renewed.body.sessionToken,
    })
    expect(changed.body).toMatchObject({ objectId: user.objectId, sessionToken: ANY_TEXT, updatedAt: ISO })
  })

  it('logs in anonymously, and becomes somebody by a third party', async () => {
    const { body: user } = await objc('POST', '/1.1/users', { body: { authData: { anonymous: { id: uuid } } } })
    expect(user).toMatchObject({ objectId: ANY_TEXT, sessionToken: ANY_TEXT, authData: { anonymous: { id: uuid } } })
    const qq = { openid: `openid ${count}`, access_token: 't', expires_in: 7200 }
    const body = { authData: { qq } }
    const linked = await objc('PUT', `/1.1/users/${user.objectId}`, { body, session: user.sessionToken })
    expect(linked.body).toMatchObject({ updatedAt: ISO })
    const again = await objc('POST', '/1.1/users?failOnNotExist=true', { body })
    expect(again.body).toMatchObject({ objectId: user.objectId, sessionToken: ANY_TEXT })
    const unlink = { 'authData.qq': { __op: 'Delete' } }
    const alone = await objc('PUT', `/1.1/users/${user.objectId}`, { body: unlink, session: again.body.sessionToken })
    expect(alone.status).toBe(200)
  })
})

it('an installation is always posted, with its id when it has one', async () => {
  const device = {
    deviceToken: 'ef'.repeat(32),
    deviceType: 'ios',
    apnsTeamId: 'TEAM',
    apnsTopic: 'org.app',
    timeZone: 'UTC',
  }
  // LCInstallation.postProcessBatchRequests makes a POST of the update as well.
  const { body: first } = await save(
    item('POST', 'installations', { ...device, __internalId: uuid }, { new: true }),
    item('POST', 'installations', { ...device, channels: ['news'], __internalId: uuid }, { new: true }),
  )
  expect(first).toEqual({ [uuid]: expect.objectContaining({ objectId: ANY_TEXT }) })
  const { objectId } = first[uuid]
  const { body: second } = await save(
    item('POST', 'installations', { ...device, objectId, badge: 2, __internalId: objectId }),
  )
  expect(second).toEqual({ [objectId]: expect.objectContaining({ objectId }) })
  const { body: stored } = await app.request('GET', `/1.1/installations/${objectId}`, { master: true })
  expect(stored).toMatchObject({ ...device, badge: 2, channels: ['news'] })
})

it('a file that is elsewhere is a record', async () => {
  const body = {
    name: 'a.png',
    url: 'https://example.com/a.png',
    metaData: { __source: 'external' },
    mime_type: 'image/png',
  }
  const reply = await objc('POST', '/1.1/files', { body })
  // LCFile.uploadRemoteURLWithCompletionHandler adds the answer to what it has sent.
  expect([reply.status, reply.body]).toEqual([201, expect.objectContaining({ objectId: ANY_TEXT })])
})

const isOf = (cmd: GenericCommand['cmd'], op?: GenericCommand['op']) => (command: GenericCommand) =>
  command.cmd === cmd && command.op === op

/** LCIMClient.newSessionCommandWithOp: `r` only when it is true. */
async function open(connection: AppleConnection, id: string, more: GenericCommand['sessionMessage'] = {}) {
  const answer = await connection.open(id, { deviceToken: uuid, ...more })
  // handleSessionOpenCallbackWithInCommand
  const opened = { cmd: 'session', op: 'opened', peerId: id, sessionMessage: { st: ANY_TEXT, stTtl: ANY_NUMBER } }
  expect(answer).toMatchObject(opened)
  return answer
}

async function pair() {
  const [his, hers] = [await connectApple(app, options), await connectApple(app, options)]
  await open(his, tom)
  await open(hers, jerry)
  const attr = { data: JSON.stringify({ name: 'ours', attr: { color: 'red' } }) }
  // createConversationWithName
  const answer = await his.request(tom, {
    cmd: 'conv',
    op: 'start',
    convMessage: { m: [jerry, tom], unique: true, attr },
  })
  expect(answer).toMatchObject({ op: 'started', convMessage: { cid: ANY_TEXT, cdate: ISO, uniqueId: ANY_TEXT } })
  return { his, hers, cid: answer.convMessage!.cid! }
}

describe('messaging', () => {
  it('sends, receives, acknowledges, reads and tells', async () => {
    const { his, hers, cid } = await pair()
    const directMessage = { msg: '{"_lctype":-1,"_lctext":"hi"}', cid, r: true, dt: uuid }
    const { ackMessage } = await his.request(tom, { cmd: 'direct', directMessage })
    expect(ackMessage).toMatchObject({ uid: ANY_TEXT, t: ANY_NUMBER })
    expect(ackMessage).not.toHaveProperty('code')
    const { uid: id, t: timestamp } = ackMessage!
    const heard = await hers.heard(jerry, isOf('direct'))
    expect(heard.directMessage).toMatchObject({ cid, id, timestamp, msg: directMessage.msg, fromPeerId: tom })
    // LCIMClientInternalConversationManager asks for what it does not know, and drops the push when that fails.
    const where = { data: JSON.stringify({ objectId: cid }) }
    const { convMessage } = await hers.request(jerry, { cmd: 'conv', op: 'query', convMessage: { limit: 1, where } })
    const [record] = JSON.parse(convMessage!.results!.data)
    expect(record).toMatchObject({
      objectId: cid,
      name: 'ours',
      attr: { color: 'red' },
      createdAt: ISO,
      updatedAt: ISO,
    })
    hers.send(jerry, { cmd: 'ack', ackMessage: { mid: id!, cid } })
    const delivered = await his.heard(tom, isOf('rcp'))
    expect(delivered.rcpMessage).toMatchObject({ id, cid, t: ANY_NUMBER })
    hers.send(jerry, { cmd: 'read', readMessage: { convs: [{ cid, timestamp: timestamp!, mid: id! }] } })
    expect((await his.heard(tom, isOf('rcp'))).rcpMessage).toMatchObject({ id, cid, read: true })
    const maxRead = await his.request(tom, { cmd: 'conv', op: 'max_read', convMessage: { cid } })
    expect(maxRead.convMessage).toMatchObject({ maxAckTimestamp: ANY_NUMBER, maxReadTimestamp: ANY_NUMBER })
  })

  it('asks for the history, by a position that is none', async () => {
    const { his, cid } = await pair()
    for (const n of [1, 2])
      await his.request(tom, { cmd: 'direct', directMessage: { msg: `{"n":${n}}`, cid, dt: `${n} ${uuid}` } })
    const logs = await his.request(tom, { cmd: 'logs', logsMessage: { cid, limit: 20, direction: 'old' } })
    expect(logs.logsMessage!.logs!.map(({ data }) => data)).toEqual(['{"n":1}', '{"n":2}'])
  })

  it('says that it has been told of an edit, without a number', async () => {
    const { his, hers, cid } = await pair()
    const { ackMessage } = await his.request(tom, { cmd: 'direct', directMessage: { msg: '{}', cid, dt: uuid } })
    const patches = [{ cid, mid: ackMessage!.uid!, timestamp: ackMessage!.t!, data: '{"_lctype":-127}', recall: true }]
    const edited = await his.request(tom, { cmd: 'patch', op: 'modify', patchMessage: { patches } })
    expect(edited).toMatchObject({ op: 'modified', patchMessage: { lastPatchTime: ANY_NUMBER } })
    const { patchMessage } = await hers.heard(jerry, isOf('patch', 'modify'))
    const [patch] = patchMessage!.patches!
    expect(patch).toMatchObject({ cid, mid: ackMessage!.uid, patchTimestamp: ANY_NUMBER, data: ANY_TEXT })
    // process_patch_modify
    hers.send(jerry, { cmd: 'patch', op: 'modified', patchMessage: { lastPatchTime: patch!.patchTimestamp! } })
    expect(await hers.request(jerry, { cmd: 'session', op: 'query' })).toMatchObject({ op: 'query_result' })
  })

  it('changes a conversation, and is told what came of it', async () => {
    const { his, hers, cid } = await pair()
    const attr = { data: '{"attr.size":2}' }
    const answer = await his.request(tom, { cmd: 'conv', op: 'update', convMessage: { cid, attr } })
    // updateWithDictionary: without these it says that the command is invalid.
    expect(JSON.parse(answer.convMessage!.attrModified!.data)).toEqual({ attr: { color: 'red', size: 2 } })
    // process_conv_updated returns without a word when one of the two is missing.
    const { convMessage } = await hers.heard(jerry, isOf('conv', 'updated'))
    expect(convMessage).toMatchObject({
      cid,
      initBy: tom,
      udate: ISO,
      attr,
      attrModified: answer.convMessage!.attrModified!,
    })
  })

  it('renews its token by a command that says neither who nor which app', async () => {
    const connection = await connectApple(app, options)
    const { sessionMessage } = await open(connection, tom)
    const refresh = { cmd: 'session', op: 'refresh', sessionMessage: { st: sessionMessage!.st! } } as const
    const refreshed = await connection.request(tom, refresh)
    expect(refreshed.sessionMessage).toMatchObject({ st: ANY_TEXT, stTtl: ANY_NUMBER })
    connection.drop()
    const again = await connectApple(app, options)
    await open(again, tom, {
      r: true,
      st: refreshed.sessionMessage!.st!,
      lastPatchTime: Date.now(),
      lastUnreadNotifTime: 1,
    })
  })

  it('follows a live query, whose objects say their class', async () => {
    const connection = await connectApple(app, options)
    const id = `livequery-${uuid}`
    // LCSubscriber.makeLoginCommand
    expect(await connection.logIn(id)).toMatchObject({ cmd: 'loggedin' })
    const subscribe = { query: { className: 'Watched', where: { n: 1 } }, id }
    const { body } = await objc('POST', '/1.1/LiveQuery/subscribe', { body: subscribe })
    expect(body.query_id).toEqual(ANY_TEXT)
    await save(item('POST', 'classes/Watched', { n: 1, __internalId: uuid }, { new: true }))
    const { dataMessage } = await connection.heard(id, isOf('data'))
    // LCObjectUtils.objectFromDictionary: without `className` the app would be handed a dictionary.
    const event = JSON.parse(dataMessage!.msg![0]!.data)
    expect(event).toMatchObject({
      op: 'create',
      query_id: body.query_id,
      object: { className: 'Watched', objectId: ANY_TEXT },
    })
  })
})
