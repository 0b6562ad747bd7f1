import { describe, expect, it, vi } from 'vitest'
import { makeApp, type Reply, type TestApp } from '../support/app.ts'
import { CERTIFICATE_KEY } from '../support/stand-in-certificate.ts'

const app = await makeApp()

type Fields = Readonly<Record<string, unknown>>

const data = { alert: 'Hello' }
const send = (body: unknown, target: TestApp = app): Promise<Reply> =>
  target.request('POST', '/1.1/push', { body, master: true })
const read = async (id: string, target: TestApp = app) =>
  (await target.request('GET', `/1.1/tables/Notifications/${id}`)).body
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

let devices = 0

/**
 * Creates an Android device on the built-in push channel, as if it had connected.
 * @returns its installationId
 */
async function makeDevice(fields: Fields = {}): Promise<string> {
  // Padded, so that ids sort by number.
  const installationId = `device${String(devices++).padStart(3, '0')}`
  const body = { deviceType: 'android', installationId, ...fields }
  const { body: made } = await app.request('POST', '/1.1/classes/_Installation', { body, master: true })
  const valid = JSON.stringify({ valid: true, ...fields })
  await app.sql(`UPDATE "_Installation" SET data = data || $2 WHERE id = $1`, [made.objectId, valid])
  return installationId
}

/** Waits for the record of a finished push. */
function recordOf(id: string, target: TestApp = app, status = 'done'): Promise<Fields> {
  return vi.waitFor(
    async () => {
      const record = await read(id, target)
      expect(record.status).toBe(status)
      return record
    },
    { timeout: 60_000, interval: 50 },
  )
}

/** Returns the devices with a message of a push. */
async function reached(id: string): Promise<string[]> {
  const { rows } = await app.sql(
    `SELECT installation_id FROM "$push_messages" JOIN "$push_contents" ON id = content_id WHERE push_id = $1 ORDER BY 1`,
    [id],
  )
  return rows.map((row) => row.installation_id)
}

/**
 * Sends to all devices of a condition.
 * @returns the devices reached, when it is done
 */
async function sendTo(target: Fields): Promise<string[]> {
  const { body } = await send({ data, ...target })
  await recordOf(body.objectId)
  return reached(body.objectId)
}

describe('a push to a device token APNs would reject', async () => {
  const apple = await makeApp()
  const servers = { prod: 'http://127.0.0.1:1', dev: 'http://127.0.0.1:1' }
  const apns = { keys: { TEAM: { keyId: 'KEY', privateKey: CERTIFICATE_KEY } }, servers }
  await apple.admin('PATCH', '/settings', { push: { apns } })
  const tokens = ['xxx', 'no-token', 'g'.repeat(64), '3F2A1B0C-0000-4000-8000-00000000000F']
  const device = { deviceType: 'ios', apnsTopic: 'com.example.app', apnsTeamId: 'TEAM' }
  for (const deviceToken of tokens)
    await apple.request('POST', '/1.1/installations', { body: { ...device, deviceToken } })

  it.each([
    ['to installations', '/1.1/push', { where: { deviceType: 'ios' } }],
    [
      'to tokens',
      '/1.1/push/devices',
      { device_type: 'ios', device_ids: tokens, apns_team_id: 'TEAM', topic: 'com.example.app' },
    ],
  ])('is accepted, and reports the token masked: %s', async (_form, path, target) => {
    const { status, body } = await apple.request('POST', path, { body: { data, ...target }, master: true })
    expect(status).toBe(200)
    const record = await recordOf(body.objectId, apple, 'error')
    expect(record).toMatchObject({
      devices: tokens.length,
      successes: 0,
      errors: expect.stringContaining('BadDeviceToken'),
    })
    for (const token of tokens) expect(JSON.stringify(record)).not.toContain(token)
    const kept = await apple.request('GET', '/1.1/installations', { master: true, query: { where: '{"valid":true}' } })
    expect(kept.body.results).toHaveLength(tokens.length)
  })
})

