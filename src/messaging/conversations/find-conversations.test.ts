import { describe, expect, it, vi } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { parseWhere } from '../../objects/where/parse.ts'
import type { JsonObject } from '../../values/json.ts'
import { addMembers } from '../members/add-members.ts'
import { createConversation } from './create-conversation.ts'
import {
  type ConversationQuery,
  findConversations,
  findTemporaryConversations,
  listConversations,
} from './find-conversations.ts'
import { setMuted } from './mutes.ts'
import { createTemporary } from './temporary-conversations.ts'

const { messaging, connect, database, conversation } = await makeMessaging()
const bare = { members: [], attributes: {}, unique: false } as const

const find = (query: ConversationQuery, clientId = 'anyone') => findConversations(messaging, { clientId }, query)
const ids = (records: readonly JsonObject[]) => records.map((record) => record.objectId)
const byId = async (id: string, query: ConversationQuery = {}, clientId = 'anyone') =>
  (await find({ ...query, where: { objectId: id } }, clientId))[0]!

let messages = 0
const say = (convId: string, sender: string, options: { threads?: string[]; mentions?: string[] } = {}) =>
  messaging.messages.store({
    id: `message${messages++}`,
    convId,
    threads: options.threads ?? [convId],
    sender,
    content: 'hello',
    bin: false,
    token: null,
    mentionAll: false,
    mentions: options.mentions ?? [],
    receipt: false,
    ip: null,
  })

it('returns the keys that clients expect', async () => {
  const id = await conversation(['tom', 'jerry'], {
    name: 'cats',
    attr: { a: 1 },
    when: { __type: 'Date', iso: '2026-01-02T03:04:05.678Z' },
    unique: true,
    uniqueId: 'x',
  })
  await setMuted(messaging, connect('jerry'), id, true)
  const record = await byId(id)
  expect(record).toEqual({
    objectId: id,
    createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    updatedAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    name: 'cats',
    attr: { a: 1 },
    when: { __type: 'Date', iso: '2026-01-02T03:04:05.678Z' },
    c: 'tom',
    m: ['tom', 'jerry'],
    mu: ['jerry'],
    muted: false,
    unique: true,
    uniqueId: 'x',
    conv_type: 1,
  })
  expect((await byId(id, {}, 'jerry')).muted).toBe(true)
})

it('omits the members from a compact record', async () => {
  expect(await byId(await conversation(['tom']), { compact: true })).not.toHaveProperty('m')
})

it('returns the exact time of the last message, even if the record is behind', async () => {
  const id = await conversation(['tom'], { lm: { __type: 'Date', iso: '2020-01-01T00:00:00.000Z' } })
  expect((await byId(id)).lm).toEqual({ __type: 'Date', iso: '2020-01-01T00:00:00.000Z' })
  const { ts } = await say(id, 'tom')
  expect((await byId(id)).lm).toEqual({ __type: 'Date', iso: new Date(ts).toISOString() })
  expect(await byId(await conversation(['tom']))).not.toHaveProperty('lm')
})

it('returns the last message on request', async () => {
  const id = await conversation(['tom'])
  const silent = await conversation(['tom'])
  await say(id, 'tom')
  const { ts, id: last } = await say(id, 'jerry', { mentions: ['tom'] })
  const record = await byId(id, { lastMessage: true }, 'tom')
  expect(record).toMatchObject({
    msg: 'hello',
    bin: false,
    msg_mid: last,
    msg_from: 'jerry',
    msg_timestamp: ts,
    mention_pids: ['tom'],
  })
  expect(record).not.toHaveProperty('patch_timestamp')
  expect(await byId(id)).not.toHaveProperty('msg')
  expect(await byId(silent, { lastMessage: true }, 'tom')).not.toHaveProperty('msg')
  await database.query(sql`UPDATE ${messaging.tables.messages} SET patched_at = ts + 5 WHERE id = ${last}`)
  expect(await byId(id, { lastMessage: true }, 'tom')).toMatchObject({ patch_timestamp: ts + 5 })
})

it('marks a chat room, without members', async () => {
  const { id } = await createConversation(messaging, connect('tom'), { ...bare, kind: 'room' })
  const record = await byId(id)
  expect(record).toMatchObject({ tr: true, conv_type: 2, muted: false })
  expect(record).not.toHaveProperty('m')
  expect(await byId(await conversation(['tom'], { tr: true }))).not.toHaveProperty('m')
})

it('returns the subscription and the messages of a system conversation for the client', async () => {
  const { id } = await createConversation(messaging, null, { ...bare, kind: 'system' })
  await addMembers(messaging, connect('tom'), id, ['tom'])
  await say(id, 'app')
  const { id: toTom } = await say(id, 'app', { threads: [`${id}:tom`] })
  const { id: toJerry } = await say(id, 'app', { threads: [`${id}:jerry`] })
  const toms = await byId(id, { lastMessage: true }, 'tom')
  expect(toms).toMatchObject({ sys: true, conv_type: 3, muted: false, joined: true, msg_mid: toTom })
  expect(toms.joinedAt).toBeGreaterThan(Date.now() - 60_000)
  const jerrys = await byId(id, { lastMessage: true }, 'jerry')
  expect(jerrys).toMatchObject({ joined: false, msg_mid: toJerry })
  for (const record of [toms, jerrys]) expect(record).not.toHaveProperty('lm')
  expect(jerrys).not.toHaveProperty('joinedAt')
})

