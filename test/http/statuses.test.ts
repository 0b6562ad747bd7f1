import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { makePeople, type Person, writeFollowers, writeFollows } from '../support/social.ts'

const app = await makeApp()
const [ann, bo, cy, stranger] = await makePeople(app, 'ann', 'bo', 'cy', 'stranger')
await writeFollows(app, ann.id, [bo.id, cy.id])

interface Entry {
  readonly objectId: string
  readonly messageId: number
  readonly text: string
  readonly inboxType: string
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by reading it
  readonly [name: string]: any
}

const followers = (person: Person) => ({ className: '_Follower', where: { user: person.pointer }, keys: 'follower' })
const user = (...people: Person[]) => ({ className: '_User', where: { objectId: { $in: people.map(({ id }) => id) } } })

function post(person: Person | null, body: object, options: { master?: boolean } = {}) {
  return app.request('POST', '/1.1/statuses', { body, ...(person && { session: person.session }), ...options })
}

async function sent(person: Person, body: object): Promise<string> {
  const { status, body: answer } = await post(person, body)
  expect([status, answer.error]).toEqual([201, undefined])
  return answer.objectId
}

const get = (person: Person | null, path: string, query: Record<string, string> = {}) =>
  app.request('GET', path, { query, ...(person && { session: person.session }) })

async function inboxOf(person: Person, query: Record<string, string> = {}): Promise<Entry[]> {
  const { status, body } = await get(person, '/1.1/subscribe/statuses', query)
  expect([status, body.error]).toEqual([200, undefined])
  return body.results
}

const textsOf = async (person: Person, inboxType = 'default') =>
  (await inboxOf(person, { inboxType })).map(({ text }) => text)