describe('POST /push', () => {
  it('returns the id of the push and its time', async () => {
    const reply = await send({ data, where: { installationId: 'nobody' } })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      objectId: expect.stringMatching(/^[A-Za-z0-9]{16}$/),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(await recordOf(reply.body.objectId)).toMatchObject({ devices: 0, createdAt: reply.body.createdAt })
  })

  it('stores a message per device on the built-in push channel, and records the number of devices', async () => {
    const group = 'own'
    const ids = [await makeDevice({ group }), await makeDevice({ group })]
    await makeDevice({ group: 'other' })
    const { body } = await send({ data: { ...data, n: 1 }, where: { group } })
    expect(await recordOf(body.objectId)).toMatchObject({
      notificationId: body.objectId,
      objectId: body.objectId,
      msg: { alert: 'Hello', n: 1 },
      where: { group, valid: true },
      status: 'done',
      devices: 2,
      successes: 0,
      lcSuccesses: 0,
      prod: 'prod',
      'from-service': 'push',
    })
    expect(await reached(body.objectId)).toEqual(ids)
    const { rows } = await app.sql('SELECT content FROM "$push_contents" WHERE push_id = $1', [body.objectId])
    expect(JSON.parse(rows[0].content)).toMatchObject({ alert: 'Hello', n: 1 })
  })

  it('skips invalid devices and those inactive for three months', async () => {
    const group = 'active'
    const id = await makeDevice({ group })
    await makeDevice({ group, valid: false })
    const old = await makeDevice({ group })
    await app.sql(
      `UPDATE "_Installation" SET updated_at = now() - interval '91 days' WHERE data->>'installationId' = $1`,
      [old],
    )
    expect(await sendTo({ where: { group } })).toEqual([id])
  })

  it('selects by channels, geo points, dates and pointers of devices', async () => {
    const group = 'many'
    const { id: objectId } = await app.makeUser('ann')
    const user = { __type: 'Pointer', className: '_User', objectId }
    const place = { __type: 'GeoPoint', latitude: 60.17, longitude: 24.94 }
    const seenAt = { __type: 'Date', iso: '2026-01-05T08:00:00.000Z' }
    const ann = await makeDevice({ group, user, channels: ['news'] })
    const near = await makeDevice({ group, place, channels: ['news', 'sports'] })
    const seen = await makeDevice({ group, seenAt })
    expect(await sendTo({ where: { group }, channels: ['news'] })).toEqual([ann, near])
    expect(await sendTo({ where: { group }, channels: 'sports' })).toEqual([near])
    expect(await sendTo({ where: { user: { $inQuery: { className: '_User', where: { username: 'ann' } } } } })).toEqual(
      [ann],
    )
    const nearby = { place: { $nearSphere: place, $maxDistanceInKilometers: 1 } }
    expect(await sendTo({ where: nearby, channels: ['news'] })).toEqual([near])
    expect(await sendTo({ where: { seenAt: { $lt: '2026-01-06T00:00:00.000Z' } } })).toEqual([seen])
    expect(await sendTo({ where: JSON.stringify({ group, seenAt }) })).toEqual([seen])
  })

  it('includes in each message the channel that selected the device', async () => {
    const [one] = [await makeDevice({ channels: ['first'] }), await makeDevice({ channels: ['second'] })]
    const { body } = await send({ data, channels: ['first', 'second'] })
    await recordOf(body.objectId)
    const { rows } = await app.sql(
      `SELECT content FROM "$push_messages" JOIN "$push_contents" ON id = content_id
       WHERE push_id = $1 AND installation_id = $2`,
      [body.objectId, one],
    )
    expect(JSON.parse(rows[0].content)).toMatchObject({ alert: 'Hello', _channel: 'first' })
  })

  it('with a used req_id returns the earlier response, also concurrently', async () => {
    const id = await makeDevice({ group: 'once' })
    const body = { data, where: { group: 'once' }, req_id: 'once1' }
    const replies = await Promise.all([send(body), send(body), send(body)])
    expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1)
    expect((await send(body)).body).toEqual(replies[0].body)
    await recordOf(replies[0].body.objectId)
    expect(await reached(replies[0].body.objectId)).toEqual([id])
    const { rows } = await app.sql(
      `SELECT count(*)::int AS count FROM "$pushes" WHERE request->'target'->'where'->>'group' = 'once'`,
    )
    expect(rows).toEqual([{ count: 1 }])
  })

  it('with a notification_id shares the record of that id', async () => {
    await makeDevice({ group: 'shared' })
    const body = { data, where: { group: 'shared' }, notification_id: 'Shared1' }
    const first = (await send(body)).body.objectId
    const second = (await send(body)).body.objectId
    expect(second).not.toBe(first)
    expect(await recordOf(second)).toMatchObject({ notificationId: 'Shared1', objectId: first, devices: 2 })
    expect(await read('Shared1')).toEqual(await read(second))
  })

  it.each([
    [{}, undefined, 'prod'],
    [{ 'x-lc-prod': '1' }, undefined, 'prod'],
    [{ 'x-lc-prod': '0' }, undefined, 'dev'],
    [{ 'x-lc-prod': '0' }, 'prod', 'prod'],
    [{}, 'dev', 'dev'],
  ] as const)('with the headers %j and prod %j targets %s', async (headers, prod, expected) => {
    const body = { data, where: { installationId: 'nobody' }, ...(prod && { prod }) }
    const reply = await app.request('POST', '/1.1/push', { body, headers, master: true })
    expect(await read(reply.body.objectId)).toMatchObject({ prod: expected })
  })

  it.each([
    ['[1]', 107, 'Malformed json object. A json dictionary is expected. The body must be a JSON object.'],
    [{}, 107, "Malformed json object. A json dictionary is expected. 'data' must be a JSON object, the content"],
    [{ data, channels: ['a b'] }, 112, 'Invalid channel name.'],
    [{ data, where: { level: { $nope: 1 } } }, 102, 'Invalid query.'],
    [{ data, where: { owner: { $inQuery: { where: {} } } } }, 102, 'Invalid query.'],
    [{ data, cql: 'select * from Post' }, 1, "'cql' must select from _Installation"],
    [{ data, cql: 'select * from _Installation where level' }, 300, 'CQL syntax error.Detail: Parse error at line 1'],
    [
      { data, cql: "select * from _Installation where owner in (select * from _User where a < pointer('A', 'b'))" },
      102,
      'Invalid query.',
    ],
    [{ data, expiration_time: '2001-01-01T00:00:00.000Z' }, 1, "'expiration_time' must be later"],
    [{ data: { alert: 'a'.repeat(4096) } }, 1, 'A push must have fewer than 4096 bytes as JSON'],
  ])('rejects %.60j with code %i', async (body, code, text) => {
    const reply = await send(body)
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({ code, error: expect.stringContaining(text) })
  })
})