describe('without a condition', () => {
  it('returns the normal conversations of the client, latest message first', async () => {
    const early = await conversation(['finder'], { lm: { __type: 'Date', iso: '2026-01-01T00:00:00.000Z' } })
    const late = await conversation(['x', 'finder'], { lm: { __type: 'Date', iso: '2026-02-01T00:00:00.000Z' } })
    const silent = await conversation(['finder'])
    await conversation(['x'])
    await conversation(['finder'], { tr: true })
    await conversation(['finder'], { sys: true })
    for (const where of [undefined, null, '', '{}', {}])
      expect(ids(await find({ where }, 'finder'))).toEqual([late, early, silent])
    expect(ids(await find({ sort: 'createdAt' }, 'finder'))).toEqual([early, late, silent])
  })

  it('searches all conversations with any condition', async () => {
    const foreign = await conversation(['x'], { name: 'foreign' })
    expect(ids(await find({ where: { name: 'foreign' } }, 'finder'))).toEqual([foreign])
  })
})

describe('conditions', () => {
  it('supports those of the object store', async () => {
    const [a, b] = ['a', 'b'].map((suffix) => `Cond ${suffix}`)
    const one = await conversation(['p', 'q'], { name: a!, level: 1 })
    const two = await conversation(['p', 'q', 'r'], { name: b!, level: 2 })
    const among = { $in: [one, two] }
    const cases: [JsonObject, string[]][] = [
      [{ m: 'p' }, [one, two]],
      [{ m: { $all: ['p', 'r'] } }, [two]],
      [{ m: { $all: ['p', 'q'], $size: 2 } }, [one]],
      [{ m: { $size: 1 } }, []],
      [{ name: { $ne: a! } }, [two]],
      [{ name: { $regex: '^\\Qcond\\E', $options: 'i' } }, [one, two]],
      [{ name: { $regex: '\\Qcond\\E' } }, []],
      [{ level: { $gte: 1, $lt: 2 } }, [one]],
      [{ createdAt: { $gt: { __type: 'Date', iso: '2020-01-01T00:00:00.000Z' } } }, [one, two]],
      [{ nothing: { $exists: true } }, []],
      [{ createdAt: { $exists: false } }, []],
      [{ $or: [{ level: 2 }, { name: a! }] }, [one, two]],
      [{ $and: [{ level: 2 }, { name: a! }] }, []],
    ]
    for (const [condition, expected] of cases)
      expect(ids(await find({ where: { objectId: among, ...condition }, sort: 'createdAt' }))).toEqual(expected)
    expect(ids(await find({ where: JSON.stringify({ objectId: among }), sort: '-level' }))).toEqual([two, one])
  })

  it('returns results in the order of creation by default', async () => {
    const date = (day: number) => ({ __type: 'Date', iso: `2026-01-0${day}T00:00:00.000Z` })
    const one = await conversation(['x'], { lm: date(1), found: true })
    const two = await conversation(['x'], { lm: date(2), found: true })
    expect(ids(await find({ where: { found: true } }))).toEqual([one, two])
    expect(ids(await find({ where: { found: true }, sort: '-lm' }))).toEqual([two, one])
  })

  it('rejects invalid ones', async () => {
    await expect(find({ where: { name: { $nonsense: 1 } } })).rejects.toMatchObject({ code: 102 })
    await expect(find({ where: '{"name":' })).rejects.toMatchObject({ code: 107 })
  })

  it('rejects queries about other objects', async () => {
    const query = { className: '_User', where: { email: 'a@example.org' } }
    for (const where of [
      { owner: { $inQuery: query } },
      { name: { $select: { query, key: 'username' } } },
      { $or: [{ a: 1 }, { owner: { $notInQuery: query } }] },
      { $relatedTo: { object: { __type: 'Pointer', className: '_Role', objectId: 'x' }, key: 'users' } },
    ])
      await expect(find({ where })).rejects.toMatchObject({ code: 102 })
  })

  it('excludes hidden fields and their values', async () => {
    const id = await conversation(['tom'], { secret: 's', note: 'n' })
    await messaging.objects.classes.configure('_Conversation', {
      fields: new Map([['secret', { hidden: true }]]),
    })
    const record = await byId(id)
    expect(record).toMatchObject({ note: 'n' })
    expect(record).not.toHaveProperty('secret')
    await expect(find({ where: { $or: [{ secret: 's' }, { note: 'n' }] } })).rejects.toMatchObject({ code: 403 })
    await expect(find({ where: { note: 'n' }, sort: '-secret' })).rejects.toMatchObject({ code: 403 })
    const [listed] = await listConversations(messaging, null, {
      where: parseWhere({ objectId: id }),
      skip: 0,
      limit: 1,
    })
    expect(listed).toMatchObject({ secret: 's' })
  })

  it('fails with error 4310 when they take too long', async () => {
    const { table } = messaging.objects.classes.get('_Conversation')!
    const blocker = await database.dedicated('usual')
    try {
      await blocker.query(`BEGIN; LOCK TABLE ${table.strings[0]} IN ACCESS EXCLUSIVE MODE`)
      const refused = expect(find({ where: { name: 'x' } })).rejects.toMatchObject({
        code: 4310,
        reason: 'CONVERSATION_QUERY_FAILED',
      })
      // The error of the database's statement timeout.
      await vi.waitFor(async () => {
        const { rows } = await blocker.query(`
          SELECT pg_cancel_backend(pid)
          FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`)
        if (rows.length === 0) throw new Error('the query does not wait yet')
      }, 10_000)
      await refused
    } finally {
      await blocker.end()
    }
  })
})

