import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { call } from '../support/app.ts'
import { makeHome } from '../support/home.ts'
import { newDatabase } from '../support/scratch-database.ts'
import { exportFile, makeImportTarget } from './imports.ts'

const MAIN = process.env.HOMEPORT_TEST_PROGRAM ?? fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const target = await makeImportTarget()
const { app } = target

function begin(args: readonly string[], url: string, token: string): ChildProcess {
  const environment = { ...process.env, HOMEPORT_ADMIN_TOKEN: token }
  return spawn(process.execPath, [MAIN, 'import', ...args, '--url', url], { env: environment, stdio: 'ignore' })
}

/** Kills a process when a position is reached, or lets it finish before. */
async function killAt(child: ChildProcess, reached: () => Promise<boolean>): Promise<void> {
  const ended = once(child, 'exit')
  while (child.exitCode === null && !(await reached())) await sleep(5)
  child.kill('SIGKILL')
  await ended
}

describe('an interrupted import', { timeout: 240_000 }, () => {
  test('by kill -9 at any time resumes without duplicates or loss', async () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => ({
      n,
      text: `the line ${n}`,
      ...(n % 4000 === 9 && { n: 'x' }),
    }))
    const members = Array.from({ length: 3000 }, (_, n) => ({ owningId: `o${n % 7}`, relatedId: `r${n}` }))
    await target.file('many/Long.0.jsonl', exportFile('Long', lines))
    await target.file('many/schema.json', '{"Long":{"liked":{"type":"Relation","className":"Fan"}}}')
    await target.file('many/Long.liked.relation.jsonl', members.map((one) => `${JSON.stringify(one)}\n`).join(''))
    const args = ['--app', app.appId, '--report', `${target.folder}/.killed`, `${target.folder}/many`]
    const rows = async () => {
      const { rows } = await app.sql('SELECT sum(record) AS records FROM "$imports"').catch(() => ({ rows: [] }))
      return Number(rows[0]?.records ?? 0)
    }
    // Objects without ids reveal duplicate writes.
    for (const place of [1, 1, 6000, 13_000, 21_000])
      await killAt(begin(args, app.url, inject('adminToken')), async () => (await rows()) >= place)
    const { code } = await target.run(`${target.folder}/many`)
    expect(code).toBe(3)
    const { counts, rejected } = await target.report()
    expect(counts).toEqual({
      Long: { read: 20_000, created: 19_995, updated: 0, existing: 0, rejected: 5 },
      'Long.liked': { read: 3000, created: 3000, updated: 0, existing: 0, rejected: 0 },
    })
    expect(rejected).toBe(5)
    const stored = await app.sql(`SELECT count(*)::int AS all, count(DISTINCT data->'n')::int AS numbers FROM "Long"`)
    expect(stored.rows).toEqual([{ all: 19_995, numbers: 19_995 }])
    expect((await app.sql('SELECT count(*)::int AS n FROM "$relations"')).rows).toEqual([{ n: 3000 }])
  })

  test('by Ctrl-C prints how to continue', async () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => ({ n }))
    const path = await target.file('Asked.0.jsonl', exportFile('Asked', lines))
    const child = spawn(process.execPath, [MAIN, 'import', '--app', app.appId, '--url', app.url, path], {
      env: { ...process.env, HOMEPORT_ADMIN_TOKEN: inject('adminToken') },
      cwd: target.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let told = ''
    child.stderr.on('data', (piece: Buffer) => {
      told += piece.toString()
    })
    const ended = once(child, 'close')
    const begun = async () =>
      Number((await app.sql('SELECT sum(record) AS n FROM "$imports" WHERE NOT is_done')).rows[0].n ?? 0) > 0
    while (!(await begun())) await sleep(5)
    child.kill('SIGINT')
    expect((await ended)[0]).toBe(130)
    expect(told).toContain('run the same command again to resume')
    expect((await target.run(path)).stdout).toContain('resumed after record')
    const { rows } = await app.sql(
      `SELECT count(DISTINCT data->'n')::int AS numbers, count(*)::int AS all FROM "Asked"`,
    )
    expect(rows).toEqual([{ numbers: 20_000, all: 20_000 }])
  })

  test('by kill -9 of the server waits for the server, and continues', async () => {
    const home = makeHome(onTestFinished)
    const token = 'token-of-the-administrator-of-this-test'
    const options = ['--database-url', await newDatabase()]
    const environment = {
      HOMEPORT_ADMIN_TOKEN: token,
      HOMEPORT_APP_ID: 'moved',
      HOMEPORT_APP_KEY: 'key-of-moved',
      HOMEPORT_MASTER_KEY: 'master-of-moved',
    }
    const first = await home.start(options, environment)
    const port = new URL(first.url).port
    const lines = Array.from({ length: 15_000 }, (_, n) => ({ n }))
    const path = await target.file('Server.0.jsonl', exportFile('Server', lines))
    const headers = { 'x-lc-id': 'moved', 'x-lc-key': 'master-of-moved,master', 'content-type': 'application/json' }
    const count = async (url: string) =>
      (await call(url, 'GET', '/1.1/classes/Server?count=1&limit=0', headers, undefined)).body.count ?? 0
    const child = begin(['--app', 'moved', '--report', `${target.folder}/.server`, path], first.url, token)
    const ended = once(child, 'exit')
    while ((await count(first.url)) < 2000) await sleep(10)
    await first.kill()
    const second = await home.start([...options, '--port', port], environment)
    expect((await ended)[0]).toBe(0)
    expect(await count(second.url)).toBe(15_000)
  })
})
