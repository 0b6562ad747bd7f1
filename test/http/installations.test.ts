import { describe, expect, it } from 'vitest'
import { makeApp, type Reply } from '../support/app.ts'

const app = await makeApp()

let count = 0
/** Returns a device token that no other test uses. */
const newToken = () => (++count).toString(16).padStart(64, 'a')

const post = (body: object, options = {}) => app.request('POST', '/1.1/installations', { body, ...options })
const put = (id: string, body: object) => app.request('PUT', `/1.1/installations/${id}`, { body })
const get = async (id: string) => (await app.request('GET', `/1.1/installations/${id}`, { master: true })).body
const find = async (where: object) => {
  const query = { where: JSON.stringify(where) }
  return (await app.request('GET', '/1.1/installations', { master: true, query })).body.results
}

interface Request {
  readonly master?: boolean
  readonly body?: object
  readonly query?: Record<string, string>
}

/** Sends a request in one of the possible ways, and returns the body of the response or error. */
type Way = (method: string, path: string, request: Request) => Promise<Reply['body']>

const ways: Record<string, Way> = {
  directly: async (method, path, request) => (await app.request(method, path, request)).body,
  'in a batch': async (method, path, { body, query, ...who }) => {
    const requests = [{ method, path, body, params: query }]
    const [item] = (await app.request('POST', '/1.1/batch', { body: { requests }, ...who })).body
    return item.error ?? item.success
  },
  'through the tunnel': async (method, path, { body, query, ...who }) => {
    const headers = { 'content-type': 'text/plain' }
    return (await app.request('POST', path, { headers, body: { _method: method, ...body, ...query }, ...who })).body
  },
}

const collections = ['/1.1/installations', '/1.1/classes/_Installation', '/1/installations']

describe.each(collections)('%s', (collection) => {
  it.each(Object.keys(ways))('accepts all verbs %s', async (name) => {
    const way = ways[name]!
    const deviceToken = newToken()
    const made = await way('POST', collection, { body: { deviceType: 'ios', deviceToken, channels: ['news'] } })
    expect(made).toEqual({ objectId: expect.any(String), createdAt: expect.any(String) })
    const path = `${collection}/${made.objectId}`
    expect((await way('POST', collection, { body: { deviceToken, level: 1 } })).objectId).toBe(made.objectId)

    const channels = { __op: 'AddUnique', objects: ['news', 'chess'] }
    expect(await way('PUT', path, { body: { channels, level: { __op: 'Increment' } } })).toEqual({
      objectId: made.objectId,
      updatedAt: expect.any(String),
    })
    const shown = { deviceType: 'ios', channels: ['news', 'chess'], level: 2, valid: true, badge: 0 }
    const all = { ...shown, deviceToken }
    // Only the administrator can read device tokens.
    expect(await way('GET', path, {})).toEqual({ ...made, updatedAt: expect.any(String), ...shown })
    expect(await way('GET', path, { master: true })).toEqual({ ...made, updatedAt: expect.any(String), ...all })

    const query = { where: JSON.stringify({ deviceToken }) }
    expect((await way('GET', collection, { query })).code).toBe(403)
    expect((await way('GET', collection, { master: true, query })).results).toEqual([expect.objectContaining(all)])

    expect((await way('DELETE', path, {})).code).toBe(403)
    expect(await way('DELETE', path, { master: true })).toEqual({})
    expect(await way('GET', path, {})).toEqual(name === 'in a batch' ? null : {})
    expect((await way('PUT', path, { body: { level: 3 } })).code).toBe(1)
  })

  it.each(Object.keys(ways))('rejects bad values %s', async (name) => {
    const way = ways[name]!
    const { objectId } = await way('POST', collection, { body: { deviceToken: newToken() } })
    for (const [body, code] of [
      [{ deviceToken: 'no token' }, 114],
      [{ channels: ['a b'] }, 112],
      [{ channels: { __op: 'AddUnique', objects: ['a b'] } }, 112],
      [{ channels: 'news' }, 111],
      [{ installationId: 12 }, 111],
      [{ badge: '1' }, 111],
      [{ valid: 1 }, 111],
      [{ timeZone: 2 }, 111],
      [{ vendor: true }, 111],
      [{ deviceProfile: 'a-b' }, 1],
    ] as const) {
      expect((await way('POST', collection, { body })).code, JSON.stringify(body)).toBe(code)
      expect((await way('PUT', `${collection}/${objectId}`, { body })).code, JSON.stringify(body)).toBe(code)
    }
  })
})

