import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, inject, test } from 'vitest'
import { makeApp } from '../support/app.ts'
import { recordsIn, runFor, scratchFolder } from './exported-app.ts'

const MAIN = process.env.HOMEPORT_TEST_PROGRAM ?? fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const OBJECTS = 60_000

test('an export that is killed at any time is whole when it is begun again', { timeout: 240_000 }, async () => {
  const app = await makeApp()
  await app.request('POST', '/1.1/classes/Long', { body: { n: 0, text: 'x' } })
  await app.sql(`
    INSERT INTO "Long" (id, created_at, updated_at, data)
    SELECT lpad(n::text, 24, '0'), now(), now(), jsonb_build_object('n', n, 'text', repeat(md5(n::text), 30))
    FROM generate_series(1, ${OBJECTS - 1}) AS n`)
  const folder = join(scratchFolder(), 'out')
  const names = () => readdir(folder).catch(() => [])
  // Files that are there, or are being written, when it is killed.
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
  expect([code, stderr]).toEqual([0, ''])
  const files = (await names()).filter((name) => name.startsWith('Long.'))
  expect(files.length).toBeGreaterThan(2)
  const numbers = (await Promise.all(files.map((name) => recordsIn(folder, name)))).flat().map(({ n }) => n)
  expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: OBJECTS }, (_, n) => n))
  expect((await names()).filter((name) => name.endsWith('.part'))).toEqual([])
})
