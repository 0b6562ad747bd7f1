import { describe, expect, inject, test } from 'vitest'
import { call, makeApp, type Reply } from '../support/app.ts'

const url = inject('serverUrl')
const admin = (
  method: string,
  path: string,
  body?: unknown,
  token = `Bearer ${inject('adminToken')}`,
): Promise<Reply> => call(url, method, path, { authorization: token, 'content-type': 'application/json' }, body)

const tryKey = async (appId: string, key: string) =>
  (await call(url, 'GET', '/1.1/classes/_Role', { 'x-lc-id': appId, 'x-lc-key': key }, undefined)).status

const app = await makeApp()

describe('authorization', () => {
  test.each([
    ['GET', '/admin/apps'],
    ['POST', '/admin/apps'],
    ['GET', `/admin/apps/${app.appId}`],
    ['PATCH', `/admin/apps/${app.appId}`],
    ['DELETE', `/admin/apps/${app.appId}`],
    ['GET', `/admin/apps/${app.appId}/settings`],
    ['PATCH', `/admin/apps/${app.appId}/settings`],
    ['GET', `/admin/apps/${app.appId}/classes`],
    ['DELETE', `/admin/apps/${app.appId}/classes/Post`],
    ['GET', '/admin/apps/nobody'],
  ])('%s %s requires the administrator token', async (method, path) => {
    const body = method === 'GET' ? undefined : {}
    const token = inject('adminToken')
    for (const wrong of [
      '',
      'Bearer',
      'Bearer ',
      `Bearer ${token}x`,
      `Bearer ${token.slice(1)}`,
      `Basic ${token}`,
      token,
      `Bearer ${app.masterKey}`,
    ]) {
      const { status, body: answer } = await admin(method, path, body, wrong)
      expect({ wrong, status, answer }).toEqual({ wrong, status: 401, answer: { code: 401, error: 'Unauthorized.' } })
    }
  })

  test('rejects keys of an app', async () => {
    const { status } = await app.request('GET', '/admin/apps', { master: true })
    expect(status).toBe(401)
  })
})