describe('POST /installations', () => {
  it('returns 201 for a new device, and 200 with the same id for a known one', async () => {
    const body = { deviceType: 'android', installationId: 'twice' }
    const first = await post(body)
    const second = await post(body)
    expect([first.status, second.status]).toEqual([201, 200])
    expect(first.headers.get('location')).toBe(`/1.1/classes/_Installation/${first.body.objectId}`)
    expect(second.headers.get('location')).toBe(first.headers.get('location'))
    expect(second.body).toEqual({ ...first.body, updatedAt: expect.any(String) })
  })

  it('returns the saved object on request', async () => {
    const body = { deviceType: 'android', installationId: 'shown', channels: [''], timeZone: 'Europe/Helsinki' }
    const query = { fetchWhenSave: 'true' }
    const made = await post(body, { query })
    expect(made.body).toMatchObject({ ...body, valid: false, createdAt: made.body.updatedAt })
    const channels = { __op: 'AddUnique', objects: ['news'] }
    const again = await post({ installationId: 'shown', channels }, { query })
    expect(again.body).toEqual({
      objectId: made.body.objectId,
      createdAt: made.body.createdAt,
      updatedAt: expect.any(String),
      installationId: 'shown',
      channels: ['', 'news'],
    })
  })

  it.each([false, true])(
    'for one new device 50 times concurrently creates one record; with the master key: %s',
    async (master) => {
      const installationId = `stormy ${master}`
      const replies = await Promise.all(
        Array.from({ length: 50 }, () => post({ deviceType: 'android', installationId }, { master })),
      )
      expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
      expect(new Set(replies.map(({ body }) => body.objectId)).size).toBe(1)
      expect(await find({ installationId })).toHaveLength(1)
    },
  )

  it('is rejected when the class is closed to clients, also for a known device', async () => {
    const { objectId } = (await post({ installationId: 'closed' })).body
    const close = (create: string) => app.admin('PATCH', '/classes/_Installation', { permissions: { create } })
    const closed = await close('master')
    expect(closed.status).toBe(200)
    expect((await post({ installationId: 'closed', level: 1 })).body.code).toBe(403)
    expect((await post({ installationId: 'closed', level: 2 }, { master: true })).body.objectId).toBe(objectId)
    await close('public')
    expect((await get(objectId)).level).toBe(2)
  })
})

describe('PUT /installations/:objectId', () => {
  it('takes a token from another device, and returns the changes', async () => {
    const [token, other] = [newToken(), newToken()]
    const phone = (await post({ deviceType: 'ios', deviceToken: token })).body.objectId
    const old = (await post({ deviceType: 'ios', deviceToken: other })).body.objectId
    const changed = await app.request('PUT', `/1.1/installations/${phone}`, {
      body: { deviceToken: other, level: 1 },
      query: { fetchWhenSave: 'true' },
    })
    expect(changed.body).toEqual({ objectId: phone, updatedAt: expect.any(String), level: 1 })
    expect(await get(old)).toEqual({})
  })

  it('with a failed condition changes nothing, including the device that holds the token', async () => {
    const token = newToken()
    const phone = (await post({ installationId: 'conditional', level: 1 })).body.objectId
    const old = (await post({ deviceToken: token })).body.objectId
    const change = (level: number) =>
      app.request('PUT', `/1.1/installations/${phone}`, {
        body: { deviceToken: token },
        query: { where: JSON.stringify({ level }) },
      })
    expect((await change(2)).body.code).toBe(305)
    expect((await get(old)).deviceToken).toBe(token)
    expect((await change(1)).body.objectId).toBe(phone)
  })

  it('keeps an id that a client tries to remove', async () => {
    const { objectId } = (await post({ installationId: 'kept' })).body
    expect((await put(objectId, { installationId: { __op: 'Delete' } })).body.code).toBe(119)
    expect((await get(objectId)).installationId).toBe('kept')
  })

  it('on many connections concurrently loses no channel', async () => {
    const { objectId } = (await post({ installationId: 'busy' })).body
    const channels = Array.from({ length: 20 }, (_, index) => `c${index}`)
    await Promise.all(channels.map((name) => put(objectId, { channels: { __op: 'AddUnique', objects: [name] } })))
    expect((await get(objectId)).channels.toSorted()).toEqual(channels.toSorted())
  })
})

