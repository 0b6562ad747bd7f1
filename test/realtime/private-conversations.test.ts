import { beforeAll, describe, expect, it } from 'vitest'
import type { ConvCommand, GenericCommand, OperationName } from '../../src/realtime-protocol/schema.ts'
import { makeApp } from '../support/app.ts'
import { listen, loadLiveSdk } from '../support/live-query.ts'
import { connect, type RawConnection } from '../support/raw-connection.ts'
import { type Conversation, devicesOf, nextEvent } from '../support/realtime.ts'

/** With `messaging.openMembership` off, conversations are accessible only to their members. */
const app = await makeApp()
const newDevice = devicesOf(app)
const admin = (settings: object) => app.admin('PATCH', '/settings', settings)
const [owner, friend, stranger] = [
  await app.makeUser('owner'),
  await app.makeUser('friend'),
  await app.makeUser('evil'),
]
const REFUSED = { cmd: 'error', errorMessage: { code: 4317, reason: 'CONVERSATION_MEMBERSHIP_REQUIRED' } }

const conv = (connection: RawConnection, op: OperationName, convMessage: ConvCommand) =>
  connection.request({ cmd: 'conv', op, convMessage })
const query = async (connection: RawConnection, where: object, more: ConvCommand = {}) => {
  const { convMessage } = await conv(connection, 'query', { where: { data: JSON.stringify(where) }, ...more })
  return JSON.parse(convMessage!.results!.data) as { objectId: string; m?: string[] }[]
}

async function logIn(name: string) {
  const connection = await connect(app)
  const { sessionMessage } = await connection.open(name)
  return { connection, token: sessionMessage!.st! }
}

const create = async (className: string, body: object) =>
  (await app.request('POST', `/1.1/classes/${className}`, { body, master: true })).body.objectId as string
const pointer = (objectId: string) => ({ __type: 'Pointer', className: '_Conversation', objectId })

let cid: string
let room: string
let system: string
let temporary: string

beforeAll(async () => {
  expect((await admin({ messaging: { openMembership: false } })).status).toBe(200)
  const members = { m: [owner.id, friend.id], c: owner.id, name: 'secret plans' }
  cid = await create('_Conversation', members)
  room = await create('_Conversation', { tr: true, name: 'lobby' })
  system = await create('_Conversation', { sys: true, name: 'news' })
})

