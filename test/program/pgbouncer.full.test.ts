import { createRequire } from 'node:module'
import type * as Storage from 'leancloud-storage'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { VERSION } from '../../src/version.ts'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import { listen, loadLiveSdk } from '../support/live-query.ts'
import { pgbouncer, startPgbouncer } from '../support/pgbouncer.ts'
import { type Program, runProgram } from '../support/program.ts'
import { devicesOf, nextEvent } from '../support/realtime.ts'
import { newDatabase } from '../support/scratch-database.ts'

const APP = { appId: 'bounced', appKey: 'bounced-key', masterKey: 'bounced-master-key' }
const ADMIN_TOKEN = 'token-of-the-administrator'
const VARIABLES = {
  HOMEPORT_APP_ID: APP.appId,
  HOMEPORT_APP_KEY: APP.appKey,
  HOMEPORT_MASTER_KEY: APP.masterKey,
  HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
}
const HEADERS = { 'x-lc-id': APP.appId, 'x-lc-key': APP.appKey, 'content-type': 'application/json' }

describe.skipIf(pgbouncer === null)('behind PgBouncer in session mode two nodes', () => {
  let direct: string
  let through: string
  let nodes: Program[]
  const ends: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const end of ends.reverse()) await end()
  })
  const database = pgbouncer === null ? null : newDatabase()

  beforeAll(async () => {
    direct = (await database)!
    through = await startPgbouncer(direct, 'session', (end) => ends.push(end))
    const start = () =>
      makeHome((end) => ends.push(end)).start(['--database-url', through, '--query-timeout', '2000'], VARIABLES)
    // Both migrate: one waits for the lock of the other.
    nodes = await Promise.all([start(), start()])
  })

  const send = (node: number, method: string, path: string, body?: unknown, master = false) => {
    const key = master ? `${APP.masterKey},master` : APP.appKey
    return call(nodes[node]!.url, method, path, { ...HEADERS, 'x-lc-key': key }, body)
  }

  it('are as healthy as without it', async () => {
    for (const node of [0, 1])
      expect((await send(node, 'GET', '/health')).body).toEqual({ status: 'ok', version: VERSION, database: 'ok' })
    const { stdout, code } = await runProgram(['doctor', '--database-url', through], {})
    expect(stdout).toMatch(/^ok +PostgreSQL \d/m)
    expect(code).toBe(0)
  })

  it('keep their session settings on every connection', async () => {
    await Promise.all(Array.from({ length: 60 }, (_, n) => send(n % 2, 'POST', '/1.1/classes/Warm', { n })))
    const client = new pg.Client(direct)
    await client.connect()
    onTestFinished(() => client.end())
    const { rows } = await client.query(
      `SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'homeport'`,
    )
    expect(rows[0].count).toBeGreaterThan(2)
    // The time zone of the session, the search path and the time limit.
    const { body } = await send(0, 'POST', '/1.1/classes/Timed', {
      at: { __type: 'Date', iso: '2030-01-01T00:00:00.000Z' },
    })
    expect((await send(1, 'GET', `/1.1/classes/Timed/${body.objectId}`)).body.createdAt).toBe(body.createdAt)
    await client.query('BEGIN; LOCK TABLE "app_bounced"."Timed"')
    const answers = await Promise.all([0, 1].map((node) => send(node, 'GET', '/1.1/classes/Timed')))
    for (const { body: answer } of answers) expect(answer).toMatchObject({ code: 124 })
    await client.query('ROLLBACK')
  })

  it('store, count and query for the official client', async () => {
    const sdk = loadSdk(nodes[0]!.url)
    const Post = sdk.Object.extend('Post')
    const posts = await Promise.all(
      Array.from({ length: 20 }, (_, n) => new Post().save({ n, place: new sdk.GeoPoint(n, n), tags: [`t${n % 3}`] })),
    )
    await Promise.all(posts.map((post) => post.increment('n', 100).save()))
    for (let round = 0; round < 10; round++)
      expect(await new sdk.Query('Post').equalTo('tags', 't1').greaterThan('n', 105).count()).toBe(5)
    const user = await sdk.User.signUp('ann', 'password of ann')
    expect((await sdk.User.become(user.getSessionToken())).id).toBe(user.id)
  })

  it('cancel the query of an aborted response, and continue', async () => {
    const text = 'y'.repeat(400 * 1024)
    await Promise.all(Array.from({ length: 30 }, (_, n) => send(n % 2, 'POST', '/1.1/classes/Page', { n, text })))
    for (let round = 0; round < 5; round++) {
      const { body } = await send(0, 'GET', '/1.1/classes/Page?limit=1000&order=n')
      expect(body.results).toHaveLength(15)
      expect((await send(0, 'GET', '/1.1/classes/Page?limit=1&keys=n')).body.results).toHaveLength(1)
    }
  })

  it('exchange messages and live queries', async () => {
    const [here, there] = nodes.map(({ url }) => devicesOf({ ...APP, url }, onTestFinished)())
    const [tom, jerry] = [await here!.logIn('tom'), await there!.logIn('jerry')]
    const conversation = await tom.createConversation({ members: ['jerry'], name: 'two' })
    const heard = nextEvent<readonly [{ text: string }]>(jerry, 'message')
    await conversation.send(new here!.sdk.TextMessage('across'))
    expect((await heard)[0].text).toBe('across')

    const sdk = loadLiveSdk({ ...APP, url: nodes[1]!.url })
    const live = await new sdk.Query('News').subscribe()
    const news = listen(live)
    await expect
      .poll(async () => {
        await send(0, 'POST', '/1.1/classes/News', { n: 1 })
        return news.length
      })
      .toBeGreaterThan(0)
    await live.unsubscribe()
  })
})

it.skipIf(pgbouncer === null)(
  'behind PgBouncer in transaction mode a server refuses to start, and no settings get lost',
  async () => {
    const through = await startPgbouncer(await onDatabase!, 'transaction', onTestFinished)
    const home = makeHome(onTestFinished)
    const line = /The database is behind a pooler that assigns connections per transaction \(PgBouncer: [^\n]+\n/
    const start = ['start', '--port', '0', '--data', home.data, '--database-url', through]
    const { code, stderr } = await runProgram(start, VARIABLES)
    expect(stderr).toMatch(line)
    expect(code).toBe(1)
    const doctor = await runProgram(['doctor', '--database-url', through], {})
    expect(doctor.stdout).toMatch(/^error +.*pool_mode = session/m)
  },
)
const onDatabase = pgbouncer === null ? null : newDatabase()

function loadSdk(url: string): typeof Storage {
  const sdk = createRequire(import.meta.url)('leancloud-storage') as typeof Storage
  sdk.init({ ...APP, serverURL: url })
  return sdk
}
