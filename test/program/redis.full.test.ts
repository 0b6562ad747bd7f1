import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { VERSION } from '../../src/version.ts'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import type { Program } from '../support/program.ts'
import { makeRedis, redisServer } from '../support/redis.ts'
import { newDatabase } from '../support/scratch-database.ts'

const KEYS = {
  HOMEPORT_APP_ID: 'redis',
  HOMEPORT_APP_KEY: 'redis-app-key',
  HOMEPORT_MASTER_KEY: 'redis-master-key',
  HOMEPORT_ADMIN_TOKEN: 'token-of-the-administrator-of-two-nodes',
}
const HEADERS = { 'x-lc-id': 'redis', 'x-lc-key': 'redis-app-key', 'content-type': 'application/json' }

/** Nodes reconnect to Redis at least every three seconds. */
const WAIT = { timeout: 60_000 }
/** The message to another node can be delayed, but by less than the ten seconds that a token is cached. */
const ON_ITS_WAY = { timeout: 60_000 }

// Created outside of tests: `afterAll` cannot be called inside one.
const databaseUrl = await newDatabase()

describe.skipIf(redisServer === null)('nodes with Redis', { timeout: 90_000 }, () => {
  const redis = makeRedis(afterAll)
  const ends: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const end of ends) await end()
  })

  /** Starts a node with a separate data directory. */
  const start = () =>
    makeHome((end) => ends.push(end)).start(['--database-url', databaseUrl, '--redis-url', redis.url], KEYS)
  let first: Program
  let second: Program

  beforeAll(async () => {
    await redis.start()
    first = await start()
    second = await start()
  })

  const health = async (node: Program) => {
    const { status, body } = await call(node.url, 'GET', '/health', {}, undefined)
    return { status, body }
  }
  const healthy = { status: 200, body: { status: 'ok', version: VERSION, database: 'ok', redis: 'connected' } }
  const withoutRedis = { status: 200, body: { status: 'ok', version: VERSION, database: 'ok', redis: 'disconnected' } }

  const sessionOf = (session: string) => ({ ...HEADERS, 'x-lc-session': session })
  const me = (node: Program, session: string) => call(node.url, 'GET', '/1.1/users/me', sessionOf(session), undefined)

  /** Registers a user on the first node, and lets the second cache the session token. */
  async function makeUser(username: string) {
    const { body: user } = await call(first.url, 'POST', '/1.1/users', HEADERS, { username, password: 'password' })
    expect((await me(second, user.sessionToken)).status).toBe(200)
    return { id: user.objectId as string, session: user.sessionToken as string }
  }

  const replace = (node: Program, { id, session }: { id: string; session: string }) =>
    call(node.url, 'PUT', `/1.1/users/${id}/refreshSessionToken`, sessionOf(session), {})

  test('/health reports that Redis is connected', async () => {
    for (const node of [first, second]) await expect.poll(() => health(node), WAIT).toEqual(healthy)
  })

  test('a session token replaced on one node is invalid on the other', async () => {
    const user = await makeUser('ann')
    const { status, body } = await replace(first, user)
    expect(status).toBe(200)
    await expect.poll(async () => (await me(second, user.session)).status, ON_ITS_WAY).not.toBe(200)
    expect((await me(second, body.sessionToken)).status).toBe(200)
  })

  test('counts clients across both nodes; during a Redis outage each node counts alone', async () => {
    const admin = { authorization: `Bearer ${KEYS.HOMEPORT_ADMIN_TOKEN}`, 'content-type': 'application/json' }
    const settings = '/admin/apps/redis/settings'
    await call(first.url, 'PATCH', settings, admin, { limits: { logins: { address: { hour: 10 } } } })
    const isSet = async () =>
      (await call(second.url, 'GET', settings, admin, undefined)).body.limits.logins.address.hour === 10
    await expect.poll(isSet, WAIT).toBe(true)
    const logIns = async (address: string) => {
      const headers = { ...HEADERS, 'x-forwarded-for': address }
      const body = { username: 'nobody', password: 'password' }
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, n) => call([first, second][n % 2]!.url, 'POST', '/1.1/login', headers, body)),
      )
      for (const { status, body } of replies) expect(status === 429 || body.code === 211).toBe(true)
      return replies.filter(({ status }) => status !== 429).length
    }
    expect(await logIns('192.0.2.1')).toBe(10)
    await redis.kill()
    for (const node of [first, second]) await expect.poll(() => health(node), WAIT).toEqual(withoutRedis)
    expect(await logIns('192.0.2.2')).toBe(20)
    await redis.start()
    for (const node of [first, second]) await expect.poll(() => health(node), WAIT).toEqual(healthy)
  })

  test('during a Redis outage both nodes serve, reject revoked tokens, and report it in /health', async () => {
    const user = await makeUser('bob')
    await redis.kill()
    for (const node of [first, second]) await expect.poll(() => health(node), WAIT).toEqual(withoutRedis)
    expect((await replace(first, user)).status).toBe(200)
    expect((await me(second, user.session)).status).not.toBe(200)

    await redis.start()
    for (const node of [first, second]) await expect.poll(() => health(node), WAIT).toEqual(healthy)
    const another = await makeUser('cleo')
    await replace(first, another)
    await expect.poll(async () => (await me(second, another.session)).status, ON_ITS_WAY).not.toBe(200)
  })

  test('a node starts and stops without Redis', async () => {
    await redis.kill()
    const third = await start()
    expect(await health(third)).toEqual(withoutRedis)
    expect(await third.stop()).toBe(0)
    const fourth = await start()
    await redis.start()
    await expect.poll(() => health(fourth), WAIT).toEqual(healthy)
    expect(await fourth.stop()).toBe(0)
  })
})