describe('over the realtime protocol', () => {
  it('members and the owner add clients; other clients can neither join nor add', async () => {
    const [tom, jerry, evil] = [await logIn('tom'), await logIn('jerry'), await logIn('evil')]
    const { convMessage } = await conv(tom.connection, 'start', { m: ['jerry'] })
    const group = convMessage!.cid!
    for (const m of [['evil'], ['mallory'], ['evil', 'mallory']])
      expect(await conv(evil.connection, 'add', { cid: group, m })).toMatchObject(REFUSED)
    expect(await conv(jerry.connection, 'add', { cid: group, m: ['spike'] })).toMatchObject({ op: 'added' })
    expect(await conv(tom.connection, 'remove', { cid: group, m: ['spike'] })).toMatchObject({ op: 'removed' })
    // A former member has no access, but the owner can rejoin.
    await conv(jerry.connection, 'remove', { cid: group, m: ['jerry'] })
    expect(await conv(jerry.connection, 'add', { cid: group, m: ['jerry'] })).toMatchObject(REFUSED)
    await conv(tom.connection, 'add', { cid: group, m: ['jerry'] })
    await conv(tom.connection, 'remove', { cid: group, m: ['tom'] })
    expect(await query(tom.connection, { objectId: group })).toEqual([])
    expect(await conv(tom.connection, 'add', { cid: group, m: ['tom'] })).toMatchObject({ op: 'added' })
    const path = `/1.2/rtm/conversations/${group}/members`
    const added = await app.request('POST', path, { body: { client_ids: ['guest'] }, master: true })
    expect(added.status).toBe(200)
    expect((await app.request('GET', path, { master: true })).body.result.sort()).toEqual(['guest', 'jerry', 'tom'])
  })

  it('a non-member finds no foreign conversation in any way', async () => {
    const { connection } = await logIn('stranger')
    const tried = [
      { objectId: cid },
      { objectId: { $in: [cid, room] } },
      { m: owner.id },
      { m: { $exists: true } },
      { name: { $regex: '^secret' } },
      { $or: [{ objectId: cid }, { m: 'stranger' }] },
      { $or: [{ tr: true }, { m: owner.id }] },
      { createdAt: { $gt: { __type: 'Date', iso: '2000-01-01T00:00:00.000Z' } } },
      { objectId: { $ne: 'x' }, tr: { $ne: true }, sys: { $ne: true } },
    ]
    for (const where of tried) {
      const found = await query(connection, where, { limit: 1000, flag: 2 })
      expect(
        found.filter(({ objectId }) => objectId === cid),
        JSON.stringify(where),
      ).toEqual([])
      expect(found.filter(({ m }) => m !== undefined)).toEqual([])
    }
    const sorted = await query(connection, { objectId: { $exists: true } }, { sort: 'name', limit: 1000 })
    expect(sorted.map(({ objectId }) => objectId).sort()).toEqual([room, system].sort())
  })

  it('a member finds its own, by default and by id', async () => {
    const { connection } = await logIn(friend.id)
    expect(await query(connection, { objectId: cid })).toMatchObject([{ objectId: cid, m: [owner.id, friend.id] }])
    expect(await query(connection, {})).toMatchObject([{ objectId: cid }])
    expect(await conv(connection, 'count', { cid })).toMatchObject({ convMessage: { count: 2 } })
  })

  it('a non-member reads neither history nor counts, lists or marks, and changes nothing', async () => {
    const { connection } = await logIn('stranger')
    const ask = (command: GenericCommand) => connection.request(command)
    const codes = async (commands: readonly GenericCommand[]) =>
      Promise.all(commands.map(async (command) => (await ask(command)).errorMessage?.code))
    const info = { pid: 'stranger', role: 'Manager' }
    expect(
      await codes([
        { cmd: 'conv', op: 'count', convMessage: { cid } },
        { cmd: 'conv', op: 'max_read', convMessage: { cid, queryAllMembers: true } },
        { cmd: 'conv', op: 'query_shutup', convMessage: { cid } },
        { cmd: 'conv', op: 'check_shutup', convMessage: { cid, m: [owner.id] } },
        { cmd: 'conv', op: 'member_info_update', convMessage: { cid, targetClientId: 'stranger', info } },
        { cmd: 'conv', op: 'remove', convMessage: { cid, m: [friend.id] } },
        { cmd: 'blacklist', op: 'query', blacklistMessage: { srcCid: cid } },
        { cmd: 'blacklist', op: 'block', blacklistMessage: { srcCid: cid, toPids: [friend.id] } },
      ]),
    ).toEqual(Array.from({ length: 8 }, () => 4317))
    expect(
      await codes([
        { cmd: 'conv', op: 'members', convMessage: { cid } },
        { cmd: 'logs', logsMessage: { cid } },
        { cmd: 'conv', op: 'update', convMessage: { cid, attr: { data: '{"name":"mine"}' } } },
        { cmd: 'conv', op: 'mute', convMessage: { cid } },
      ]),
    ).toEqual([4316, 4312, 4309, 4309])
    expect(await ask({ cmd: 'direct', directMessage: { cid, msg: 'hello' } })).toMatchObject({
      ackMessage: { code: 4401 },
    })
    const { convMessage } = await ask({ cmd: 'conv', op: 'is_member', convMessage: { cids: [cid] } })
    expect(JSON.parse(convMessage!.results!.data)).toEqual({ [cid]: false })
  })

  it('a non-member edits and recalls nothing, and gets no updates', async () => {
    const [member, evil] = [await logIn(friend.id), await logIn('stranger')]
    const { ackMessage } = await member.connection.request({ cmd: 'direct', directMessage: { cid, msg: 'before' } })
    const item = { cid, mid: ackMessage!.uid!, timestamp: ackMessage!.t! }
    const patch = (connection: RawConnection, more: object) =>
      connection.request({ cmd: 'patch', op: 'modify', patchMessage: { patches: [{ ...item, ...more }] } })
    for (const more of [{ data: 'other' }, { recall: true }])
      expect(await patch(evil.connection, more)).toMatchObject({ errorMessage: { code: 4403 } })
    expect(await patch(member.connection, { data: 'after' })).toMatchObject({ op: 'modified' })
    const told = evil.connection.received.filter(({ i }) => i === undefined)
    expect(told).toEqual([])
    const back = await connect(app)
    await back.open('stranger', { lastPatchTime: 1, lastUnreadNotifTime: 1 })
    await conv(back, 'query', {})
    expect(back.received.filter(({ i }) => i === undefined)).toEqual([])
  })

  it('chat rooms and system conversations stay open, and temporary ones are visible to their members', async () => {
    const { connection } = await logIn('stranger')
    expect(await conv(connection, 'add', { cid: room, m: ['stranger'] })).toMatchObject({ op: 'added' })
    expect(await conv(connection, 'count', { cid: room })).toMatchObject({ convMessage: { count: 1 } })
    expect(await conv(connection, 'add', { cid: system, m: ['stranger'] })).toMatchObject({ op: 'added' })
    expect(await query(connection, { objectId: { $in: [room, system] } })).toHaveLength(2)
    const maker = await logIn('maker')
    const started = await conv(maker.connection, 'start', { m: ['x'], tempConv: true })
    temporary = started.convMessage!.cid!
    const ask = async (asking: RawConnection) => {
      const { convMessage } = await conv(asking, 'query', { tempConvIds: [temporary] })
      return JSON.parse(convMessage!.results!.data)
    }
    expect(await ask(connection)).toEqual([])
    expect(await conv(connection, 'count', { cid: temporary })).toMatchObject(REFUSED)
    expect(await ask(maker.connection)).toMatchObject([{ objectId: temporary, m: ['x', 'maker'] }])
  })

  it('applies to the official client', async () => {
    const [tom, evil] = [await newDevice().logIn('sdk-tom'), await newDevice().logIn('sdk-evil')]
    const made = (await tom.createConversation({ members: ['sdk-jerry'], name: 'ours' })) as Conversation
    const found = await evil.getQuery().withMembers(['sdk-tom'], false).find()
    expect([await evil.getConversation(made.id, true), found]).toEqual([null, []])
    const invited = nextEvent(evil, 'invited')
    await made.add(['sdk-evil'])
    await invited
    const kept = (await evil.getConversation(made.id)) as Conversation
    expect([...kept.members].sort()).toEqual(['sdk-evil', 'sdk-jerry', 'sdk-tom'])
    const kicked = nextEvent(evil, 'kicked')
    await made.remove(['sdk-evil'])
    await kicked
    await expect(kept.join()).rejects.toMatchObject({ code: 4317 })
    await expect(kept.add(['sdk-mallory'])).rejects.toMatchObject({ code: 4317 })
    await expect(kept.count()).rejects.toMatchObject({ code: 4317 })
    await expect(kept.queryMessages({})).rejects.toMatchObject({ code: 4312 })
    expect(await evil.getConversation(made.id, true)).toBeNull()
    const lobby = (await evil.createChatRoom({ name: 'open to all' })) as Conversation
    const seen = (await tom.getConversation(lobby.id)) as Conversation
    await seen.join()
    expect(await seen.count()).toBe(2)
  })
})

