import { describe, expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'

const app = await makeApp()

const send = (method: string, path: string, body?: object, query: Record<string, string> = {}) =>
  app.request(method, `/1.2/rtm/${path}`, { master: true, query, ...(body && { body }) })
const refusal = (code: number, error: string, status = 400) => ({
  status,
  body: { code, error: expect.stringContaining(error) },
})
const done = { status: 200, body: {} }
const make = async (root: string) =>
  `${root}/${(await send('POST', root, { ...(root === 'conversations' && { m: ['ann', 'bob', 'cid'] }) })).body.objectId}`
const clients = (count: number) =>
  Array.from({ length: count }, (_, index) => `client ${String(index).padStart(5, '0')}`)

describe.each([
  ['conversations', 'permanent-silenceds'],
  ['chatrooms', 'permanent-silenceds'],
  ['conversations', 'blacklists'],
  ['chatrooms', 'blacklists'],
  ['service-conversations', 'blacklists'],
])('%s: %s', (root, list) => {
  it('adds, lists and removes clients', async () => {
    const place = await make(root)
    expect(await send('POST', `${place}/${list}`, { client_ids: ['bob', 'cid', 'dan'] })).toMatchObject(done)
    expect(await send('GET', `${place}/${list}`)).toMatchObject({
      status: 200,
      body: { client_ids: ['bob', 'cid', 'dan'] },
    })
    expect(await send('DELETE', `${place}/${list}`, { client_ids: ['cid'] })).toMatchObject(done)
    expect(await send('DELETE', `${place}/${list}`, undefined, { client_ids: '["dan"]' })).toMatchObject(done)
    expect((await send('GET', `${place}/${list}`)).body).toEqual({ client_ids: ['bob'] })
  })

  it('a page has 10 clients and the cursor of the next one', async () => {
    const place = await make(root)
    const all = clients(23)
    await send('POST', `${place}/${list}`, { client_ids: all })
    const found: string[] = []
    const sizes: number[] = []
    for (let next: string | undefined = ''; next !== undefined; ) {
      const { body } = await send('GET', `${place}/${list}`, undefined, next ? { next } : {})
      found.push(...body.client_ids)
      sizes.push(body.client_ids.length)
      next = body.next
    }
    expect(sizes).toEqual([10, 10, 3])
    expect(found).toEqual(all)
    expect((await send('GET', `${place}/${list}`, undefined, { limit: '3' })).body.client_ids).toHaveLength(3)
    expect(await send('GET', `${place}/${list}`, undefined, { next: 'x' })).toMatchObject(refusal(1, "'next'"))
    expect(await send('GET', `${place}/${list}`, undefined, { limit: 'x' })).toMatchObject(refusal(1, "'limit'"))
  })

  it.each(['POST', 'DELETE'])('rejects %s without clients', async (method) => {
    expect(await send(method, `${await make(root)}/${list}`, {})).toMatchObject(refusal(1, "'client_ids' is missing"))
  })

  const most = list === 'permanent-silenceds' || root === 'conversations' ? 500 : 10_000
  it(`accepts at most ${most} clients`, async () => {
    const place = await make(root)
    const convId = place.split('/')[1]
    const table = list === 'blacklists' ? '"$blocks" (conv_id, client_id)' : '"$silences" (conv_id, client_id)'
    await app.sql(`INSERT INTO ${table} SELECT $1, 'on ' || n FROM generate_series(1, $2) AS n`, [convId, most - 1])
    const code = list === 'blacklists' ? 4543 : 4561
    const answer = await send('POST', `${place}/${list}`, { client_ids: ['last', 'one more'] })
    expect(answer).toMatchObject(refusal(code, "'one more'"))
    expect(answer.body.error).toContain(String(most))
    const { rows } = await app.sql(`SELECT count(*)::int AS count FROM ${table.split(' ')[0]} WHERE conv_id = $1`, [
      convId,
    ])
    expect(rows[0].count).toBe(most)
  })
})

describe('blacklists', () => {
  it('a client on the blacklist of a conversation is removed and cannot be added', async () => {
    const place = await make('conversations')
    await send('POST', `${place}/blacklists`, { client_ids: ['bob'] })
    expect((await send('GET', `${place}/members`)).body.result).toEqual(['ann', 'cid'])
    expect(await send('POST', `${place}/members`, { client_ids: ['bob'] })).toMatchObject(
      refusal(4548, 'BLOCKED_BY_CONV'),
    )
    await send('DELETE', `${place}/blacklists`, { client_ids: ['bob'] })
    expect((await send('POST', `${place}/members`, { client_ids: ['bob'] })).status).toBe(200)
  })

  it('a client on the blacklist of a system conversation is unsubscribed and cannot subscribe', async () => {
    const place = await make('service-conversations')
    await send('POST', `${place}/subscribers`, { client_id: 'bob' })
    await send('POST', `${place}/blacklists`, { client_ids: ['bob'] })
    expect((await send('GET', `${place}/subscribers/count`)).body).toEqual({ count: 0 })
    expect(await send('POST', `${place}/subscribers`, { client_id: 'bob' })).toMatchObject(
      refusal(4548, 'BLOCKED_BY_CONV'),
    )
  })
})

describe.each(['conversations', 'chatrooms'])('%s: temporary-silenceds', (root) => {
  const silences = async (place: string) => {
    const { rows } = await app.sql('SELECT client_id, until_ts::float8 AS until FROM "$silences" WHERE conv_id = $1', [
      place.split('/')[1],
    ])
    return rows as { client_id: string; until: number | null }[]
  }

  it('silences a client for some seconds or until lifted', async () => {
    const place = await make(root)
    expect(await send('POST', `${place}/temporary-silenceds`, { client_id: 'bob', ttl: 86_400 })).toMatchObject(done)
    const [silence] = await silences(place)
    expect(silence!.client_id).toBe('bob')
    expect(Math.abs(silence!.until! - Date.now() - 86_400_000)).toBeLessThan(60_000)
    expect(await send('DELETE', `${place}/temporary-silenceds`, undefined, { client_id: 'bob' })).toMatchObject(done)
    expect(await silences(place)).toEqual([])
    await send('POST', `${place}/temporary-silenceds`, { client_id: 'bob', ttl: 5 })
    expect(await send('DELETE', `${place}/temporary-silenceds`, { client_id: 'bob' })).toMatchObject(done)
    expect(await silences(place)).toEqual([])
  })

  it.each([
    [{ ttl: 5 }, "'client_id' is missing"],
    [{ client_id: ['bob'], ttl: 5 }, "'client_id' must be a string"],
    [{ client_id: 'bob' }, "'ttl' is missing"],
    [{ client_id: 'bob', ttl: 'long' }, "'ttl' must be a whole number"],
    [{ client_id: 'bob', ttl: 0 }, "'ttl' must be 1 to 86400 seconds"],
    [{ client_id: 'bob', ttl: 86_401 }, "'ttl' must be 1 to 86400 seconds"],
  ])('rejects %j', async (body, text) => {
    expect(await send('POST', `${await make(root)}/temporary-silenceds`, body)).toMatchObject(refusal(1, text))
  })
})

describe.each(['conversations', 'chatrooms'])('%s: member-infos', (root) => {
  const list = async (place: string, query: Record<string, string> = {}) =>
    (await send('GET', `${place}/member-infos`, undefined, query)).body.results

  it('sets, changes, lists and removes a role', async () => {
    const place = await make(root)
    const given = await send('POST', `${place}/member-infos`, { clientId: 'bob', role: 'Manager' })
    expect(given.status).toBe(200)
    expect(given.body).toEqual({ objectId: expect.stringMatching(/^[0-9a-f]{24}$/), updatedAt: expect.any(String) })
    const { objectId } = given.body
    expect(await list(place)).toEqual([{ objectId, clientId: 'bob', role: 'Manager' }])
    const changed = await send('PUT', `${place}/member-infos/${objectId}`, { clientId: 'bob', role: 'Member' })
    expect(changed).toMatchObject({ status: 200, body: { objectId, updatedAt: expect.any(String) } })
    expect(await list(place)).toEqual([{ objectId, clientId: 'bob', role: 'Member' }])
    expect(await send('PUT', `${place}/member-infos/${objectId}`, { clientId: 'bob' })).toMatchObject({ status: 200 })
    expect(await list(place)).toEqual([{ objectId, clientId: 'bob', role: 'Member' }])
    expect(await send('DELETE', `${place}/member-infos/${objectId}`)).toMatchObject(done)
    expect(await list(place)).toEqual([])
  })

  it('lists roles by pages and by role', async () => {
    const place = await make(root)
    for (const [clientId, role] of [
      ['ann', 'Owner'],
      ['bob', 'Manager'],
      ['cid', 'Manager'],
    ])
      await send('POST', `${place}/member-infos`, { clientId, role })
    const names = async (query: Record<string, string>) =>
      (await list(place, query)).map(({ clientId }: { clientId: string }) => clientId)
    expect(await names({ role: 'Manager' })).toEqual(['bob', 'cid'])
    expect(await names({ skip: '1', limit: '1' })).toEqual(['bob'])
    expect(await send('GET', `${place}/member-infos`, undefined, { role: 'King' })).toMatchObject(
      refusal(4321, "'King'"),
    )
  })

  it('rejects an invalid role, a missing client and an unknown record', async () => {
    const place = await make(root)
    const { objectId } = (await send('POST', `${place}/member-infos`, { clientId: 'bob', role: 'Manager' })).body
    const post = (body: object) => send('POST', `${place}/member-infos`, body)
    expect(await post({ role: 'Manager' })).toMatchObject(refusal(1, "'clientId' is missing"))
    expect(await post({ clientId: 'bob' })).toMatchObject(refusal(1, "'role' is missing"))
    expect(await post({ clientId: 'bob', role: 'King' })).toMatchObject(refusal(4321, "'King'"))
    const put = (id: string, body: object) => send('PUT', `${place}/member-infos/${id}`, body)
    expect(await put(objectId, { role: 'Member' })).toMatchObject(refusal(1, "'clientId' is missing"))
    expect(await put(objectId, { clientId: 'cid', role: 'Member' })).toMatchObject(refusal(1, "'clientId' must be"))
    expect(await put('nowhere', { clientId: 'bob' })).toMatchObject(refusal(1, "Member info 'nowhere' not found", 404))
    expect(await send('DELETE', `${place}/member-infos/nowhere`)).toMatchObject(refusal(1, "'nowhere'", 404))
    const other = await make(root)
    expect(await send('DELETE', `${other}/member-infos/${objectId}`)).toMatchObject(refusal(1, objectId, 404))
    expect(await list(place)).toHaveLength(1)
  })
})

it('rejects endpoints the app has switched off', async () => {
  const place = await make('conversations')
  await app.admin('PATCH', '/settings', { messaging: { memberInfo: false, blacklist: false } })
  for (const [path, body, code] of [
    ['member-infos', { clientId: 'bob', role: 'Manager' }, 4325],
    ['permanent-silenceds', { client_ids: ['bob'] }, 4325],
    ['temporary-silenceds', { client_id: 'bob', ttl: 5 }, 4325],
    ['blacklists', { client_ids: ['bob'] }, 4544],
  ] as const)
    expect(await send('POST', `${place}/${path}`, body)).toMatchObject({ status: 400, body: { code } })
  await app.admin('PATCH', '/settings', { messaging: { memberInfo: true, blacklist: true } })
})