describe('apps', () => {
  test('are created, read, listed, changed and deleted', async () => {
    const made = await admin('POST', '/admin/apps', { name: 'shop', ownerEmail: 'owner@example.org' })
    expect(made.status).toBe(201)
    const { appId } = made.body
    expect(made.headers.get('location')).toBe(`/admin/apps/${appId}`)
    expect(made.body).toEqual({
      appId: expect.stringMatching(/^[A-Za-z0-9]{24}$/),
      name: 'shop',
      fileUrls: [],
      appKey: expect.stringMatching(/^[A-Za-z0-9]{24}$/),
      masterKey: expect.stringMatching(/^[A-Za-z0-9]{24}$/),
      hookKey: expect.stringMatching(/^[A-Za-z0-9]{24}$/),
      ownerEmail: 'owner@example.org',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect((await admin('GET', `/admin/apps/${appId}`)).body).toEqual(made.body)
    expect((await admin('GET', '/admin/apps')).body.apps).toContainEqual(made.body)

    const changed = await admin('PATCH', `/admin/apps/${appId}`, { name: 'store', ownerEmail: null })
    expect(changed.body).toEqual({ ...made.body, name: 'store', ownerEmail: null })
    expect(await tryKey(appId, made.body.appKey)).toBe(200)

    expect((await admin('DELETE', `/admin/apps/${appId}`)).status).toBe(200)
    expect(await tryKey(appId, made.body.appKey)).toBe(401)
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await admin(method, `/admin/apps/${appId}`)
      expect({ status, body }).toEqual({
        status: 404,
        body: { code: 1, error: `App '${appId}' not found.` },
      })
    }
    const { rows } = await app.sql('SELECT FROM information_schema.schemata WHERE schema_name = $1', [`app_${appId}`])
    expect(rows).toEqual([])
  })

  test('accept a given id and keys; a taken id gets error 137', async () => {
    const keys = {
      appId: 'brought-gzGzoHsz',
      appKey: 'brought-app-key',
      masterKey: 'brought-master-key',
      hookKey: 'brought-hook-key',
    }
    const made = await admin('POST', '/admin/apps', keys)
    expect(made.body).toMatchObject({ ...keys, name: 'app', ownerEmail: null })
    expect(await tryKey(keys.appId, 'brought-master-key,master')).toBe(200)
    const again = await admin('POST', '/admin/apps', keys)
    expect([again.status, again.body.code]).toEqual([400, 137])
    await admin('DELETE', `/admin/apps/${keys.appId}`)
    // The id is available again, and the new app is empty.
    expect((await admin('POST', '/admin/apps', keys)).status).toBe(201)
    expect(await tryKey(keys.appId, 'brought-app-key')).toBe(200)
    await admin('DELETE', `/admin/apps/${keys.appId}`)
  })

  test('rotated keys: the old ones stop working at once', async () => {
    const { body: before } = await admin('POST', '/admin/apps', {})
    const { body: after } = await admin('PATCH', `/admin/apps/${before.appId}`, { rotateKeys: true })
    expect(await tryKey(before.appId, before.appKey)).toBe(401)
    expect(await tryKey(before.appId, `${before.masterKey},master`)).toBe(401)
    expect(await tryKey(before.appId, after.appKey)).toBe(200)
    expect(after).toMatchObject({ appId: before.appId, name: before.name })
    await admin('DELETE', `/admin/apps/${before.appId}`)
  })

  test.each([
    [{ nonsense: 1 }, /nonsense/],
    [{ name: '' }, /^name: /],
    [{ name: 1 }, /^name: /],
    [{ ownerEmail: 'nobody' }, /^ownerEmail: /],
    [{ appId: 'a b' }, /'appId' must be 1 to 48/],
    [{ appKey: 'short' }, /A key must have 8 to 128 printable characters/],
    [{ appKey: 'comma,comma' }, /A key must have/],
    [{ appKey: 'same-key-twice', masterKey: 'same-key-twice' }, /must differ/],
    [[], /body: /],
  ])('rejects %j with the reason', async (body, text) => {
    const { status, body: answer } = await admin('POST', '/admin/apps', body)
    expect([status, answer.code]).toEqual([400, 1])
    expect(answer.error).toMatch(text)
  })
})

describe('settings', () => {
  const settings = `/admin/apps/${app.appId}/settings`

  test('have defaults', async () => {
    expect((await admin('GET', settings)).body).toMatchObject({
      storage: { returnAclInQueries: false, clientClassCreation: true },
    })
  })

  test('PATCH merges (RFC 7396): omitted settings stay, null restores the default', async () => {
    const patch = async (body: object) => (await admin('PATCH', settings, body)).body.storage
    expect(await patch({ storage: { returnAclInQueries: true } })).toEqual({
      returnAclInQueries: true,
      clientClassCreation: true,
    })
    expect(await patch({ storage: { clientClassCreation: false } })).toEqual({
      returnAclInQueries: true,
      clientClassCreation: false,
    })
    expect(await patch({})).toEqual({ returnAclInQueries: true, clientClassCreation: false })
    expect(await patch({ storage: { returnAclInQueries: null } })).toEqual({
      returnAclInQueries: false,
      clientClassCreation: false,
    })
    expect(await patch({ storage: null })).toEqual({ returnAclInQueries: false, clientClassCreation: true })
    expect((await admin('GET', settings)).body.storage).toEqual({
      returnAclInQueries: false,
      clientClassCreation: true,
    })
  })

  test.each([
    [{ nonsense: true }, /nonsense/],
    [{ storage: { nonsense: 1, returnAclInQueries: true } }, /nonsense/],
    [{ storage: { returnAclInQueries: 'yes' } }, /storage\.returnAclInQueries/],
    [{ storage: true }, /storage/],
    [JSON.parse('{"__proto__":{"storage":1}}'), /__proto__/],
    [[], /JSON object/],
  ])('rejects %j by name, and changes nothing', async (patch, text) => {
    const { status, body } = await admin('PATCH', settings, patch)
    expect(status).toBe(400)
    expect(body.error).toMatch(text)
    expect((await admin('GET', settings)).body.storage).toEqual({
      returnAclInQueries: false,
      clientClassCreation: true,
    })
  })

  test('concurrent changes are all kept', async () => {
    await Promise.all([
      admin('PATCH', settings, { storage: { returnAclInQueries: true } }),
      admin('PATCH', settings, { storage: { clientClassCreation: false } }),
    ])
    expect((await admin('GET', settings)).body.storage).toEqual({
      returnAclInQueries: true,
      clientClassCreation: false,
    })
    await admin('PATCH', settings, { storage: null })
  })

  test('take effect at once: class creation by clients', async () => {
    await admin('PATCH', settings, { storage: { clientClassCreation: false } })
    const refused = await app.request('POST', '/1.1/classes/ByClient', { body: {} })
    expect([refused.status, refused.body.code]).toEqual([403, 403])
    expect((await app.request('POST', '/1.1/classes/ByClient', { body: {}, master: true })).status).toBe(201)
    expect((await app.request('POST', '/1.1/classes/ByClient', { body: {} })).status).toBe(201)
    await admin('PATCH', settings, { storage: null })
  })

  test('of an unknown app are 404', async () => {
    expect((await admin('GET', '/admin/apps/nobody/settings')).status).toBe(404)
    expect((await admin('PATCH', '/admin/apps/nobody/settings', {})).status).toBe(404)
  })
})
