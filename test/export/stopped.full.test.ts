import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, inject, test } from 'vitest'
import { makeSourceProxy } from '../pull/source-proxy.ts'
import { makeApp, type TestApp } from '../support/app.ts'
import { withoutProgress } from '../support/without-progress.ts'
import { recordsIn, runFor, scratchFolder } from './exported-app.ts'

const MAIN = process.env.HOMEPORT_TEST_PROGRAM ?? fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const OBJECTS = 60_000

async function longApp(): Promise<TestApp> {
  const app = await makeApp()
  await app.request('POST', '/1.1/classes/Long', { body: { n: 0, text: 'x' } })
  await app.sql(`
    INSERT INTO "Long" (id, created_at, updated_at, data)
    SELECT lpad(n::text, 24, '0'), now(), now(), jsonb_build_object('n', n, 'text', repeat(md5(n::text), 30))
    FROM generate_series(1, ${OBJECTS - 1}) AS n`)
  return app
}

/** Expects every object once, and no partial files. */
async function expectWhole(folder: string): Promise<void> {
  const names = await readdir(folder)
  const files = names.filter((name) => name.startsWith('Long.'))
  expect(files.length).toBeGreaterThan(2)
  const numbers = (await Promise.all(files.map((name) => recordsIn(folder, name)))).flat().map(({ n }) => n)
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: OBJECTS }, (_, n) => n))
  expect(names.filter((name) => name.endsWith('.part'))).toEqual([])
}

test('an export killed at any time is complete after a restart', { timeout: 240_000 }, async () => {
  const app = await longApp()
  const folder = join(scratchFolder(), 'out')
  const names = () => readdir(folder).catch(() => [])
  // The number of files that exist or are being written when it is killed.
  for (const reached of [1, 2, 3, 4]) {
    const child = spawn(process.execPath, [MAIN, 'export', '--app', app.appId, '--url', app.url, '--to', folder], {
      env: { ...process.env, HOMEPORT_ADMIN_TOKEN: inject('adminToken') },
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    while (child.exitCode === null && (await names()).filter((name) => /Long\.\d/.test(name)).length < reached)
      await sleep(2)
    child.kill('SIGKILL')
    await ended
  }
  const { code, stderr } = await runFor(app, 'export', '--to', folder)
  expect([code, withoutProgress(stderr)]).toEqual([0, ''])
  await expectWhole(folder)
})

test('an export reports a lost connection and is complete after a restart', {
  timeout: 240_000,
}, async () => {
  const app = await longApp()
  const folder = join(scratchFolder(), 'out')
  const proxy = await makeSourceProxy(app.url)
  proxy.misbehave((path) => (/\/export(\?|$)/.test(path) ? 'cut in the middle' : undefined))
  const run = () => runFor({ ...app, url: proxy.url }, 'export', '--to', folder)
  for (let cut = 0; cut < 3; cut++) {
    const { code, stderr } = await run()
    expect([code, stderr]).toEqual([1, expect.stringContaining('run the same command again to resume')])
  }
  proxy.misbehave(() => undefined)
  const { code, stderr } = await run()
  expect([code, withoutProgress(stderr)]).toEqual([0, ''])
  await expectWhole(folder)
})
