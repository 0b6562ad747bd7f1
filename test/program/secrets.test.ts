import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import { runProgram } from '../support/program.ts'

const KEYS = {
  HOMEPORT_APP_ID: 'guarded',
  HOMEPORT_APP_KEY: 'guarded-app-key-5yQ',
  HOMEPORT_MASTER_KEY: 'guarded-master-key-8pL',
  HOMEPORT_HOOK_KEY: 'guarded-hook-key-2vB',
  HOMEPORT_ADMIN_TOKEN: 'guarded-admin-token-7mN',
}
const SESSION = 'guarded-session-token-4kT'
/** User values must not appear in the log either. */
const PRIVATE = 'guarded-value-9wE'

const home = makeHome(afterAll, { fresh: true })

test('the output never contains a key, token, password or user value, at level debug, in any case', async () => {
  const program = await home.start([], { ...KEYS, HOMEPORT_LOG_LEVEL: 'debug' })
  const database = await home.connect()
  await database.query(`INSERT INTO "app_guarded"."$credentials" (user_id, session_token) VALUES ('ann', $1)`, [
    SESSION,
  ])
  const master = { key: `${KEYS.HOMEPORT_MASTER_KEY},master` }
  const send = (
    method: string,
    path: string,
    body?: unknown,
    { key = KEYS.HOMEPORT_APP_KEY, ...headers }: Record<string, string> = {},
  ) =>
    call(
      program.url,
      method,
      path,
      {
        'x-lc-id': 'guarded',
        'x-lc-key': key,
        'x-lc-session': SESSION,
        'content-type': 'application/json',
        ...headers,
      },
      body,
    )
  const admin = (method: string, path: string, body?: unknown, token = KEYS.HOMEPORT_ADMIN_TOKEN) =>
    call(program.url, method, path, { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body)
  const statuses = async (...answers: ReturnType<typeof call>[]) =>
    (await Promise.all(answers)).map(({ status }) => status)

  // Successful requests.
  const { body: made } = await send('POST', '/1.1/classes/Post', { code: PRIVATE, n: 1 })
  await admin('PATCH', '/admin/apps/guarded/classes/Post', { indexes: [{ fields: ['code'], unique: true }] })
  const where = encodeURIComponent(JSON.stringify({ code: PRIVATE }))
  expect(
    await statuses(
      send('GET', `/1.1/classes/Post?where=${where}`),
      send('GET', '/1.1/classes/Post', undefined, master),
      send('PUT', `/1.1/classes/Post/${made.objectId}`, { n: { __op: 'Increment' } }),
      send('POST', '/1.1/batch', { requests: [{ method: 'POST', path: '/1.1/classes/Post', body: { n: 1 } }] }),
      admin('GET', '/admin/apps'),
    ),
  ).toEqual([200, 200, 200, 200, 200])
  const { body: another } = await admin('POST', '/admin/apps', { name: 'another' })
  const { body: rotated } = await admin('PATCH', `/admin/apps/${another.appId}`, { rotateKeys: true })

  // A user with a password logs in with the right one and with a wrong one.
  expect((await statuses(send('POST', '/1.1/users', { username: 'eve', password: PRIVATE })))[0]).toBe(201)
  expect(
    await statuses(
      send('POST', '/1.1/login', { username: 'eve', password: PRIVATE }),
      send('POST', '/1.1/login', { username: 'eve', password: `${PRIVATE}x` }),
    ),
  ).toEqual([200, 400])

  // Rejected requests: with a partial secret, a malformed body that contains one, a duplicate value, or a value that changes when
  // stored.
  expect(
    await statuses(
      send('GET', '/1.1/classes/Post', undefined, { key: `${KEYS.HOMEPORT_MASTER_KEY}x,master` }),
      send('GET', '/1.1/classes/Post', undefined, { 'x-lc-sign': `${KEYS.HOMEPORT_APP_KEY},1,master`, key: 'x' }),
      admin('GET', '/admin/apps', undefined, `${KEYS.HOMEPORT_ADMIN_TOKEN}x`),
      send('POST', '/1.1/classes/Post', `{"code":"${PRIVATE}"`),
      send('POST', '/1.1/classes/Post', `{"_ApplicationKey":"${KEYS.HOMEPORT_APP_KEY}"`, {
        'content-type': 'text/plain',
      }),
      send('POST', '/1.1/classes/Post', { code: PRIVATE }),
      send('POST', '/1.1/classes/Post', { code: `${PRIVATE}\u0000` }),
      send('POST', '/1.1/classes/Post', { code: { __op: 'Add', objects: [PRIVATE] } }),
      send('GET', `/1.1/nothing/${SESSION}?key=${KEYS.HOMEPORT_MASTER_KEY}`),
      send('GET', `/1.1/classes/Post?where={"code":{"$regex":"(${PRIVATE}"}}`),
    ),
  ).toEqual([401, 401, 401, 400, 400, 400, 201, 400, 404, 400])

  // Unexpected failures: a renamed column, then a connection that breaks during a request.
  await database.query('ALTER TABLE "app_guarded"."Post" RENAME COLUMN data TO elsewhere')
  expect(
    await statuses(
      send('GET', `/1.1/classes/Post?where=${where}`),
      send('POST', '/1.1/classes/Post', { code: PRIVATE }),
      send('PUT', `/1.1/classes/Post/${made.objectId}`, { code: PRIVATE }),
    ),
  ).toEqual([500, 500, 500])
  await database.query('ALTER TABLE "app_guarded"."Post" RENAME COLUMN elsewhere TO data')
  await database.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'homeport'`)
  await expect.poll(async () => (await send('GET', '/health')).status, { timeout: 60_000 }).toBe(200)
  process.kill(home.postmaster()!, 'SIGKILL')
  await expect.poll(() => program.output()).toContain('PostgreSQL exited unexpectedly')
  await expect.poll(async () => (await send('GET', '/health')).status, { timeout: 60_000 }).toBe(200)
  expect(await program.stop()).toBe(0)

  const output = program.output()
  expect(output).toContain('request failed unexpectedly')
  const lines = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
  const requests = lines.filter(({ msg }) => msg === 'request completed')
  const post = { method: 'POST', route: '/1.1/classes/:className', app: 'guarded' }
  expect(requests).toContainEqual(expect.objectContaining({ ...post, status: 201, code: null }))
  expect(requests).toContainEqual(expect.objectContaining({ ...post, status: 400, code: 137 }))
  expect(requests).toContainEqual(expect.objectContaining({ method: 'GET', route: null, status: 404, code: 1 }))
  expect(requests).toContainEqual(expect.objectContaining({ route: '/1.1/login', status: 400, code: 210 }))
  expect(
    requests.every(({ level, requestId, milliseconds }) => level === 'debug' && requestId && milliseconds >= 0),
  ).toBe(true)
  const secrets = [
    ...Object.values(KEYS).filter((value) => value !== 'guarded'),
    ...[another, rotated].flatMap(({ appKey, masterKey, hookKey }) => [appKey, masterKey, hookKey]),
    SESSION,
    PRIVATE,
    readFileSync(join(home.data, 'postgres-password'), 'utf8').trim(),
  ]
  expect(secrets.filter((secret) => output.includes(secret))).toEqual([])
}, 90_000)

test('an unreachable database ends the start with one line, without its password', async () => {
  const own = makeHome(onTestFinished)
  const { code, stdout, stderr } = await runProgram(
    [
      'start',
      '--port',
      '0',
      '--data',
      own.data,
      '--database-url',
      'postgresql://user:guarded-password@127.0.0.1:9/homeport',
    ],
    { HOMEPORT_LOG_LEVEL: 'debug' },
  )
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^homeport: .*127\.0\.0\.1:9.*\n$/)
  expect(stderr).not.toContain('guarded-password')
})