describe('pages', () => {
  it('has 10 conversations by default, none for 0, at most 1000', async () => {
    for (let count = 0; count < 12; count++) await conversation(['paged'], { order: count })
    const orders = async (query: ConversationQuery) =>
      (await find({ sort: 'order', ...query }, 'paged')).map(({ order }) => order)
    expect(await orders({})).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(await orders({ limit: 0 })).toEqual([])
    expect(await orders({ limit: 2, skip: 9 })).toEqual([9, 10])
    expect(await orders({ limit: 5000 })).toHaveLength(12)
    expect(await orders({ limit: 1, skip: 12 })).toEqual([])
  })

  it('returns each conversation once for repeated and unknown ids', async () => {
    const id = await conversation(['tom'])
    const where = { objectId: { $in: [id, id, '555555555555555555555555'] } }
    expect(ids(await find({ where, limit: 999 }))).toEqual([id])
  })
})

describe('temporary conversations', () => {
  it('are found by their ids until they expire', async () => {
    const tom = connect('tom')
    const { conversation: made } = await createTemporary(messaging, tom, { members: ['jerry'], ttl: 60, unique: false })
    const { conversation: ended } = await createTemporary(messaging, tom, { members: [], ttl: 60, unique: false })
    await database.query(sql`UPDATE ${messaging.tables.temporary} SET expires_ts = 1 WHERE id = ${ended.id}`)
    const { ts, id: last } = await say(made.id, 'jerry')
    const created = new Date(made.createdAt).toISOString()
    const found = await findTemporaryConversations(
      messaging,
      { clientId: 'tom' },
      [made.id, ended.id, '_tmp:unknown'],
      {
        lastMessage: true,
      },
    )
    expect(found).toEqual([
      {
        objectId: made.id,
        createdAt: created,
        updatedAt: created,
        c: 'tom',
        m: ['jerry', 'tom'],
        muted: false,
        conv_type: 4,
        temp: true,
        tempConv: true,
        ttl: expect.any(Number),
        tempConvTTL: found[0]!.ttl,
        lm: { __type: 'Date', iso: new Date(ts).toISOString() },
        msg: 'hello',
        bin: false,
        msg_mid: last,
        msg_from: 'jerry',
        msg_timestamp: ts,
      },
    ])
    expect(found[0]!.ttl).toBeGreaterThan(50)
    expect(found[0]!.ttl).toBeLessThanOrEqual(60)
    const [compact] = await findTemporaryConversations(messaging, { clientId: 'tom' }, [made.id], { compact: true })
    expect(compact).not.toHaveProperty('m')
    expect(compact).not.toHaveProperty('msg')
  })
})

describe('the app', () => {
  it('lists conversations of one or all kinds by a condition', async () => {
    const normal = await conversation(['tom'], { listed: true })
    const room = (await createConversation(messaging, null, { ...bare, kind: 'room', attributes: { listed: true } })).id
    const system = (
      await createConversation(messaging, null, { ...bare, kind: 'system', attributes: { listed: true } })
    ).id
    const where = parseWhere({ listed: true })
    const list = async (kind: Parameters<typeof listConversations>[1], skip = 0, limit = 10) =>
      ids(await listConversations(messaging, kind, { where, skip, limit }))
    expect(await list('normal')).toEqual([normal])
    expect(await list('room')).toEqual([room])
    expect(await list('system')).toEqual([system])
    expect(await list(null)).toEqual([normal, room, system])
    expect(await list(null, 1, 1)).toEqual([room])
    const { ts } = await say(normal, 'tom')
    const [record] = await listConversations(messaging, 'normal', { where, skip: 0, limit: 1 })
    expect(record).toMatchObject({ m: ['tom'], lm: { __type: 'Date', iso: new Date(ts).toISOString() } })
    for (const key of ['muted', 'conv_type']) expect(record).not.toHaveProperty(key)
    const all = await listConversations(messaging, 'room', { where: null, skip: 0, limit: 1000 })
    expect(ids(all)).toContain(room)
    expect(ids(all)).not.toContain(normal)
  })
})