describe('POST /push/devices', () => {
  it('reaches devices by id, installations or not', async () => {
    const id = await makeDevice()
    const body = { data, device_type: 'android', device_ids: [id, 'stranger'], channel: 'quiet' }
    const reply = await app.request('POST', '/1.1/push/devices', { body, master: true })
    expect(reply.status).toBe(200)
    const { objectId } = reply.body
    expect(await recordOf(objectId)).toMatchObject({
      devices: 2,
      msg: { alert: 'Hello', _notificationChannel: 'quiet' },
      where: { device_type: 'android', device_ids: 2 },
    })
    expect(await reached(objectId)).toEqual([id, 'stranger'])
  })

  it('rejects invalid members and names them', async () => {
    const body = { data, device_ids: ['a'] }
    const reply = await app.request('POST', '/1.1/push/devices', { body, master: true })
    expect(reply.status).toBe(400)
    expect(reply.body).toEqual({ code: 1, error: expect.stringContaining("'device_type' must be 'android' or 'ios'") })
  })
})

describe('scheduled pushes', () => {
  const list = async () => (await app.request('GET', '/1.1/scheduledPushMessages', { master: true })).body.results

  it('wait, are listed, and are never sent once canceled', async () => {
    await makeDevice({ group: 'later' })
    const push_time = inAnHour()
    const { body } = await send({ data, where: { group: 'later' }, push_time })
    expect(await read(body.objectId)).toMatchObject({ status: 'scheduled', 'push-time': push_time })
    const [listed] = await list()
    expect(listed).toMatchObject({
      id: expect.any(Number),
      expire_time: Date.parse(push_time),
      push_msg: {
        id: body.objectId,
        'app-id': app.appId,
        msg: data,
        where: { query: { group: 'later', valid: true } },
      },
    })
    const path = `/1.1/scheduledPushMessages/${listed.id}`
    const cancelled = await app.request('DELETE', path, { master: true })
    expect([cancelled.status, cancelled.body]).toEqual([200, {}])
    expect(await list()).toEqual([])
    // Makes its job due now; it has nothing to do.
    const due = `UPDATE homeport.jobs SET run_at = now() WHERE payload->>'pushId' = $1`
    await app.sql(due, [body.objectId])
    await vi.waitFor(
      async () => {
        const jobs = await app.sql(`SELECT FROM homeport.jobs WHERE payload->>'pushId' = $1`, [body.objectId])
        expect(jobs.rowCount).toBe(0)
      },
      { timeout: 60_000 },
    )
    expect(await reached(body.objectId)).toEqual([])
    const again = await app.request('DELETE', path, { master: true })
    expect([again.status, again.body.code]).toEqual([404, 1])
  })

  it('are sent when due', async () => {
    const id = await makeDevice({ group: 'in time' })
    const { body } = await send({ data, where: { group: 'in time' }, push_time: inAnHour() })
    await app.sql(`UPDATE homeport.jobs SET run_at = now() WHERE payload->>'pushId' = $1`, [body.objectId])
    expect(await recordOf(body.objectId)).toMatchObject({ devices: 1 })
    expect(await reached(body.objectId)).toEqual([id])
    expect(await list()).toEqual([])
  })

  it.each(['abc', '1.5', '-1', '99999999999999999999'])('are not found under the id %s', async (id) => {
    const reply = await app.request('DELETE', `/1.1/scheduledPushMessages/${id}`, { master: true })
    expect([reply.status, reply.body.code]).toEqual([404, 1])
  })

  it('accept the master key', async () => {
    expect((await app.request('GET', '/1.1/scheduledPushMessages')).status).toBe(401)
    expect((await app.request('DELETE', '/1.1/scheduledPushMessages/1')).status).toBe(401)
  })
})