describe('sending', () => {
  it('returns 201 with the id, the time and a Location below the class', async () => {
    const { status, body, headers } = await post(ann, { query: followers(ann), data: { text: 'one' } })
    expect(status).toBe(201)
    expect(Object.keys(body).sort()).toEqual(['createdAt', 'objectId'])
    expect(headers.get('location')).toBe(`/1.1/classes/_Status/${body.objectId}`)
  })

  it('accepts the source outside the data, and the condition as a text', async () => {
    const query = { ...followers(ann), where: JSON.stringify(followers(ann).where) }
    await sent(ann, { query, data: { text: 'two' }, source: ann.pointer, inboxType: 'default' })
    expect((await inboxOf(bo))[0]).toMatchObject({ text: 'two', source: ann.pointer, inboxType: 'default' })
  })

  it('ignores the number, inbox and id of a status received before', async () => {
    const data = { text: 'again', messageId: 4711, inboxType: 'default', objectId: 'aaaaaaaaaaaaaaaaaaaaaaaa' }
    const id = await sent(bo, { query: user(cy), data, inboxType: 'shared' })
    const [entry] = await inboxOf(cy, { inboxType: 'shared' })
    expect(entry).toMatchObject({ objectId: id, messageId: 2, inboxType: 'shared' })
    expect(id).not.toBe(data.objectId)
  })

  it('to a user that the query returns several times delivers once', async () => {
    for (let n = 0; n < 3; n++)
      await app.request('POST', '/1.1/classes/Ticket', { master: true, body: { holder: bo.pointer, n } })
    await sent(ann, { query: { className: 'Ticket', keys: 'holder' }, data: { text: 'once' }, inboxType: 'tickets' })
    expect(await textsOf(bo, 'tickets')).toEqual(['once'])
  })

  it('with a limit reaches that many users, in the requested order', async () => {
    const query = { className: 'Ranked', keys: ['holder'], order: '-n', limit: 2, skip: 1 }
    for (const [n, holder] of [stranger, ann, bo, cy].entries())
      await app.request('POST', '/1.1/classes/Ranked', { master: true, body: { holder: holder.pointer, n } })
    await sent(ann, { query, data: { text: 'few' }, inboxType: 'ranked' })
    expect(await Promise.all([stranger, ann, bo, cy].map((person) => textsOf(person, 'ranked')))).toEqual([
      [],
      ['few'],
      ['few'],
      [],
    ])
  })

  it('with the master key requires a source', async () => {
    expect((await post(null, { query: user(bo), data: { text: 'x' } }, { master: true })).body).toMatchObject({
      code: 1,
      error: expect.stringContaining("'data.source'"),
    })
    const body = { query: user(bo), data: { text: 'by the app', source: cy.pointer }, inboxType: 'app' }
    expect((await post(null, body, { master: true })).status).toBe(201)
    expect(await textsOf(bo, 'app')).toEqual(['by the app'])
  })

  it('skips users that have blocked its source', async () => {
    const [loud, quiet] = await makePeople(app, 'loud', 'quiet')
    await app.request('POST', `/1.1/users/self/friendBlocklist/${loud.id}`, { session: quiet.session })
    await sent(loud, { query: user(quiet, bo), data: { text: 'listen' }, inboxType: 'shouts' })
    expect(await textsOf(quiet, 'shouts')).toEqual([])
    expect(await textsOf(bo, 'shouts')).toEqual(['listen'])
    await app.request('DELETE', `/1.1/users/self/friendBlocklist/${loud.id}`, { session: quiet.session })
    await sent(loud, { query: user(quiet), data: { text: 'sorry' }, inboxType: 'shouts' })
    expect(await textsOf(quiet, 'shouts')).toEqual(['sorry'])
  })

  it('skips users that do not exist', async () => {
    await writeFollows(app, cy.id, ['gone0000000000000000000'])
    await sent(cy, { query: followers(cy), data: { text: 'to the gone' } })
    const { rows } = await app.sql(`SELECT FROM "$inbox_entries" WHERE owner_id = 'gone0000000000000000000'`)
    expect(rows).toEqual([])
  })

  it('obeys its own ACL', async () => {
    const ACL = { [cy.id]: { read: true }, [ann.id]: { read: true, write: true } }
    await sent(ann, { query: followers(ann), data: { text: 'for cy', ACL } })
    expect(await textsOf(cy)).toContain('for cy')
    expect(await textsOf(bo)).not.toContain('for cy')
  })

  it.each<[string, unknown, number, number, string]>([
    ['a body that is no object', [1], 400, 107, 'object'],
    ['no query', { data: {} }, 400, 1, "'query'"],
    ['a query without a class', { query: {} }, 400, 103, 'class'],
    ['a class that does not exist', { query: { className: 'Nothing', keys: 'a' } }, 404, 101, 'Nothing'],
    ['a field that points to no user', { query: { className: '_Follower', keys: 'text' } }, 400, 102, "'text'"],
    ['no field', { query: { className: '_Role' } }, 400, 1, "'keys'"],
    ['a condition that is no object', { query: { className: '_Follower', where: 5 } }, 400, 102, "'where'"],
    ['an unknown operator', { query: { className: '_Follower', where: { user: { $no: 1 } } } }, 400, 102, '$no'],
    ['data that is no object', { query: followers(ann), data: 'hi' }, 400, 1, "'data'"],
    ['an inbox type that is no text', { query: followers(ann), inboxType: 7 }, 400, 1, "'inboxType'"],
    ['a long inbox type', { query: followers(ann), inboxType: 'x'.repeat(65) }, 400, 1, "'inboxType'"],
    ['a source that is no user', { query: followers(ann), data: { source: 'ann' } }, 403, 403, "'source'"],
    ['a skip below 0', { query: { ...followers(ann), skip: -1 } }, 400, 102, "'skip'"],
  ])('rejects %s, and stores nothing', async (_, body, status, code, text) => {
    const before = await get(ann, '/1.1/classes/_Status', { count: '1', limit: '0' })
    const answer = await app.request('POST', '/1.1/statuses', { body, session: ann.session })
    expect([answer.status, answer.body.code]).toEqual([status, code])
    expect(answer.body.error).toContain(text)
    expect((await get(ann, '/1.1/classes/_Status', { count: '1', limit: '0' })).body).toEqual(before.body)
  })

  it('requires a session', async () => {
    const { status, body } = await post(null, { query: followers(ann), data: { text: 'x' } })
    expect([status, body.code]).toEqual([403, 206])
  })

  it('private reaches at most 100 users', async () => {
    const many = await writeFollowers(app, stranger.id, 101, 'private')
    const query = { className: '_User', where: { objectId: { $in: many } } }
    const { status, body } = await post(ann, { query, data: { text: 'psst' }, inboxType: 'private' })
    expect([status, body.code, body.error]).toEqual([400, 1, expect.stringContaining('at most 100 recipients')])
    const fewer = { className: '_User', where: { objectId: { $in: many.slice(1) } } }
    expect((await post(ann, { query: fewer, data: { text: 'psst' }, inboxType: 'private' })).status).toBe(201)
  })
})

