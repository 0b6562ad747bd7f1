import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { isAlive, makeHome } from '../support/home.ts'
import { runProgram } from '../support/program.ts'

const ON = { HOMEPORT_SUPERVISE: 'on' }
const WAIT = { timeout: 60_000, interval: 50 }
const isOnWindows = process.platform === 'win32'

/** Returns the process of the server on a data directory. */
const serverOf = (data: string): number => JSON.parse(readFileSync(join(data, 'server.lock'), 'utf8')).pid
const readyLines = (output: string) => output.match(/Homeport is ready at \S+\n/g) ?? []

test.skipIf(isOnWindows)(
  'a killed server is restarted with its database, and stops with its supervisor',
  async () => {
    const home = makeHome(afterAll)
    const program = await home.start([], ON)
    const first = serverOf(home.data)
    expect(first).not.toBe(program.process.pid)
    process.kill(first, 'SIGKILL')
    await expect.poll(() => readyLines(program.output()).length, WAIT).toBe(2)
    expect(program.output()).toContain('homeport: the server ended unexpectedly (SIGKILL), restarting in 0.5 s\n')
    expect(program.output()).toMatch(/"reason":"SIGKILL","msg":"server ended unexpectedly, restarted"/)
    const second = serverOf(home.data)
    expect(second).not.toBe(first)
    const url = /ready at (\S+)/.exec(readyLines(program.output())[1]!)![1]
    expect((await fetch(`${url}/health`)).status).toBe(200)
    expect(await program.stop()).toBe(0)
    expect(program.output()).toContain('SIGTERM: stopping')
    expect([isAlive(second), home.postmaster()]).toEqual([false, null])
  },
  120_000,
)

test.skipIf(isOnWindows)(
  'a server whose supervisor is killed stops, and leaves the data directory',
  async () => {
    const home = makeHome(onTestFinished)
    const program = await home.start([], ON)
    const server = serverOf(home.data)
    process.kill(program.process.pid!, 'SIGKILL')
    await expect.poll(() => isAlive(server), WAIT).toBe(false)
    expect(home.postmaster()).toBe(null)
    const next = await home.start()
    expect(await next.stop()).toBe(0)
  },
  120_000,
)

test.each([
  ['an option without its value', ['--port'], 2, /^homeport: option '--port <value>' argument missing\n$/],
  ['an invalid configuration', ['--port', 'x'], 2, /^homeport: --port .*\n$/],
  [
    'a first start that fails',
    ['--database-url', 'postgresql://u:p@127.0.0.1:9/x'],
    1,
    /^homeport: .*127\.0\.0\.1:9.*\n$/,
  ],
])('%s ends the supervisor with the same exit code, once', async (_, options, expected, text) => {
  const home = makeHome(onTestFinished)
  const { code, stderr } = await runProgram(['start', '--data', home.data, ...options], ON)
  expect(code).toBe(expected)
  expect(stderr).toMatch(text)
})