describe('notifications', () => {
  const get = (path: string, query: Record<string, string> = {}) => app.request('GET', path, { query, master: true })

  it('are listed newest first, in pages', async () => {
    const older = (await send({ data, where: { installationId: 'nobody' } })).body.objectId
    await recordOf(older)
    const newer = (await send({ data, where: { installationId: 'nobody' } })).body.objectId
    await recordOf(newer)
    const listed = async (query: Record<string, string>) =>
      (await get('/1.1/notifications', query)).body.results.map((record: { objectId: string }) => record.objectId)
    expect((await listed({})).slice(0, 2)).toEqual([newer, older])
    expect(await listed({ limit: '1' })).toEqual([newer])
    expect(await listed({ limit: '1', skip: '1' })).toEqual([older])
    const wrong = await get('/1.1/notifications', { skip: 'x' })
    expect([wrong.status, wrong.body.code]).toEqual([400, 1])
  })

  it('are read and deleted by id; a deleted one is not sent', async () => {
    const { body } = await send({ data, push_time: inAnHour(), notification_id: 'Doomed' })
    const record = await get('/1.1/notifications/Doomed')
    expect(record.body).toMatchObject({ notificationId: 'Doomed', objectId: body.objectId, status: 'scheduled' })
    const deleted = await app.request('DELETE', '/1.1/notifications/Doomed', { master: true })
    expect([deleted.status, deleted.body]).toEqual([200, {}])
    expect((await app.sql('SELECT FROM "$pushes" WHERE id = $1', [body.objectId])).rowCount).toBe(0)
    for (const path of ['/1.1/notifications/Doomed', `/1.1/tables/Notifications/${body.objectId}`]) {
      const missing = await get(path)
      expect([missing.status, missing.body.code]).toEqual([404, 1])
    }
    const again = await app.request('DELETE', '/1.1/notifications/Doomed', { master: true })
    expect([again.status, again.body.code]).toEqual([404, 1])
  })
})

describe('clients', () => {
  const asClient = (method: string, path: string, body?: unknown) => app.request(method, path, { body })

  it('can neither push nor see or delete pushes', async () => {
    const { objectId } = (await send({ data, where: { installationId: 'nobody' } })).body
    const refusals = [
      await asClient('POST', '/1.1/push', { data }),
      await asClient('POST', '/1.1/push/devices', { data, device_type: 'ios', device_ids: ['a'] }),
      await asClient('GET', '/1.1/notifications'),
      await asClient('GET', `/1.1/notifications/${objectId}`),
      await asClient('DELETE', `/1.1/notifications/${objectId}`),
    ]
    for (const { status, body } of refusals) {
      expect(status).toBe(403)
      expect(body).toEqual({ code: 403, error: expect.stringContaining('push.restrictClientPush') })
    }
    expect((await asClient('GET', `/1.1/tables/Notifications/${objectId}`)).status).toBe(200)
  })

  it('can push when the app allows it', async () => {
    await app.admin('PATCH', '/settings', { push: { restrictClientPush: false } })
    const reply = await asClient('POST', '/1.1/push', { data, where: { installationId: 'nobody' } })
    expect(reply.status).toBe(200)
    const { status, body } = await asClient('GET', `/1.1/notifications/${reply.body.objectId}`)
    expect([status, body.objectId]).toEqual([200, reply.body.objectId])
    expect((await asClient('GET', '/1.1/scheduledPushMessages')).status).toBe(401)
    await app.admin('PATCH', '/settings', { push: { restrictClientPush: true } })
    expect((await asClient('POST', '/1.1/push', { data })).status).toBe(403)
  })
})

it('rejects pushes beyond the calls per minute with 429', async () => {
  const limited = await makeApp()
  await limited.admin('PATCH', '/settings', { push: { limits: { calls: 2 } } })
  const body = { data, where: { installationId: 'nobody' } }
  const statuses: number[] = []
  // Six calls span at most two minutes, so at least two exceed the limit.
  for (let call = 0; call < 6; call++) statuses.push((await send(body, limited)).status)
  expect(statuses.slice(0, 2)).toEqual([200, 200])
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2)
  expect(statuses.every((status) => status === 200 || status === 429)).toBe(true)
})
