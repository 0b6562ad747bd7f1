import pg from 'pg'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import { runProgram } from '../support/program.ts'
import { newDatabase } from '../support/scratch-database.ts'

const CREDENTIALS = { HOMEPORT_APP_ID: 'state', HOMEPORT_APP_KEY: 'state-key', HOMEPORT_MASTER_KEY: 'state-master' }
const HEADERS = { 'x-lc-id': 'state', 'x-lc-key': 'state-key', 'content-type': 'application/json' }

test('reports a read-only database as unavailable until it accepts writes', async () => {
  const home = makeHome(onTestFinished)
  const program = await home.start([], CREDENTIALS)
  const send = (method: string, path: string, body?: unknown) => call(program.url, method, path, HEADERS, body)
  expect((await send('POST', '/1.1/classes/Post', { n: 1 })).status).toBe(201)
  const client = await home.connect()
  const setReadOnly = async (value: 'on' | 'off') => {
    await client.query('SET default_transaction_read_only = off')
    await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`)
    await client.query('SELECT pg_reload_conf()')
  }

  await setReadOnly('on')
  await expect.poll(async () => (await send('GET', '/health')).body).toMatchObject({ database: 'read-only', code: 511 })
  expect((await send('GET', '/health')).status).toBe(503)
  for (const n of [2, 3, 4]) {
    expect(await send('POST', '/1.1/classes/Post', { n })).toMatchObject({ status: 503, body: { code: 511 } })
  }
  expect((await send('GET', '/1.1/classes/Post')).body.results).toHaveLength(1)

  await setReadOnly('off')
  await expect.poll(async () => (await send('GET', '/health')).status).toBe(200)
  expect((await send('POST', '/1.1/classes/Post', { n: 5 })).status).toBe(201)
})

describe('rejects a database migrated by a newer version in one line', async () => {
  const url = await newDatabase()
  const home = makeHome(afterAll)
  const first = await home.start(['--database-url', url], CREDENTIALS)
  await first.stop()

  test.each([
    [
      'all of it',
      'INSERT INTO homeport.migrations (number) VALUES (9999)',
      'DELETE FROM homeport.migrations WHERE number = 9999',
      /^homeport: The database was brought up to date by a newer Homeport \(migration 9999, this one knows \d+\)\. [^\n]+\n$/,
    ],
    [
      'an app',
      'UPDATE homeport.apps SET schema_version = schema_version + 9000',
      'UPDATE homeport.apps SET schema_version = schema_version - 9000',
      /^homeport: The app state was brought up to date by a newer Homeport \(migration 90\d\d, this one knows \d+\)\. [^\n]+\n$/,
    ],
  ])('%s', async (_what, advance, undo, line) => {
    const client = new pg.Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    await client.query(advance)
    const start = ['start', '--port', '0', '--host', '127.0.0.1', '--data', home.data, '--database-url', url]
    const { code, stderr } = await runProgram(start, { ...CREDENTIALS, HOMEPORT_LOG_LEVEL: 'silent' })
    expect(stderr).toMatch(line)
    expect(code).toBe(1)
    await client.query(undo)
  })
})