describe('over REST', () => {
  const where = (value: object) => ({ where: JSON.stringify(value) })
  const get = (path: string, parameters: Record<string, string>, session?: string) =>
    app.request('GET', path, { query: parameters, ...(session && { session }) })
  const outsiders = [undefined, stranger.session]

  it('a user reads conversations with its id among the members', async () => {
    for (const session of [owner.session, friend.session]) {
      expect((await get(`/1.1/classes/_Conversation/${cid}`, {}, session)).body).toMatchObject({ name: 'secret plans' })
      expect(
        (await get('/1.1/classes/_Conversation', where({ name: 'secret plans' }), session)).body.results,
      ).toHaveLength(1)
    }
    const open = where({ objectId: { $in: [room, system] } })
    for (const session of outsiders)
      expect((await get('/1.1/classes/_Conversation', open, session)).body.results).toHaveLength(2)
  })

  it('other users get nothing: by id, query, count, CQL, sub-query, relation or include', async () => {
    const note = await create('Note', {
      conv: pointer(cid),
      convs: [pointer(cid)],
      links: { __op: 'AddRelation', objects: [pointer(cid)] },
      name: 'secret plans',
    })
    // An object whose ACL excludes them.
    const hidden = await create('_Conversation', { m: [owner.id], ACL: { [owner.id]: { read: true } } })
    for (const session of outsiders) {
      for (const id of [cid, hidden, 'missing']) {
        const path = `/1.1/classes/_Conversation/${id}`
        for (const parameters of [{}, { keys: 'name', include: 'conv' }]) {
          const { status, body } = await get(path, parameters as Record<string, string>, session)
          expect([status, body]).toEqual([200, {}])
        }
      }
      const counted = await get(
        '/1.1/classes/_Conversation',
        { ...where({ m: owner.id }), count: '1', limit: '0' },
        session,
      )
      expect(counted.body).toMatchObject({ results: [], count: 0 })
      for (const condition of [{}, { m: friend.id }, { $or: [{ objectId: cid }] }, { name: { $regex: 'secret' } }]) {
        const { results } = (await get('/1.1/classes/_Conversation', where(condition), session)).body
        expect(results.filter(({ objectId }: { objectId: string }) => objectId === cid)).toEqual([])
      }
      const cql = await get(
        '/1.1/cloudQuery',
        { cql: `select count(*), * from _Conversation where m = '${owner.id}'` },
        session,
      )
      expect(cql.body).toMatchObject({ results: [], count: 0 })
      const related = { $relatedTo: { object: { __type: 'Pointer', className: 'Note', objectId: note }, key: 'links' } }
      expect((await get('/1.1/classes/_Conversation', where(related), session)).body.results).toEqual([])
      const ofConversations = { className: '_Conversation', where: { m: owner.id } }
      for (const condition of [
        { conv: { $inQuery: ofConversations } },
        { convs: { $inQuery: ofConversations } },
        { name: { $select: { query: ofConversations, key: 'name' } } },
      ])
        expect((await get('/1.1/classes/Note', where(condition), session)).body.results).toEqual([])
      const included = (await get(`/1.1/classes/Note/${note}`, { include: 'conv,convs' }, session)).body
      expect(included).toMatchObject({ conv: pointer(cid), convs: [pointer(cid)] })
      // The result of a conditional write reveals nothing either.
      const conditional = await app.request('PUT', `/1.1/classes/Note/${note}`, {
        query: where({ conv: { $inQuery: ofConversations } }),
        body: { hit: true },
        ...(session && { session }),
      })
      expect(conditional.body.code).toBe(305)
      const requests = [cid, 'missing'].map((id) => ({ method: 'GET', path: `/1.1/classes/_Conversation/${id}` }))
      const answer = await app.request('POST', '/1.1/batch', { body: { requests }, ...(session && { session }) })
      expect(answer.body).toEqual([answer.body[1], { success: null }])
    }
    const { body } = await get(`/1.1/classes/Note/${note}`, { include: 'conv' }, friend.session)
    expect(body.conv.name).toBe('secret plans')
  })

  it('other users get nothing even when the administrator lets clients write the class', async () => {
    await app.admin('PATCH', '/classes/_Conversation', { permissions: { update: 'public', delete: 'public' } })
    const path = `/1.1/classes/_Conversation/${cid}`
    const fetched = await app.request('PUT', path, {
      body: { attr: { a: 1 }, m: { __op: 'AddUnique', objects: [friend.id] } },
      query: { fetchWhenSave: 'true' },
      session: stranger.session,
    })
    expect(fetched.body).not.toHaveProperty('m')
    for (const method of ['PUT', 'DELETE']) {
      const told = await app.request(method, path, {
        query: where({ m: owner.id }),
        body: { attr: {} },
        session: stranger.session,
      })
      expect(told.body.code).toBe(305)
    }
    await app.admin('PATCH', '/classes/_Conversation', { permissions: { update: 'master', delete: 'master' } })
  })

  it('roles and unread counts are limited to members and the client itself', async () => {
    const [member, evil] = [await logIn(owner.id), await logIn('stranger')]
    const info = { pid: friend.id, role: 'Manager' }
    await conv(member.connection, 'member_info_update', { cid, targetClientId: friend.id, info })
    const roles = (token: string, more: object = {}) =>
      app.request('GET', '/1.1/classes/_ConversationMemberInfo', {
        query: where({ cid, ...more }),
        headers: { 'x-lc-im-session-token': token },
      })
    expect((await roles(member.token)).body.results).toMatchObject([{ clientId: friend.id, role: 'Manager' }])
    expect((await roles(evil.token)).body).toEqual({ results: [] })
    const oracle = { clientId: { $select: { query: { className: '_User', where: {} }, key: 'username' } } }
    expect((await roles(member.token, oracle)).body.code).toBe(102)
    const unread = (options: object) =>
      app.request('GET', `/1.2/rtm/clients/${owner.id}/unread-count`, { query: { conv_id: cid }, ...options })
    const { body } = await unread({ session: owner.session })
    expect(body.count).toBeGreaterThan(0)
    expect((await unread({ master: true })).body).toEqual(body)
    expect((await unread({ headers: { 'x-lc-im-session-token': member.token } })).body).toEqual(body)
    for (const options of [{}, { session: stranger.session }, { headers: { 'x-lc-im-session-token': evil.token } }])
      expect((await unread(options)).status).toBe(401)
  })

  it('client pushes cannot filter by conversations', async () => {
    await admin({ push: { restrictClientPush: false } })
    const condition = { conv: { $inQuery: { className: '_Conversation', where: { m: owner.id } } } }
    const pushed = (where: object) => app.request('POST', '/1.1/push', { body: { where, data: { alert: 'x' } } })
    expect((await pushed(condition)).body.code).toBe(102)
    expect((await pushed({ $or: [{ a: 1 }, condition] })).body.code).toBe(102)
    expect((await pushed({ deviceType: 'android' })).status).toBe(200)
  })
})

