import pg from 'pg'
import { expect, it } from 'vitest'
import { call } from '../support/app.ts'
import { holdInbox } from '../support/held-inbox.ts'
import { makeHome } from '../support/home.ts'
import type { Program } from '../support/program.ts'
import { newDatabase } from '../support/scratch-database.ts'
import { writeFollowers } from '../support/social.ts'

const APP_ID = 'telling'
const KEYS = { HOMEPORT_APP_ID: APP_ID, HOMEPORT_APP_KEY: 'telling-key', HOMEPORT_MASTER_KEY: 'telling-master-key' }
const FOLLOWERS = 6000
/** Work of a dead server is taken over when its lease expires, after ten seconds. */
const WAIT = { timeout: 90_000, interval: 50 }

/** Starts servers on one database, and creates a user with many followers. */
async function makeScene(atEnd: (end: () => Promise<void>) => void) {
  const databaseUrl = await newDatabase()
  const ends: (() => Promise<void>)[] = []
  atEnd(async () => {
    for (const end of ends.toReversed()) await end()
  })
  const start = () => makeHome((end) => ends.push(end)).start(['--database-url', databaseUrl], KEYS)
  const first = await start()
  const database = new pg.Client({ connectionString: databaseUrl, options: `-c search_path="app_${APP_ID}"` })
  database.on('error', () => {})
  await database.connect()
  ends.push(() => database.end())
  const headers = { 'x-lc-id': APP_ID, 'x-lc-key': KEYS.HOMEPORT_APP_KEY, 'content-type': 'application/json' }
  const { body: sender } = await call(first.url, 'POST', '/1.1/users', headers, { username: 'ann', password: 'secret' })
  const ids = await writeFollowers(
    { sql: (text, values = []) => database.query(text, values) },
    sender.objectId,
    FOLLOWERS,
  )
  const user = { __type: 'Pointer', className: '_User', objectId: sender.objectId }
  const query = { className: '_Follower', where: { user }, keys: 'follower' }
  return {
    databaseUrl,
    start,
    first,
    database,
    ids,
    async send(node: Program, text: string): Promise<string> {
      const asSender = { ...headers, 'x-lc-session': sender.sessionToken }
      const { status, body } = await call(node.url, 'POST', '/1.1/statuses', asSender, { query, data: { text } })
      expect([status, body.error]).toEqual([201, undefined])
      return body.objectId
    },
    isDone: async () => (await database.query('SELECT FROM "$fan_outs"')).rows.length === 0,
    /** Counts the entries of a status, and the inboxes that contain it. */
    async found(statusId: string) {
      const { rows } = await database.query(
        `SELECT count(*)::int AS entries, count(DISTINCT owner_id)::int AS owners
         FROM "$inbox_entries" WHERE status_id = $1`,
        [statusId],
      )
      return rows[0]
    },
  }
}

const all = { entries: FOLLOWERS + 1, owners: FOLLOWERS + 1 }

it('kill -9 during a fan-out: another server continues, and each recipient gets the status exactly once', {
  timeout: 180_000,
}, async ({ onTestFinished }) => {
  const scene = await makeScene(onTestFinished)
  const { database, first, ids } = scene
  const held = await holdInbox(scene.databaseUrl, APP_ID, ids[3000]!)
  const status = await scene.send(first, 'to all')
  await held.untilWaiting(1)
  const { owners } = await scene.found(status)
  expect(owners).toBeGreaterThan(2000)
  expect(owners).toBeLessThan(3002)
  await first.kill()
  await held.release()
  // A page being written when the server dies is stored completely or not at all.
  const second = await scene.start()
  await expect.poll(scene.isDone, WAIT).toBe(true)
  expect(await scene.found(status)).toEqual(all)
  const { rows } = await database.query('SELECT last_id, count(*)::int AS inboxes FROM "$inboxes" GROUP BY 1')
  expect(rows).toEqual([{ last_id: 2, inboxes: FOLLOWERS + 1 }])
  await second.stop()
})

it('two servers deliver many statuses to the same users concurrently, and each inbox is numbered without gaps', {
  timeout: 180_000,
}, async ({ onTestFinished }) => {
  const scene = await makeScene(onTestFinished)
  const { database, first } = scene
  const second = await scene.start()
  const texts = Array.from({ length: 8 }, (_, n) => String(n))
  const statuses = await Promise.all(texts.map((text, n) => scene.send(n % 2 === 0 ? first : second, text)))
  await expect.poll(scene.isDone, WAIT).toBe(true)
  for (const status of statuses) expect(await scene.found(status)).toEqual(all)
  const { rows } = await database.query(
    `SELECT numbers, count(*)::int AS inboxes
     FROM (
       SELECT array_agg(message_id ORDER BY message_id) AS numbers FROM "$inbox_entries" GROUP BY owner_id
     ) AS inbox
     GROUP BY numbers`,
  )
  expect(rows).toEqual([{ numbers: texts.map((_, n) => n + 2), inboxes: FOLLOWERS + 1 }])
  expect(first.output() + second.output()).not.toContain('job failed')
})
