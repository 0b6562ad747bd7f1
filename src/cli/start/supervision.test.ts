import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mustSupervise } from './supervision.ts'

const USUAL = { pid: 4711, platform: 'linux' }
const supervises = (words: readonly string[], environment: NodeJS.ProcessEnv = {}, process = USUAL) =>
  mustSupervise(words, environment, process, '/nonexistent')

describe('auto', () => {
  test.each<[string, NodeJS.ProcessEnv, typeof USUAL, boolean]>([
    ['supervises a server started in a shell', {}, USUAL, true],
    ['leaves it to systemd that started this process', { INVOCATION_ID: 'a', SYSTEMD_EXEC_PID: '4711' }, USUAL, false],
    ['supervises in a shell that another unit started', { INVOCATION_ID: 'a', SYSTEMD_EXEC_PID: '12' }, USUAL, true],
    ['leaves it to a systemd before 248', { INVOCATION_ID: 'a' }, USUAL, false],
    ['leaves it to a service manager that waits for a notification', { NOTIFY_SOCKET: '/run/s' }, USUAL, false],
    ['leaves it to PM2', { pm_id: '0' }, USUAL, false],
    ['leaves it to the container whose first process this is', {}, { ...USUAL, pid: 1 }, false],
    ['does not supervise on Windows', {}, { ...USUAL, platform: 'win32' }, false],
  ])('%s', (_, environment, process, expected) => {
    expect(supervises(['start'], environment, process)).toBe(expected)
  })

  test('only start is supervised, and not its help', () => {
    expect(supervises(['doctor'])).toBe(false)
    expect(supervises([])).toBe(false)
    expect(supervises(['start', '--help'])).toBe(false)
  })
})

test('the flag takes precedence over the environment, and that over the file', () => {
  expect(supervises(['start', '--supervise', 'on'], { NOTIFY_SOCKET: '/run/s' })).toBe(true)
  expect(supervises(['start', '--supervise=off'])).toBe(false)
  expect(supervises(['start'], { HOMEPORT_SUPERVISE: 'off' })).toBe(false)
  expect(supervises(['start', '--supervise', 'on'], { HOMEPORT_SUPERVISE: 'off' })).toBe(true)
  const directory = mkdtempSync(join(tmpdir(), 'homeport-supervision-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'homeport.config.json')
  writeFileSync(file, '{"supervise":"off"}')
  expect(mustSupervise(['start'], {}, USUAL, file)).toBe(false)
  expect(mustSupervise(['start'], { HOMEPORT_SUPERVISE: 'on' }, USUAL, file)).toBe(true)
})

test('a server does not supervise itself, whatever its options', () => {
  expect(supervises(['start', '--supervise', 'on'], { SUPERVISOR_OF_HOMEPORT: '12' })).toBe(false)
})

test('leaves an invalid value to the server, which reports it', () => {
  expect(supervises(['start', '--supervise', 'maybe'])).toBe(false)
  expect(supervises(['start', '--supervise'])).toBe(false)
})
