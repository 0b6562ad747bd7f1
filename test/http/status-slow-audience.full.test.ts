import pg from 'pg'
import { afterAll, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'
import { holdInbox } from '../support/held-inbox.ts'
import { startOwnServer } from '../support/own-server.ts'
import { makePeople, writeFollowers } from '../support/social.ts'

const server = await startOwnServer(['--query-timeout', '2000'])
const app = await makeApp(server.url, server.adminToken)
const options = `-c search_path="app_${app.appId}",homeport`
const pool = new pg.Pool({ connectionString: server.databaseUrl, max: 3, options })
// Its connections can still be closing when the database is dropped.
pool.on('error', () => {})
afterAll(() => pool.end())
const sql = (text: string, values: unknown[] = []) => pool.query(text, values)

/** More than two windows of twenty thousand objects. */
const FOLLOWERS = 45_000

it('a status whose audience query exceeds the time limit continues by parts of the table', {
  timeout: 120_000,
}, async () => {
  const [ann] = await makePeople(app, 'ann')
  const ids = await writeFollowers({ sql }, ann.id, FOLLOWERS)
  const wanted = ids.filter((_, n) => n % 1500 === 7)
  await sql(`UPDATE "_Follower" SET data = data || '{"close":true}' WHERE id = ANY($1)`, [wanted])
  await app.admin('PATCH', '/classes/_Follower', { fields: { close: { type: 'Boolean' } } })
  const held = await holdInbox(server.databaseUrl, app.appId, wanted.at(-1)!)

  // Waiting for the table lock is as slow as reading the whole table.
  const locker = await pool.connect()
  await locker.query('BEGIN; LOCK TABLE "_Follower" IN ACCESS EXCLUSIVE MODE')
  const query = { className: '_Follower', where: { user: ann.pointer, close: true }, keys: 'follower' }
  const posting = app.request('POST', '/1.1/statuses', { body: { query, data: { text: 'hi' } }, session: ann.session })
  const ofWindow = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%OFFSET%' AND pid <> pg_backend_pid()`
  await expect.poll(async () => (await sql(ofWindow)).rows.length, { timeout: 60_000, interval: 10 }).toBe(1)
  await locker.query('COMMIT')
  locker.release()

  const { status, body } = await posting
  expect([status, body.error]).toEqual([201, undefined])
  await held.untilWaiting(1)
  const { rows } = await sql(`SELECT audience->'isSlow' AS slow, after_id FROM "$fan_outs"`)
  // Two windows are finished by then.
  expect(rows).toEqual([{ slow: true, after_id: ids[39_999] }])
  await held.release()
  const isDone = async () => (await sql('SELECT FROM "$fan_outs"')).rows.length === 0
  await expect.poll(isDone, { timeout: 60_000 }).toBe(true)
  const owners = await sql('SELECT owner_id FROM "$inbox_entries" ORDER BY 1')
  expect(owners.rows.map(({ owner_id }) => owner_id)).toEqual([...wanted, ann.id].toSorted())
})