describe('live queries', () => {
  it('notify a user of its conversations, and when it is no longer a member', async () => {
    const [insider, outsider] = [loadLiveSdk(app), loadLiveSdk(app)]
    await insider.User.become(friend.session)
    const outside = await new outsider.Query('_Conversation').exists('name').subscribe()
    const inside = await new insider.Query('_Conversation').exists('name').subscribe()
    const [heard, overheard] = [listen(inside), listen(outside)]
    const id = await create('_Conversation', { m: [friend.id, 'x'], name: 'told' })
    const update = (body: object) => app.request('PUT', `/1.1/classes/_Conversation/${id}`, { body, master: true })
    await expect.poll(() => heard.map(({ op }) => op)).toEqual(['create'])
    await update({ name: 'told again' })
    await update({ m: { __op: 'Remove', objects: [friend.id] } })
    await update({ name: 'not told' })
    const lobby = await create('_Conversation', { tr: true, name: 'another lobby' })
    await expect.poll(() => heard.map(({ op }) => op)).toEqual(['create', 'update', 'leave', 'create'])
    expect(heard[2]!.fields).not.toHaveProperty('m')
    await expect.poll(() => overheard.map((event) => event.id)).toEqual([lobby])
    await Promise.all([inside.unsubscribe(), outside.unsubscribe()])
  })
})

describe('by default', () => {
  it('conversations are as open as on the hosted service', async () => {
    await admin({ messaging: { openMembership: null } })
    const { connection } = await logIn('stranger')
    expect(await query(connection, { objectId: cid })).toMatchObject([{ objectId: cid }])
    // It could join and read that message.
    expect(await query(connection, { objectId: cid }, { flag: 2 })).toMatchObject([{ objectId: cid, msg: 'after' }])
    expect(await conv(connection, 'count', { cid })).toMatchObject({ convMessage: { count: 2 } })
    expect((await app.request('GET', `/1.1/classes/_Conversation/${cid}`)).status).toBe(200)
    expect((await app.request('GET', `/1.2/rtm/clients/${owner.id}/unread-count`)).status).toBe(200)
    expect(await conv(connection, 'add', { cid, m: ['stranger'] })).toMatchObject({ op: 'added' })
  })
})
