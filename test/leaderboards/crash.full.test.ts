import { expect, onTestFinished, test } from 'vitest'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'

const [APP, APP_KEY, MASTER_KEY] = ['boards', 'key-of-the-boards', 'master-key-of-the-boards']
const ENVIRONMENT = {
  HOMEPORT_ADMIN_TOKEN: 'token-of-the-administrator-of-one-test',
  HOMEPORT_APP_ID: APP,
  HOMEPORT_APP_KEY: APP_KEY,
  HOMEPORT_MASTER_KEY: MASTER_KEY,
}
const BOARD = '/1.1/leaderboard/leaderboards/score'

const request = (url: string, method: string, path: string, body?: unknown) =>
  call(
    url,
    method,
    path,
    { 'x-lc-id': APP, 'x-lc-key': `${MASTER_KEY},master`, 'content-type': 'application/json' },
    body,
  )

/** Starts a server with a leaderboard of three members. */
async function start() {
  const home = makeHome(onTestFinished)
  const program = await home.start([], ENVIRONMENT)
  const body = { statisticName: 'score', memberType: '_Entity', versionChangeInterval: 'day' }
  await request(program.url, 'POST', '/1.1/leaderboard/leaderboards', body)
  for (const [entity, statisticValue] of [
    ['ann', 3],
    ['bo', 1],
    ['cy', 2],
  ] as const)
    await request(program.url, 'POST', `/1.1/leaderboard/entities/${entity}/statistics`, [
      { statisticName: 'score', statisticValue },
    ])
  const database = await home.connect()
  await database.query(`SET search_path = "app_${APP}"`)
  return { home, program, database }
}

async function archivesOf(url: string): Promise<{ status: string; version: number; url: string }[]> {
  return (await request(url, 'GET', `${BOARD}/archives`)).body.results
}

async function completed(url: string): Promise<string> {
  await expect
    .poll(async () => (await archivesOf(url)).map(({ status }) => status), { timeout: 60_000, interval: 500 })
    .toEqual(['completed'])
  return (await fetch((await archivesOf(url))[0]!.url)).text()
}

const RANKING = 'rank,statisticName,statisticValue,entity\n0,score,3,ann\n1,score,2,cy\n2,score,1,bo\n'

test('kill -9 of the server during a version change: the version changes exactly once', {
  timeout: 120_000,
}, async () => {
  const { home, program, database } = await start()
  // A version change waits for this table in the middle of its transaction.
  await database.query('BEGIN')
  await database.query('LOCK TABLE "$leaderboard_archives" IN SHARE MODE')
  const clock = await home.connect()
  await clock.query(`UPDATE "app_${APP}"."$leaderboards" SET expired_at = now() - interval '1 second'`)
  await clock.query(`UPDATE homeport.jobs SET run_at = now() WHERE kind = 'leaderboard-version'`)
  const waiting = `SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND relation = '"app_${APP}"."$leaderboard_archives"'::regclass`
  await expect.poll(async () => (await clock.query(waiting)).rows[0].waiting, { timeout: 60_000 }).toBe(1)
  // Its embedded database stops with it.
  await program.kill()
  const { url } = await home.start([], ENVIRONMENT)
  await expect
    .poll(async () => (await request(url, 'GET', BOARD)).body.version, { timeout: 60_000, interval: 500 })
    .toBe(1)
  expect(await completed(url)).toBe(RANKING)
})

test('kill -9 of the server while an archive is written: the archive is complete afterwards', {
  timeout: 120_000,
}, async () => {
  const { home, program, database } = await start()
  // The archive waits for all earlier transactions.
  await database.query('BEGIN')
  await database.query('SELECT pg_current_xact_id()')
  expect((await request(program.url, 'PUT', `${BOARD}/incrementVersion`)).body.version).toBe(1)
  await expect.poll(async () => (await archivesOf(program.url))[0]!.status, { timeout: 60_000 }).toBe('inProgress')
  await program.kill()
  await database.query('COMMIT').catch(() => {})
  const { url } = await home.start([], ENVIRONMENT)
  expect(await completed(url)).toBe(RANKING)
  expect((await request(url, 'GET', BOARD)).body.version).toBe(1)
})