describe('statuses as objects', () => {
  it('cannot be created in the name of another user in any way', async () => {
    const make = (session: string | undefined, body: object) =>
      app.request('POST', '/1.1/classes/_Status', { body, ...(session && { session }) })
    expect((await make(undefined, { text: 'x' })).body.code).toBe(206)
    expect((await make(bo.session, { text: 'x', source: ann.pointer })).status).toBe(403)
    const { body } = await make(bo.session, { text: 'mine' })
    const read = await get(stranger, `/1.1/statuses/${body.objectId}`)
    expect(read.body).toMatchObject({ text: 'mine', source: bo.pointer })
  })

  it('keep their source and inbox, and can be changed only by their source', async () => {
    const id = await sent(ann, { query: followers(ann), data: { text: 'fixed' } })
    const put = (person: Person, body: object) =>
      app.request('PUT', `/1.1/classes/_Status/${id}`, { body, session: person.session })
    expect((await put(ann, { source: bo.pointer })).body.code).toBe(117)
    expect((await put(ann, { inboxType: 'private' })).body.code).toBe(117)
    expect((await put(bo, { text: 'other' })).status).toBe(403)
    expect((await put(ann, { text: 'corrected' })).status).toBe(200)
    expect(await textsOf(bo)).toContain('corrected')
  })

  it('are found at /statuses with expanded pointers, and counted', async () => {
    const where = JSON.stringify({ source: ann.pointer, inboxType: 'default' })
    const { body } = await get(bo, '/1.1/statuses', { where, include: 'source', order: '-createdAt', limit: '1' })
    expect(body.results[0]).toMatchObject({ text: 'corrected', source: { username: 'ann' } })
    const { body: counted } = await get(bo, '/1.1/statuses', { where, count: '1', limit: '0' })
    expect(counted.count).toBeGreaterThan(1)
    expect((await get(bo, '/1.1/statuses/aaaaaaaaaaaaaaaaaaaaaaaa')).body).toEqual({})
  })

  it('leave no inbox entries when deleted in any way', async () => {
    const id = await sent(ann, { query: followers(ann), data: { text: 'swept' } })
    await app.sql(`DELETE FROM "_Status" WHERE id = $1`, [id])
    expect(await textsOf(bo)).not.toContain('swept')
    // A write through the server triggers the cleanup.
    await sent(ann, { query: followers(ann), data: { text: 'later' } })
    const rows = async () => (await app.sql(`SELECT FROM "$inbox_entries" WHERE status_id = $1`, [id])).rows
    await expect.poll(rows, { timeout: 60_000 }).toEqual([])
  })
})

it('a status has the default ACL of the class, and a private one still lists its readers', async () => {
  await app.admin('PATCH', '/classes/_Status', { defaultAcl: { _owner: { read: true, write: true } } })
  await sent(ann, { query: followers(ann), data: { text: 'to myself' } })
  expect(await textsOf(ann)).toContain('to myself')
  expect(await textsOf(bo)).not.toContain('to myself')
  const body = { query: user(bo), data: { text: 'by cy', source: cy.pointer }, inboxType: 'owned' }
  const { body: answer } = await post(null, body, { master: true })
  expect((await get(cy, `/1.1/statuses/${answer.objectId}`)).body.text).toBe('by cy')
  await sent(ann, { query: user(bo), data: { text: 'for bo' }, inboxType: 'private' })
  expect(await textsOf(bo, 'private')).toContain('for bo')
  await app.admin('PATCH', '/classes/_Status', { defaultAcl: null })
})