describe('POST /batch/save', () => {
  it('with a complete record updates the existing one, keyed by the id from the client', async () => {
    const deviceToken = newToken()
    const record = { deviceType: 'ios', deviceToken, channels: ['news'], timeZone: 'Asia/Shanghai', badge: 0 }
    const save = async (internalId: string, fields: object) => {
      const body = { ...record, ...fields, __internalId: internalId, __children: [] }
      const requests = [{ method: 'POST', path: '/1.1/installations', body }]
      return (await app.request('POST', '/1.1/batch/save', { body: { requests } })).body
    }
    const { temporary } = await save('temporary', {})
    const id = temporary.objectId
    const again = await save(id, { badge: 2, channels: ['news', 'chess'] })
    expect(again[id]).toMatchObject({ objectId: id, updatedAt: expect.any(String) })
    expect(await get(id)).toMatchObject({ ...record, badge: 2, channels: ['news', 'chess'], valid: true })
  })
})

// An Android device keeps its object id when its app moves to this server.
describe('a PUT of an unknown installation', () => {
  let devices = 0
  const newDevice = () => ({
    id: `0123456789abcdef0123${(++devices).toString().padStart(4, '0')}`,
    name: `moved-${devices}`,
  })

  it('saves a device with an installation id under its object id', async () => {
    const { id, name } = newDevice()
    const body = { installationId: name, deviceType: 'android', timeZone: 'Asia/Shanghai', channels: ['news'] }
    const made = await put(id, body)
    expect([made.status, made.body]).toEqual([
      200,
      { objectId: id, createdAt: expect.any(String), updatedAt: made.body.createdAt },
    ])
    expect(await get(id)).toEqual({ ...made.body, ...body, valid: false })
    const again = await put(id, { installationId: name, channels: ['chess'] })
    expect(again.body).toEqual({ objectId: id, updatedAt: expect.any(String) })
    expect((await find({ installationId: name })).map(({ channels }: { channels: string[] }) => channels)).toEqual([
      ['chess'],
    ])
    expect((await post({ installationId: name, n: 1 })).body.objectId).toBe(id)
  })

  it('updates the existing record of the device, and returns its id', async () => {
    const { id, name } = newDevice()
    const { objectId } = (await post({ installationId: name, deviceType: 'android', channels: ['news'] })).body
    const { status, body } = await put(id, { installationId: name, level: 1 })
    expect([status, body]).toEqual([200, { objectId, updatedAt: expect.any(String) }])
    expect(await find({ installationId: name })).toMatchObject([{ objectId, level: 1, channels: ['news'] }])
    expect(await get(id)).toEqual({})
  })

  it('returns the object on request', async () => {
    const { id, name } = newDevice()
    const query = { fetchWhenSave: 'true' }
    const body = { installationId: name, deviceType: 'android' }
    const reply = await app.request('PUT', `/1.1/installations/${id}`, { body, query })
    expect(reply.body).toMatchObject({ objectId: id, ...body, valid: false })
  })

  it('can carry a complete record split into several requests', async () => {
    const { id, name } = newDevice()
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, n) => put(id, { installationId: name, deviceType: 'android', [`n${n}`]: n })),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(12).fill(200))
    const [found, ...others] = await find({ installationId: name })
    expect([found.objectId, others]).toEqual([id, []])
    for (let n = 0; n < 12; n++) expect(found[`n${n}`]).toBe(n)
  })

  it('without an installation id gets error 1, and with a condition 305', async () => {
    const { id, name } = newDevice()
    for (const body of [{ level: 1 }, { deviceToken: newToken() }, { channels: [] }])
      expect(await put(id, body)).toMatchObject({ status: 400, body: { code: 1 } })
    const query = { where: '{"level":1}' }
    const conditional = await app.request('PUT', `/1.1/installations/${id}`, { body: { installationId: name }, query })
    expect(conditional).toMatchObject({ status: 400, body: { code: 305 } })
    expect(await get(id)).toEqual({})
  })

  it('creates nothing when installations cannot be created', async () => {
    const { id, name } = newDevice()
    await app.admin('PATCH', '/classes/_Installation', { permissions: { create: 'master' } })
    expect(await put(id, { installationId: name })).toMatchObject({ status: 403 })
    await app.admin('PATCH', '/classes/_Installation', { permissions: { create: 'public' } })
    expect(await find({ installationId: name })).toEqual([])
  })
})

