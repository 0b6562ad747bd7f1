import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import { newDatabase } from '../support/scratch-database.ts'

const APP = 'social-nodes'
const KEYS = {
  HOMEPORT_APP_ID: APP,
  HOMEPORT_APP_KEY: 'social-nodes-app-key',
  HOMEPORT_MASTER_KEY: 'social-nodes-master-key',
}
const HEADERS = { 'x-lc-id': APP, 'x-lc-key': KEYS.HOMEPORT_APP_KEY, 'content-type': 'application/json' }
const MASTER = { ...HEADERS, 'x-lc-key': `${KEYS.HOMEPORT_MASTER_KEY},master` }

// Created outside of tests: `afterAll` cannot be called inside one.
const databaseUrl = await newDatabase()
const start = () => makeHome(afterAll).start(['--database-url', databaseUrl], KEYS)
const nodes = [await start(), await start()] as const
const pool = new pg.Pool({ connectionString: databaseUrl, max: 2, options: `-c search_path="app_${APP}"` })
// Its connections can still be closing when the database is dropped.
pool.on('error', () => {})
afterAll(() => pool.end())

/** Returns one of the nodes, round robin. */
const node = (n: number) => nodes[n % 2]!.url

describe('two nodes', () => {
  it('start a version once when due, while both store 200 updates', async () => {
    const board = { statisticName: 'daily', memberType: '_Entity', updateStrategy: 'sum', versionChangeInterval: 'day' }
    const made = await call(node(0), 'POST', '/1.1/leaderboard/leaderboards', MASTER, board)
    expect(made.status).toBe(200)
    const write = async (n: number): Promise<number> => {
      const body = [{ statisticName: 'daily', statisticValue: 1 }]
      const path = `/1.1/leaderboard/entities/member-${n % 5}/statistics`
      const answer = await call(node(n), 'POST', path, MASTER, body)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      return answer.body.results[0].version
    }
    const versions = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        if (n === 80) {
          await pool.query(`UPDATE "$leaderboards" SET expired_at = now() - interval '1 second'`)
          // Due on both nodes, and twice.
          await pool.query(`
            INSERT INTO homeport.jobs (kind, payload, run_at)
            SELECT kind, payload, now() FROM homeport.jobs WHERE kind = 'leaderboard-version'`)
          await pool.query(`UPDATE homeport.jobs SET run_at = now() WHERE kind = 'leaderboard-version'`)
        }
        return write(n)
      }),
    )
    const version = async () => (await pool.query('SELECT version FROM "$leaderboards"')).rows[0].version
    await expect.poll(version, { timeout: 60_000 }).toBe(1)
    const due = `SELECT FROM homeport.jobs WHERE kind = 'leaderboard-version' AND run_at <= now()`
    await expect.poll(async () => (await pool.query(due)).rows.length, { timeout: 60_000 }).toBe(0)
    expect(await version()).toBe(1)
    versions.push(await write(0), await write(1))
    expect(versions.slice(-2)).toEqual([1, 1])
    const { rows } = await pool.query(
      'SELECT version, sum(abs(score))::integer AS updates FROM "$statistics" GROUP BY version ORDER BY version',
    )
    const told = [0, 1].map((number) => ({ version: number, updates: versions.filter((one) => one === number).length }))
    expect(rows).toEqual(told.filter(({ updates }) => updates > 0))
    expect((await pool.query('SELECT version FROM "$leaderboard_archives"')).rows).toEqual([{ version: 0 }])
  })

  it('create one follow from concurrent requests to both', async () => {
    const [ann, bob] = await Promise.all(
      ['ann', 'bob'].map(async (username, n) => {
        const { body } = await call(node(n), 'POST', '/1.1/users', HEADERS, { username, password: `of ${username}` })
        return { id: body.objectId as string, headers: { ...HEADERS, 'x-lc-session': body.sessionToken as string } }
      }),
    )
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        const path = `/1.1/users/${ann!.id}/friendship/${bob!.id}`
        return (await call(node(n), 'POST', path, ann!.headers, { visits: n })).status
      }),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    const rows = async (className: string) =>
      (await pool.query(`SELECT data->'visits' AS visits FROM "${className}"`)).rows
    const [followee, ...more] = await rows('_Followee')
    expect(more).toEqual([])
    expect(await rows('_Follower')).toEqual([followee])
  })
})