describe('an inbox', () => {
  it("defaults to that of the session, under every SDK's parameter name", async () => {
    const shown = async (query: Record<string, string>) => (await inboxOf(bo, query)).map(({ messageId }) => messageId)
    const all = await shown({})
    for (const owner of [JSON.stringify(bo.pointer), 'null', '']) expect(await shown({ owner })).toEqual(all)
    expect(await shown({ sinceId: '0', maxId: '0', limit: '100', inboxType: 'default' })).toEqual(all)
  })

  it('reports with `end` whether the page is the last', async () => {
    const { body: all } = await get(bo, '/1.1/subscribe/statuses')
    const total = all.results.length
    const ends = async (query: Record<string, string>) => (await get(bo, '/1.1/subscribe/statuses', query)).body.end
    expect(all.end).toBe(true)
    expect(await ends({ limit: String(total) })).toBe(true)
    expect(await ends({ limit: String(total - 1) })).toBe(false)
    expect(await ends({ limit: '2', skip: String(total - 2) })).toBe(true)
    expect(await ends({ order: 'messageId', limit: '1' })).toBe(false)
  })

  it('can be read from the oldest, after a number', async () => {
    const ids = (await inboxOf(bo)).map(({ messageId }) => messageId).toReversed()
    const query = { order: 'messageId', limit: '2', sinceId: String(ids[0]) }
    expect((await inboxOf(bo, query)).map(({ messageId }) => messageId)).toEqual(ids.slice(1, 3))
  })

  it('returns at most 100 at once', async () => {
    const [reader] = await makePeople(app, 'owner-of-large-inbox')
    await app.sql(
      `WITH status AS (
         INSERT INTO "_Status" (id, created_at, updated_at, data)
         SELECT 'status' || n, now(), now(), jsonb_build_object('text', n, 'inboxType', 'default')
         FROM generate_series(1, 1005) AS n
       ), inbox AS (
         INSERT INTO "$inboxes" (owner_id, inbox_type, last_id) VALUES ($1, 'default', 1005)
       )
       INSERT INTO "$inbox_entries" (owner_id, inbox_type, message_id, status_id)
       SELECT $1, 'default', n, 'status' || n FROM generate_series(1, 1005) AS n`,
      [reader.id],
    )
    for (const limit of ['', '0', '101', '1000', 'many']) expect(await inboxOf(reader, { limit })).toHaveLength(100)
    // The inbox keeps the latest 1000.
    const { body } = await get(reader, '/1.1/subscribe/statuses/count')
    expect(body).toEqual({ total: 1000, unread: 1000 })
    expect((await inboxOf(reader, { order: 'messageId', limit: '1' }))[0]!.messageId).toBe(6)
    await sent(ann, { query: user(reader), data: { text: 'the newest' } })
    expect((await inboxOf(reader, { order: 'messageId', limit: '1' }))[0]!.messageId).toBe(7)
    const { rows } = await app.sql(`SELECT FROM "$inbox_entries" WHERE owner_id = $1 AND message_id = 6`, [reader.id])
    expect(rows).toEqual([])
  })

  it('reports more when a response cannot hold it', async () => {
    const [reader] = await makePeople(app, 'slow reader')
    const text = 'x'.repeat(4_000_000)
    for (let n = 0; n < 2; n++) await sent(ann, { query: user(reader), data: { text }, inboxType: 'default' })
    const { body } = await get(reader, '/1.1/subscribe/statuses')
    expect([body.results.length, body.end]).toEqual([1, false])
    const maxId = String(body.results[0].messageId - 1)
    const { body: rest } = await get(reader, '/1.1/subscribe/statuses', { maxId })
    expect([rest.results.length, rest.end]).toEqual([1, true])
  })

  it('counts matches of a condition', async () => {
    const query = { where: '{"text":"two"}', count: '1', limit: '0' }
    expect((await get(bo, '/1.1/subscribe/statuses', query)).body).toEqual({ results: [], end: false, count: 1 })
  })

  it('drops statuses its owner removes, permanently', async () => {
    const id = await sent(ann, { query: followers(ann), data: { text: 'not for me' } })
    const [entry] = await inboxOf(bo)
    const remove = (person: Person, owner: Person) =>
      app.request('DELETE', '/1.1/subscribe/statuses/inbox', {
        session: person.session,
        query: {
          owner: JSON.stringify(owner.pointer),
          inboxType: 'default',
          messageId: String(entry!.messageId),
        },
      })
    expect((await remove(stranger, bo)).status).toBe(403)
    const before = (await get(bo, '/1.1/subscribe/statuses/count')).body
    expect((await remove(bo, bo)).body).toEqual({})
    expect(await textsOf(bo)).not.toContain('not for me')
    expect((await get(bo, '/1.1/subscribe/statuses/count')).body).toEqual({
      total: before.total - 1,
      unread: before.unread - 1,
    })
    expect(await textsOf(cy)).toContain('not for me')
    expect((await get(bo, `/1.1/statuses/${id}`)).body.text).toBe('not for me')
    expect((await remove(bo, bo)).body).toEqual({})
  })

  it('is reset by parameters in the URL, in the body, or by none', async () => {
    const unread = async () => (await get(bo, '/1.1/subscribe/statuses/count')).body.unread
    const reset = (options: object) =>
      app.request('POST', '/1.1/subscribe/statuses/resetUnreadCount', { session: bo.session, ...options })
    const owner = JSON.stringify(bo.pointer)
    for (const options of [{}, { body: { owner: bo.pointer } }, { body: { owner } }, { query: { owner } }]) {
      await sent(ann, { query: followers(ann), data: { text: 'unread' } })
      expect(await unread()).toBeGreaterThan(0)
      expect((await reset(options)).body).toEqual({})
      expect(await unread()).toBe(0)
    }
  })

  it('can be read in a batch', async () => {
    const item = (path: string, params: object) => ({ method: 'GET', path, params })
    const requests = [
      item('/1.1/subscribe/statuses', { owner: bo.pointer, inboxType: 'default', limit: 2 }),
      item('/1.1/subscribe/statuses/count', { owner: JSON.stringify(bo.pointer) }),
      { method: 'GET', path: '/1.1/subscribe/statuses?limit=1' },
      item('/1.1/subscribe/statuses', { owner: ann.pointer }),
    ]
    const { body } = await app.request('POST', '/1.1/batch', { session: bo.session, body: { requests } })
    expect(body[0].success.results).toHaveLength(2)
    expect(body[1].success.total).toBeGreaterThan(1)
    expect(body[2].success.results).toHaveLength(1)
    expect(body[3].error.code).toBe(403)
  })

  it('can be read, counted and reset by other sessions when the app opens inboxes, but not removed from', async () => {
    const owner = JSON.stringify(bo.pointer)
    await sent(ann, { query: user(bo), data: { text: 'for bo alone' }, inboxType: 'private' })
    await sent(ann, { query: user(bo), data: { text: 'for all to read' } })
    const path = '/1.1/subscribe/statuses'
    const all = {
      read: (who: object) => app.request('GET', path, { query: { owner }, ...who }),
      'read private': (who: object) => app.request('GET', path, { query: { owner, inboxType: 'private' }, ...who }),
      count: (who: object) => app.request('GET', `${path}/count`, { query: { owner }, ...who }),
      'count private': (who: object) =>
        app.request('GET', `${path}/count`, { query: { owner, inboxType: 'private' }, ...who }),
      reset: (who: object) => app.request('POST', `${path}/resetUnreadCount`, { body: { owner: bo.pointer }, ...who }),
      remove: (who: object) =>
        app.request('DELETE', `${path}/inbox`, { query: { owner, inboxType: 'default', messageId: '1' }, ...who }),
    }
    const session = { session: stranger.session }
    for (const request of Object.values(all)) expect(await request(session)).toMatchObject({ status: 403 })
    await app.admin('PATCH', '/settings', { statuses: { openInboxes: true } })
    for (const request of Object.values(all)) expect((await request({})).body.code).toBe(206)
    const texts = async (name: 'read' | 'read private') =>
      (await all[name](session)).body.results.map(({ text }: { text: string }) => text)
    expect(await texts('read')).toContain('for all to read')
    expect(await texts('read private')).toEqual([])
    for (const name of ['count', 'count private'] as const) {
      const { body } = await all[name](session)
      expect(body).toEqual((await all[name]({ session: bo.session })).body)
      expect(body.unread).toBeGreaterThan(0)
    }
    expect(await all.reset(session)).toMatchObject({ status: 200, body: {} })
    expect((await all.count({ session: bo.session })).body.unread).toBe(0)
    expect(await all.remove(session)).toMatchObject({ status: 403 })
    await app.admin('PATCH', '/settings', { statuses: { openInboxes: false } })
    for (const request of Object.values(all)) expect(await request(session)).toMatchObject({ status: 403 })
  })

  it('is closed when the administrator closes statuses', async () => {
    await app.admin('PATCH', '/classes/_Status', { permissions: { get: 'master', create: 'master' } })
    expect((await get(bo, '/1.1/subscribe/statuses')).status).toBe(403)
    expect((await get(bo, '/1.1/subscribe/statuses/count')).status).toBe(403)
    expect((await post(ann, { query: followers(ann), data: { text: 'x' } })).status).toBe(403)
    await app.admin('PATCH', '/classes/_Status', { permissions: { get: 'public', create: 'public' } })
    expect((await get(bo, '/1.1/subscribe/statuses')).status).toBe(200)
  })

  it.each<[string, Record<string, string>, number, string]>([
    ['an owner that is no JSON', { owner: '{' }, 107, "'owner'"],
    ['an owner that is no user', { owner: '{"__type":"Pointer","className":"Post","objectId":"a"}' }, 1, "'owner'"],
    ['a number that is none', { sinceId: 'x' }, 1, "'sinceId'"],
    ['a number below 0', { maxId: '-1' }, 1, "'maxId'"],
    ['an order by something else', { order: 'text' }, 102, 'messageId'],
    ['a condition that is no JSON', { where: '{' }, 107, "'where'"],
    ['a long inbox type', { inboxType: 'x'.repeat(65) }, 1, "'inboxType'"],
  ])('rejects %s', async (_, query, code, text) => {
    const { status, body } = await get(bo, '/1.1/subscribe/statuses', query)
    expect([status, body.code]).toEqual([400, code])
    expect(body.error).toContain(text)
  })

  it('accepts a number beyond all as the maximum', async () => {
    expect(await inboxOf(bo, { sinceId: '99999999999999' })).toEqual([])
    expect((await inboxOf(bo, { maxId: '99999999999999' })).length).toBeGreaterThan(0)
  })
})

