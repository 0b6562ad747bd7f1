import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, it, type TestContext } from 'vitest'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import type { Program } from '../support/program.ts'
import { newDatabase } from '../support/scratch-database.ts'
import { standInSettings, startStandInVendors } from '../support/stand-in-vendors.ts'

const APP_ID = 'crashing'
const ADMIN_TOKEN = 'token-of-the-administrator-of-crashes'
const KEYS = {
  HOMEPORT_APP_ID: APP_ID,
  HOMEPORT_APP_KEY: 'crashing-key',
  HOMEPORT_MASTER_KEY: 'crashing-master-key',
  HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
}
const HEADERS = { 'x-lc-id': APP_ID, 'x-lc-key': 'crashing-master-key,master', 'content-type': 'application/json' }
const DEVICES = 30_000
/** The maximum number of devices a server processes at once: the first page and four others, of a thousand devices each. */
const UNDER_WAY = 5000
/** Pages of a dead server are taken over when its lease expires, after ten seconds. */
const WAIT = { timeout: 90_000, interval: 20 }

/** The latency of the vendor in milliseconds, high enough that a single server would be delayed by it. */
const DISTANCE = 300

interface Way {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts a proxy to a vendor with high latency. Requests in transit arrive even if the sender dies; pushes wait until it is
 * open.
 */
async function farAway(url: string, isOpen: () => boolean): Promise<Way> {
  const server = createServer(async (request, response) => {
    const body = await text(request)
    do await sleep(DISTANCE)
    while (request.url?.endsWith('messages:send') && !isOpen())
    const { authorization = '', 'content-type': type = '' } = request.headers
    const headers = { authorization, 'content-type': type }
    const answer = await fetch(url + request.url, { method: 'POST', headers, body })
    response.end(await answer.text())
  })
  // Only the client closes idle connections: otherwise a request in transit could be lost.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Creates an app with many devices of a vendor, which accepts nothing until so many servers take part in the push. */
async function makeScene(databaseUrl: string, servers: number, { expect, onTestFinished }: TestContext) {
  const vendors = await startStandInVendors()
  const { hms } = vendors.vendors
  const { delivered, messages } = hms
  // Each server has a separate access token, requested for its first devices.
  const way = await farAway(vendors.url, () => hms.handedOut >= servers)
  const database = new pg.Client({ connectionString: databaseUrl, options: `-c search_path="app_${APP_ID}"` })
  database.on('error', () => {})
  // Stops in reverse order.
  const ends: (() => Promise<void>)[] = [() => database.end(), () => vendors.stop(), way.stop]
  onTestFinished(async () => {
    for (const end of ends.toReversed()) await end()
  })
  const start = () => makeHome((end) => ends.push(end)).start(['--database-url', databaseUrl], KEYS)

  const first = await start()
  await database.connect()
  const admin = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  const push = { hms: standInSettings(way.url).hms }
  const set = await call(first.url, 'PATCH', `/admin/apps/${APP_ID}/settings`, admin, { push })
  expect(set.status).toBe(200)
  await database.query(
    `INSERT INTO "_Installation" (id, created_at, updated_at, data)
     SELECT 'i' || lpad(n::text, 6, '0'), now(), now(), jsonb_build_object(
       'deviceType', 'android', 'vendor', 'HMS', 'valid', true,
       'installationId', 'phone-' || n, 'registrationId', 'token-' || n)
     FROM generate_series(1, $1::integer) AS n`,
    [DEVICES],
  )
  const scene = {
    first,
    start,
    delivered,
    /** A device shows messages with the same tag once. */
    tags: () => new Set((messages as Notified[]).map(({ android }) => android.notification.tag)),
    async pushToAll({ url }: Program): Promise<string> {
      const { status, body } = await call(url, 'POST', '/1.1/push', HEADERS, { data: { alert: 'Hello', title: 'All' } })
      expect(status, JSON.stringify(body)).toBe(200)
      return body.objectId
    },
    /** @returns the finished devices, each with the number of messages sent to it */
    async kill(server: Program): Promise<ReadonlyMap<string, number>> {
      await server.kill()
      const { rows } = await database.query<{ token: string }>(
        `SELECT data->>'registrationId' AS token
         FROM "$push_pages" AS page
         JOIN "_Installation" AS installation
           ON installation.id = ANY(page.handled)
           OR page.done AND installation.id > page.after_id AND installation.id <= coalesce(page.until_id, 'z')`,
      )
      return new Map(rows.map(({ token }) => [token, delivered.get(token)!]))
    },
    /** Kills a server at a random moment between two fractions of the push. */
    async killBetween(server: Program, from: number, to: number): Promise<ReadonlyMap<string, number>> {
      const moment = randomInt(from * DEVICES, to * DEVICES)
      await expect.poll(() => delivered.size, { ...WAIT, interval: 1 }).toBeGreaterThan(moment)
      return scene.kill(server)
    },
    async untilDone({ url }: Program, id: string) {
      const read = async () => (await call(url, 'GET', `/1.1/tables/Notifications/${id}`, HEADERS, undefined)).body
      await expect.poll(async () => (await read()).status, WAIT).toBe('done')
      return read()
    },
    /**
     * Expects that every device got the push, as recorded, and that few got it again because the first delivery was not
     * recorded.
     */
    expectAllReached(record: object, kills: number): void {
      expect(delivered.size).toBe(DEVICES)
      expect(record).toMatchObject({ devices: DEVICES, successes: DEVICES, hmsSuccesses: DEVICES })
      expect(record).not.toHaveProperty('errors')
      const again = [...delivered.values()].reduce((sum, times) => sum + times - 1, 0)
      expect(again).toBeLessThanOrEqual(kills * UNDER_WAY)
    },
  }
  return scene
}

interface Notified {
  readonly android: { readonly notification: { readonly tag: string } }
}

// Created outside of tests: `afterAll` cannot be called inside one.
const databases = [await newDatabase(), await newDatabase()] as const

// Concurrent, because most of the time is spent waiting for leases to expire.
describe.concurrent('a push to thirty thousand devices', () => {
  it('reaches each of them once, however often its server is killed', async (context) => {
    const { expect } = context
    const scene = await makeScene(databases[0], 1, context)
    const id = await scene.pushToAll(scene.first)
    // More than the maximum in progress has arrived, so some deliveries are recorded.
    const noted = [await scene.killBetween(scene.first, UNDER_WAY / DEVICES, 0.8)]
    for (const lifetime of [0, randomInt(500)]) {
      const server = await scene.start()
      await sleep(lifetime)
      noted.push(await scene.kill(server))
    }
    const record = await scene.untilDone(await scene.start(), id)
    scene.expectAllReached(record, 3)
    expect(scene.tags()).toEqual(new Set([id]))
    // Recorded devices received no more messages after the crash.
    for (const devices of noted) {
      expect(devices.size).toBeGreaterThan(0)
      for (const [token, times] of devices) expect(scene.delivered.get(token)).toBe(times)
    }
  }, 180_000)

  it('is shared by two servers, and one finishes it when the other is killed', async (context) => {
    const { expect } = context
    const scene = await makeScene(databases[1], 2, context)
    const second = await scene.start()
    const id = await scene.pushToAll(scene.first)
    await scene.killBetween(scene.first, 0.5, 0.8)
    const record = await scene.untilDone(second, id)
    scene.expectAllReached(record, 1)
    expect(scene.tags()).toEqual(new Set([id]))
  }, 180_000)
})
