import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { call } from '../support/app.ts'
import { isAlive, makeHome } from '../support/home.ts'

const CREDENTIALS = { HOMEPORT_APP_ID: 'orphan', HOMEPORT_APP_KEY: 'orphan-key', HOMEPORT_MASTER_KEY: 'orphan-master' }
const HEADERS = { 'x-lc-id': 'orphan', 'x-lc-key': 'orphan-key', 'content-type': 'application/json' }
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

describe.skipIf(process.platform === 'win32')('the embedded database of a server that was killed', () => {
  test('shuts down cleanly on its own, and the next start finds all data', async () => {
    const home = makeHome(onTestFinished)
    const program = await home.start([], CREDENTIALS)
    const { body } = await call(program.url, 'POST', '/1.1/classes/Kept', HEADERS, { n: 1 })
    const postmaster = home.postmaster()!
    const file = join(home.data, 'postgres', 'postmaster.pid')
    const socket = readFileSync(file, 'utf8').split('\n')[4]!
    await program.kill()
    await expect.poll(() => isAlive(postmaster), { timeout: 60_000 }).toBe(false)
    // Only a clean shutdown removes this file.
    expect(existsSync(file)).toBe(false)
    await expect.poll(() => existsSync(socket)).toBe(false)
    const next = await home.start([], CREDENTIALS)
    expect((await call(next.url, 'GET', `/1.1/classes/Kept/${body.objectId}`, HEADERS, undefined)).body.n).toBe(1)
    expect(await next.stop()).toBe(0)
  })

  // PostgreSQL 18.4 can hang when it is stopped during recovery; this process ignores the signal too.
  test('receives an immediate shutdown when it does not stop', async () => {
    const deaf = spawn('/bin/sh', ['-c', 'trap "" INT; while :; do sleep 0.1; done'], { stdio: 'ignore' })
    const ended = once(deaf, 'exit')
    onTestFinished(() => void deaf.kill('SIGKILL'))
    const module = JSON.stringify(join(ROOT, 'src/database/embedded/postgres-guard.ts'))
    const server = `import { guardPostgres } from ${module}; guardPostgres(${deaf.pid}, '/nonexistent', 1); process.kill(process.pid, 'SIGKILL')`
    spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', server], { stdio: 'ignore' })
    expect(await ended).toEqual([null, 'SIGQUIT'])
  })
})

test.skipIf(process.platform === 'win32')('a server started by npm shuts down cleanly when npm exits', async () => {
  const home = makeHome(onTestFinished)
  const npm = spawn('npm', ['start', '--', '--port', '0', '--host', '127.0.0.1', '--data', home.data], {
    cwd: ROOT,
    env: { ...process.env, HOMEPORT_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  npm.stdout.on('data', (chunk) => {
    output += chunk
  })
  npm.stderr.on('data', (chunk) => {
    output += chunk
  })
  await expect.poll(() => output, { timeout: 60_000 }).toContain('Homeport is ready at')
  const postmaster = home.postmaster()!
  // The pipe closes when its last writer has exited: npm, its shell and the server.
  const ended = once(npm, 'close')
  npm.kill('SIGTERM')
  await ended
  expect(output).toContain('SIGTERM: stopping')
  expect(isAlive(postmaster)).toBe(false)
  expect(existsSync(join(home.data, 'postgres', 'postmaster.pid'))).toBe(false)
})