it('an app has at most 100 kinds of inboxes besides the two built in', async () => {
  await app.sql(`INSERT INTO "$inbox_types" SELECT 'kind ' || n FROM generate_series(1, 100) AS n`)
  const send = (inboxType: string) => post(ann, { query: user(bo), data: { text: 'x' }, inboxType })
  expect((await send('one more')).body.code).toBe(154)
  expect((await send('kind 7')).status).toBe(201)
  expect((await send('default')).status).toBe(201)
})

it('a page of an inbox has at most 6 MB, and reports that more follows', async () => {
  const [reader] = await makePeople(app, 'owner-of-a-full-inbox')
  const headers = { 'x-forwarded-for': '198.51.100.36' }
  for (let n = 0; n < 20; n++) {
    const body = { query: user(reader), data: { n, text: 'z'.repeat(400 * 1024) }, inboxType: 'kind 8' }
    const { status } = await app.request('POST', '/1.1/statuses', { body, session: reader.session, headers })
    expect(status).toBe(201)
  }
  const page = async (query: Record<string, string>) => {
    const options = { query: { inboxType: 'kind 8', ...query }, session: reader.session, headers }
    return (await app.request('GET', '/1.1/subscribe/statuses', options)).body
  }
  const first = await page({ count: '1' })
  expect(first).toMatchObject({ end: false, count: 20 })
  expect(first.results.map(({ n }: Entry) => n)).toEqual(Array.from({ length: 15 }, (_, n) => 19 - n))
  const rest = await page({ maxId: String(first.results.at(-1).messageId - 1) })
  expect(rest.end).toBe(true)
  expect(rest.results.map(({ n }: Entry) => n)).toEqual([4, 3, 2, 1, 0])
})