describe('a device token', () => {
  it.each(['ios', 'macos', 'tvos', 'watchos'])(
    'of %s is stored unchanged, even if APNs would reject it',
    async (deviceType) => {
      const stored = async (id: string) =>
        (await app.request('GET', `/1.1/installations/${id}`, { master: true })).body.deviceToken
      for (const token of [
        'xxx',
        'no-token',
        '0',
        '3F2A1B0C-0000-4000-8000-00000000000F',
        'g'.repeat(64),
        '0'.repeat(65),
      ]) {
        const deviceToken = `${token}${deviceType}`
        const { status, body } = await post({ deviceType, deviceToken })
        expect([status, await stored(body.objectId)]).toEqual([201, deviceToken])
        expect((await post({ deviceType, deviceToken, level: 1 })).body.objectId).toBe(body.objectId)
        expect(await put(body.objectId, { deviceToken: `${deviceToken}-2` })).toMatchObject({ status: 200 })
        expect(await stored(body.objectId)).toBe(`${deviceToken}-2`)
      }
      const { objectId } = (await post({ deviceType, deviceToken: newToken() })).body
      for (const none of ['no token', '令牌', 'x'.repeat(201)])
        expect(await put(objectId, { deviceToken: none })).toMatchObject({ status: 400, body: { code: 114 } })
    },
  )

  it('of another device type is stored unchanged', async () => {
    const deviceToken = 'fcm:APA91bG-x_y.z'
    const { status, body } = await post({ deviceType: 'android', deviceToken })
    expect(status).toBe(201)
    expect((await post({ deviceToken, level: 1 })).body.objectId).toBe(body.objectId)
  })
})

describe('an unrelated client', () => {
  it('that knows an id can neither read nor filter by push addresses', async () => {
    const secrets = { deviceToken: newToken(), registrationId: `registration ${count}` }
    const installationId = `private ${count}`
    const { body } = await post({ deviceType: 'android', vendor: 'mi', installationId, ...secrets })
    const pointer = { __type: 'Pointer', className: '_Installation', objectId: body.objectId }
    const owner = await app.request('POST', '/1.1/classes/Owner', { body: { device: pointer } })
    const include = { query: { include: 'device', keys: 'device.deviceToken,device.registrationId,device.vendor' } }
    const shown = [
      (await app.request('GET', `/1.1/installations/${body.objectId}`)).body,
      (await app.request('GET', `/1.1/classes/_Installation/${body.objectId}`, { query: { keys: 'deviceToken' } }))
        .body,
      (await app.request('GET', `/1.1/classes/Owner/${owner.body.objectId}`, include)).body,
      (await app.request('GET', '/1.1/classes/Owner', include)).body,
      (await put(body.objectId, { vendor: 'mi', level: 1 })).body,
      (
        await app.request('PUT', `/1.1/installations/${body.objectId}`, {
          query: { fetchWhenSave: 'true' },
          body: { level: 2 },
        })
      ).body,
    ]
    expect(shown[2].device.vendor).toBe('mi')
    for (const secret of Object.values(secrets)) expect(JSON.stringify(shown)).not.toContain(secret)
    // The Java client replaces all its data with the response.
    expect(shown[0].installationId).toBe(installationId)

    await app.admin('PATCH', '/classes/_Installation', { permissions: { find: 'public' } })
    const ask = (query: Record<string, string>) => app.request('GET', '/1.1/installations', { query })
    expect(JSON.stringify((await ask({ limit: '1000' })).body)).not.toContain(secrets.deviceToken)
    for (const query of [
      { where: JSON.stringify({ deviceToken: { $regex: '^a' } }) },
      { where: JSON.stringify({ registrationId: secrets.registrationId }) },
      { order: 'deviceToken' },
    ])
      expect((await ask(query)).status).toBe(403)
    await app.admin('PATCH', '/classes/_Installation', { permissions: { find: 'master' } })
    expect((await get(body.objectId)).deviceToken).toBe(secrets.deviceToken)
  })

  it('neither changes nor deletes the record of a device whose ACL is limited to its user', async () => {
    const user = await app.makeUser(`owner of ${++count}`)
    const ids = { installationId: `guarded ${count}`, deviceToken: newToken() }
    const acl = { [user.id]: { read: true, write: true } }
    const { body } = await post({ deviceType: 'ios', ...ids, ACL: acl }, { session: user.session })
    const own = await post({ deviceType: 'ios', deviceToken: newToken() })
    const { installationId, deviceToken } = ids
    const attempts = [
      await post({ installationId, deviceToken: newToken() }),
      await post({ deviceToken, channels: ['mine'] }),
      await post({ objectId: own.body.objectId, deviceToken }),
      await post({ installationId: `guarded ${++count}`, deviceToken }),
      await put(own.body.objectId, { installationId }),
      await put(own.body.objectId, { deviceToken }),
      await put(body.objectId, { deviceToken: newToken() }),
    ]
    expect(attempts.map(({ status }) => status)).toEqual(attempts.map(() => 403))
    expect(await get(body.objectId)).toMatchObject(ids)
    const again = await post({ ...ids, channels: ['news'] }, { session: user.session })
    expect(again.body.objectId).toBe(body.objectId)
  })
})
