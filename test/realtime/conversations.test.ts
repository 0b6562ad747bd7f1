import { describe, expect, it } from 'vitest'
import type {
  BlacklistCommand,
  ConvCommand,
  GenericCommand,
  OperationName,
} from '../../src/realtime-protocol/schema.ts'
import { makeApp } from '../support/app.ts'
import { connect, type RawConnection } from '../support/raw-connection.ts'

const app = await makeApp()
const NOWHERE = '555555555555555555555555'
let count = 0

const conv = (connection: RawConnection, op: OperationName, convMessage: ConvCommand = {}) =>
  connection.request({ cmd: 'conv', op, convMessage })
const blacklist = (connection: RawConnection, op: OperationName, blacklistMessage: BlacklistCommand) =>
  connection.request({ cmd: 'blacklist', op, blacklistMessage })
const isConv = (op: OperationName) => (command: GenericCommand) => command.cmd === 'conv' && command.op === op
const attr = (value: object) => ({ data: JSON.stringify(value) })
const read = (part: { data: string } | undefined) => JSON.parse(part!.data)

/** Opens a connection with a single client. */
async function newClient(message: object = {}) {
  const name = `client ${++count}`
  const connection = await connect(app)
  await connection.open(name, message)
  return { name, connection }
}

describe('conv/start', () => {
  it('returns id, dates and the id of the member set, and marks an existing conversation', async () => {
    const { name, connection } = await newClient()
    const made = await conv(connection, 'start', { m: ['x'], unique: true, attr: attr({ name: 'n' }) })
    expect(made).toMatchObject({ cmd: 'conv', op: 'started', peerId: name })
    expect(made.convMessage).toEqual({
      cid: expect.stringMatching(/^[0-9a-f]{24}$/),
      cdate: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      uniqueId: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    const found = await conv(connection, 'start', { m: ['x', name], unique: true })
    expect(found.convMessage).toEqual({ ...made.convMessage, existing: true })
    expect((await conv(connection, 'start', { m: ['x'] })).convMessage).toEqual({
      cid: expect.any(String),
      cdate: expect.any(String),
    })
  })

  it('notifies the members with what clients need', async () => {
    const { name, connection } = await newClient()
    const { convMessage } = await conv(connection, 'start', { m: ['x'] })
    const { cid, cdate } = convMessage!
    expect(await connection.take(isConv('joined'))).toEqual({
      cmd: 'conv',
      service: 2,
      op: 'joined',
      peerId: name,
      serverTs: Date.parse(cdate!),
      notificationType: 1,
      convMessage: { cid, initBy: name, udate: cdate },
    })
    expect(await connection.take(isConv('members_joined'))).toMatchObject({
      notificationType: 2,
      convMessage: { cid, initBy: name, m: ['x', name] },
    })
  })

  it('of a temporary one returns its lifetime, also to clients that do not request it', async () => {
    const { connection } = await newClient()
    const start = (tempConvTTL?: number) =>
      conv(connection, 'start', { m: ['x'], tempConv: true, ...(tempConvTTL && { tempConvTTL }) })
    const made = await start()
    expect(made.convMessage).toMatchObject({ cid: expect.stringMatching(/^_tmp:/), tempConvTTL: 86_400 })
    expect((await start(60)).convMessage).toMatchObject({ tempConvTTL: 60 })
    const told = await connection.take(
      (command) => isConv('joined')(command) && command.convMessage?.tempConvTTL === 60,
    )
    expect(told.convMessage).toMatchObject({ tempConv: true })
  })

  it('of a temporary one does not notify clients that do not support it', async () => {
    const { name, connection } = await newClient({ configBitmap: 0xb9 })
    const other = await newClient()
    await conv(other.connection, 'start', { m: [name], tempConv: true })
    const { convMessage } = await conv(other.connection, 'start', { m: [name] })
    const joined = await connection.take(isConv('joined'))
    expect(joined.convMessage!.cid).toBe(convMessage!.cid)
  })

  it.each([
    ['attributes that are no object', { attr: { data: '[1]' } }, 4301],
    ['attributes that are no JSON', { attr: { data: '{' } }, 4301],
    ['columns that are built in', { attr: attr({ m: [] }) }, 4301],
    ['too many members', { m: Array.from({ length: 501 }, (_, index) => `m${index}`) }, 4304],
    ['too many members for a temporary one', { tempConv: true, m: 'abcdefghijk'.split('') }, 4304],
  ])('rejects %s', async (_, message: ConvCommand, code) => {
    const { name, connection } = await newClient()
    const refused = await conv(connection, 'start', message)
    expect(refused).toMatchObject({ cmd: 'error', peerId: name, errorMessage: { code, reason: expect.any(String) } })
  })
})

describe('members', () => {
  it('reports clients that cannot be removed beside those removed', async () => {
    const { name, connection } = await newClient()
    const { cid } = (await conv(connection, 'start', { m: ['a', 'b', 'c'] })).convMessage!
    const { op, convMessage } = await conv(connection, 'remove', { cid, m: [name, 'a'] })
    expect(op).toBe('removed')
    expect(convMessage).toEqual({
      cid,
      udate: expect.any(String),
      allowedPids: ['a'],
      failedPids: [{ code: 4324, reason: 'CONVERSATION_NEED_OWNER', pids: [name] }],
    })
  })

  it('fails as a whole for clients that do not support partial results', async () => {
    const { name, connection } = await newClient({ configBitmap: 0x9b })
    const { cid } = (await conv(connection, 'start', { m: ['a', 'b', 'c'] })).convMessage!
    expect(await conv(connection, 'remove', { cid, m: [name, 'a'] })).toMatchObject({
      cmd: 'error',
      errorMessage: { code: 4324 },
    })
  })

  it('can be counted and requested separately', async () => {
    const { connection } = await newClient()
    const { cid } = (await conv(connection, 'start', { m: ['a'] })).convMessage!
    const temporary = (await conv(connection, 'start', { m: ['a'], tempConv: true })).convMessage!.cid!
    expect(await conv(connection, 'count', { cid })).toMatchObject({ op: 'result', convMessage: { cid, count: 2 } })
    const answer = await conv(connection, 'is_member', { cids: [cid!, NOWHERE], tempConvIds: [temporary] })
    expect(answer.op).toBe('result')
    expect(read(answer.convMessage!.results)).toEqual({ [cid!]: true, [NOWHERE]: false, [temporary]: true })
  })

  it('of a chat room are its connected clients, and remain across a reconnect', async () => {
    const { connection } = await newClient()
    const guest = await newClient({ deviceId: 'guest' })
    const { cid } = (await conv(connection, 'start', { transient: true })).convMessage!
    const { allowedPids } = (await conv(guest.connection, 'add', { cid, m: [guest.name] })).convMessage!
    expect(allowedPids).toEqual([guest.name])
    const inside = async () => (await conv(connection, 'members', { cid, limit: 50 })).convMessage!.m!.toSorted()
    expect(await inside()).toHaveLength(2)
    expect((await conv(connection, 'members', { cid, limit: 1 })).convMessage!.m).toHaveLength(1)

    guest.connection.drop()
    await expect.poll(inside).toHaveLength(1)
    const back = await connect(app)
    await back.open(guest.name, { deviceId: 'guest', r: true })
    await expect.poll(inside).toContain(guest.name)
    await back.request({ cmd: 'session', op: 'close' })
    await back.open(guest.name, { deviceId: 'guest', r: true })
    expect(await inside()).toHaveLength(1)
  })
})

describe('conv/query', () => {
  it('returns records in the format clients read', async () => {
    const { name, connection } = await newClient()
    const { cid, cdate } = (await conv(connection, 'start', { m: ['a'], attr: attr({ attr: { x: 1 } }) })).convMessage!
    const direct = { cid: cid!, msg: 'last' }
    const { ackMessage } = await connection.request({ cmd: 'direct', directMessage: direct })
    const query = async (message: ConvCommand) => {
      const { op, convMessage } = await conv(connection, 'query', { where: attr({ objectId: cid }), ...message })
      expect(op).toBe('results')
      return read(convMessage!.results)[0]
    }
    const whole = await query({ flag: 2 })
    expect(whole).toMatchObject({
      objectId: cid,
      createdAt: cdate,
      updatedAt: expect.any(String),
      lm: { __type: 'Date', iso: new Date(ackMessage!.t!).toISOString() },
      c: name,
      m: ['a', name],
      muted: false,
      attr: { x: 1 },
      conv_type: 1,
      msg: 'last',
      bin: false,
      msg_mid: ackMessage!.uid,
      msg_from: name,
      msg_timestamp: ackMessage!.t,
    })
    const compact = await query({ flag: 1 })
    expect(compact.m ?? []).toEqual([])
    expect(compact).not.toHaveProperty('msg')
  })

  it('finds temporary ones only by id', async () => {
    const { connection } = await newClient()
    const { cid } = (await conv(connection, 'start', { m: ['a'], tempConv: true, tempConvTTL: 60 })).convMessage!
    const { convMessage } = await conv(connection, 'query', { tempConvIds: [cid!, '_tmp:none'] })
    expect(read(convMessage!.results)).toMatchObject([
      { objectId: cid, conv_type: 4, temp: true, tempConv: true, tempConvTTL: expect.any(Number) },
    ])
  })

  it.each(['{', '{"m":{"$nothing":1}}', '"m"'])('rejects the condition %s', async (data) => {
    const { connection } = await newClient()
    expect(await conv(connection, 'query', { where: { data } })).toMatchObject({
      cmd: 'error',
      errorMessage: { code: 4301, reason: 'CONVERSATION_API_FAILED', detail: expect.any(String) },
    })
  })
})

describe('conv/update', () => {
  it('returns the requested and the resulting attributes, and sends both to the others', async () => {
    const { name, connection } = await newClient()
    const other = await newClient()
    const { cid } = (await conv(connection, 'start', { m: [other.name], attr: attr({ attr: { a: 1 } }) })).convMessage!
    const change = { 'attr.b': 2, name: 'new' }
    const answer = await conv(connection, 'update', { cid, attr: attr(change) })
    expect(answer).toMatchObject({ op: 'updated', convMessage: { cid, udate: expect.any(String) } })
    const told = await other.connection.take(isConv('updated'))
    expect(told.convMessage).toMatchObject({ cid, initBy: name, udate: answer.convMessage!.udate })
    for (const { convMessage } of [answer, told]) {
      expect(read(convMessage!.attr)).toEqual(change)
      expect(read(convMessage!.attrModified)).toEqual({ attr: { a: 1, b: 2 }, name: 'new' })
    }
    expect(connection.received.filter(isConv('updated'))).toHaveLength(1)
  })

  it.each(['update', 'mute', 'unmute', 'add', 'remove', 'count', 'max_read', 'add_shutup'] as const)(
    'and others: conv/%s without arguments is rejected by name',
    async (op) => {
      const { name, connection } = await newClient()
      expect(await conv(connection, op, { cid: NOWHERE, m: [name], attr: attr({ a: 1 }) })).toMatchObject({
        cmd: 'error',
        errorMessage: { code: 4303, reason: 'CONVERSATION_NOT_FOUND' },
      })
    },
  )
})

describe('roles, silences and blacklists', () => {
  it('return the affected clients in pages, and notify them', async () => {
    const { name, connection } = await newClient()
    const target = await newClient()
    const m = [target.name, 'b', 'c']
    const { cid } = (await conv(connection, 'start', { m })).convMessage!
    const info = { pid: target.name, role: 'Manager' }
    const given = await conv(connection, 'member_info_update', { cid, targetClientId: target.name, info })
    expect(given).toMatchObject({ op: 'member_info_updated', convMessage: { cid, info } })
    const told = await target.connection.take(isConv('member_info_changed'))
    expect(told.convMessage).toMatchObject({ cid, initBy: name, info: { ...info, infoId: expect.any(String) } })

    const silenced = await conv(connection, 'add_shutup', { cid, m })
    expect(silenced).toMatchObject({ op: 'shutup_added', convMessage: { cid, allowedPids: m } })
    expect((await target.connection.take(isConv('shutuped'))).serverTs).toEqual(expect.any(Number))
    const page = (await conv(connection, 'query_shutup', { cid, limit: 2 })).convMessage!
    const rest = (await conv(connection, 'query_shutup', { cid, limit: 2, next: page.next! })).convMessage!
    expect([...page.m!, ...rest.m!].toSorted()).toEqual(m.toSorted())
    expect(rest).not.toHaveProperty('next')
    const checked = await conv(connection, 'check_shutup', { cid, m: ['b', 'x'] })
    expect(checked).toMatchObject({ op: 'check_result', convMessage: { cid, m: ['b'] } })
    const lifted = await conv(connection, 'remove_shutup', { cid, m })
    expect(lifted).toMatchObject({ op: 'shutup_removed', convMessage: { allowedPids: m } })

    const blocked = await blacklist(connection, 'block', { srcCid: cid!, toPids: ['b', name] })
    expect(blocked).toMatchObject({ op: 'blocked', peerId: name })
    expect(blocked.blacklistMessage).toMatchObject({
      srcCid: cid,
      allowedPids: ['b'],
      failedPids: [{ code: 4320, reason: 'CONVERSATION_OPERATION_UNAUTHORIZED', pids: [name] }],
    })
    const list = await blacklist(connection, 'query', { srcCid: cid! })
    expect(list).toMatchObject({ op: 'query_result', blacklistMessage: { srcCid: cid, blockedPids: ['b'] } })
    expect(list.blacklistMessage).not.toHaveProperty('next')
    const check = await blacklist(connection, 'check_block', { srcCid: cid!, toPids: ['b', 'c'] })
    expect(check).toMatchObject({ op: 'check_result', blacklistMessage: { blockedPids: ['b'] } })
    const freed = await blacklist(connection, 'unblock', { srcCid: cid!, toPids: ['b'] })
    expect(freed).toMatchObject({ op: 'unblocked', blacklistMessage: { srcCid: cid, allowedPids: ['b'] } })
  })

  it('are rejected as a whole for a client without rights over any target', async () => {
    const [owner, manager] = [await newClient(), await newClient()]
    const { cid } = (await conv(owner.connection, 'start', { m: [manager.name, 'peer', 'plain'] })).convMessage!
    for (const pid of [manager.name, 'peer']) {
      const info = { pid, role: 'Manager' }
      await conv(owner.connection, 'member_info_update', { cid, targetClientId: pid, info })
    }
    await conv(owner.connection, 'add_shutup', { cid, m: [manager.name, 'peer'] })
    const refusal = { cmd: 'error', peerId: manager.name, errorMessage: { code: 4320 } }
    for (const op of ['add_shutup', 'remove_shutup'] as const)
      expect(await conv(manager.connection, op, { cid, m: ['peer', owner.name] }), op).toMatchObject(refusal)
    expect(await conv(manager.connection, 'remove', { cid, m: ['peer'] })).toMatchObject(refusal)
    expect(await conv(manager.connection, 'remove_shutup', { cid, m: [manager.name] })).toMatchObject(refusal)
    for (const op of ['block', 'unblock'] as const)
      expect(await blacklist(manager.connection, op, { srcCid: cid!, toPids: ['peer', owner.name] })).toMatchObject(
        refusal,
      )
    const partly = await conv(manager.connection, 'add_shutup', { cid, m: ['peer', 'plain'] })
    expect(partly).toMatchObject({
      op: 'shutup_added',
      convMessage: { allowedPids: ['plain'], failedPids: [{ code: 4320, pids: ['peer'] }] },
    })
  })

  it('include those a client has of its own', async () => {
    const { name, connection } = await newClient()
    const other = await newClient()
    const { cid } = (await conv(other.connection, 'start', { m: [name, 'x'] })).convMessage!
    const blocked = await blacklist(connection, 'block', { srcPid: name, toCids: [cid!] })
    expect(blocked).toMatchObject({ op: 'blocked', blacklistMessage: { srcPid: name, toCids: [cid] } })
    await connection.take(isConv('left'))
    const list = await blacklist(connection, 'query', { srcPid: name })
    expect(list.blacklistMessage).toEqual({ srcPid: name, blockedCids: [cid] })
    const added = await conv(other.connection, 'add', { cid, m: [name] })
    expect(added.convMessage).toMatchObject({ failedPids: [{ code: 4548, pids: [name] }] })
    await blacklist(connection, 'unblock', { srcPid: name, toCids: [cid!] })
    expect((await conv(other.connection, 'add', { cid, m: [name] })).convMessage!.allowedPids).toEqual([name])
  })
})

describe('signatures', () => {
  it('are required when the app enables them, in conversations and blacklists', async () => {
    const { name, connection } = await newClient()
    const { cid } = (await conv(connection, 'start', { m: ['x'] })).convMessage!
    await app.admin('PATCH', '/settings', { messaging: { conversationSignature: true } })
    const refused = async (answer: Promise<GenericCommand>) => (await answer).errorMessage?.code
    const bogus = { t: Date.now(), n: 'nonce', s: 'bogus' }
    expect(await refused(conv(connection, 'start', { m: ['y'], ...bogus }))).toBe(4302)
    expect(await refused(conv(connection, 'add', { cid, m: ['y'], ...bogus }))).toBe(4302)
    expect(await refused(conv(connection, 'remove', { cid, m: ['x'] }))).toBe(4302)
    expect(await refused(blacklist(connection, 'block', { srcCid: cid!, toPids: ['x'], ...bogus }))).toBe(4546)
    expect(await refused(blacklist(connection, 'block', { srcPid: name, toCids: [cid!], ...bogus }))).toBe(4546)
    expect((await conv(connection, 'remove', { cid, m: [name] })).op).toBe('removed')
    await app.admin('PATCH', '/settings', { messaging: null })
  })
})

describe('a system conversation', () => {
  it('can be subscribed to, and accepts messages of clients for the app', async () => {
    const { name, connection } = await newClient()
    const body = { name: 'news', sys: true }
    const { objectId: cid } = (await app.request('POST', '/1.1/classes/_Conversation', { master: true, body })).body
    const state = async () =>
      read((await conv(connection, 'query', { where: attr({ objectId: cid }) })).convMessage!.results)[0]
    expect(await state()).toMatchObject({ sys: true, joined: false })
    expect((await conv(connection, 'add', { cid, m: [name] })).convMessage!.allowedPids).toEqual([name])
    expect(await state()).toMatchObject({ sys: true, joined: true, joinedAt: expect.any(Number) })
    const { ackMessage } = await connection.request({ cmd: 'direct', directMessage: { cid, msg: 'help' } })
    const query = { where: JSON.stringify({ msgId: ackMessage!.uid }) }
    const stored = await app.request('GET', '/1.1/classes/_SysMessage', { master: true, query })
    expect(stored.body.results).toMatchObject([{ from: name, data: 'help', conv: { objectId: cid } }])
  })
})
