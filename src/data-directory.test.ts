import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DataDirectoryInUse, openDataDirectory, runningServer } from './data-directory.ts'

const root = process.getuid?.() === 0

let parent: string
let path: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'homeport-data-'))
  path = join(parent, 'data')
})
afterEach(() => rmSync(parent, { recursive: true }))

test('creates a private directory; as root, other users may pass through it but not list it', () => {
  const data = openDataDirectory(path)
  const mode = (name: string) => statSync(name).mode & 0o777
  if (process.platform !== 'win32') {
    expect(mode(path)).toBe(root ? 0o711 : 0o700)
    for (const part of [data.files, data.outbox, data.exports]) expect(mode(part)).toBe(0o700)
  }
  expect(existsSync(data.postgres)).toBe(false)
  data.release()
})

test('keeps the mode of an existing directory', () => {
  mkdirSync(path)
  chmodSync(path, 0o750)
  openDataDirectory(path).release()
  expect(statSync(path).mode & 0o777).toBe(0o750)
})

test('refuses a directory in use with the pid and URL of its server', () => {
  const data = openDataDirectory(path)
  expect(runningServer(path)).toEqual({ pid: process.pid, url: null })
  data.announce('http://localhost:3000')
  expect(runningServer(path)).toEqual({ pid: process.pid, url: 'http://localhost:3000' })

  const refusal = new DataDirectoryInUse(path, process.pid, 'http://localhost:3000')
  expect(() => openDataDirectory(path)).toThrow(refusal)
  expect(refusal.message).toBe(
    `The data directory ${path} is in use by another Homeport: process ${process.pid}, http://localhost:3000.`,
  )
  data.release()
})

test('leaves a released directory free, without lock files', () => {
  const data = openDataDirectory(path)
  data.announce('http://localhost:3000')
  data.release()
  expect(runningServer(path)).toBeNull()
  expect(readdirSync(path).toSorted()).toEqual(['exports', 'files', 'logs', 'moves', 'node-id', 'outbox', 'pictures'])
  openDataDirectory(path).release()
})

test('does not remove the lock of another holder on release', () => {
  const first = openDataDirectory(path)
  rmSync(join(path, 'server.lock'))
  const second = openDataDirectory(path)
  first.release()
  expect(runningServer(path)).toEqual({ pid: process.pid, url: null })
  second.release()
})

const NOBODY = 65534
const deadPid = spawnSync(process.execPath, ['-e', '']).pid
const lockOf = (pid: number) => JSON.stringify({ pid, started: 'then', nonce: 'a', url: null })

// If the system does not report start times, a reused pid looks like its first use.
test.skipIf(process.platform === 'win32').each([
  ['killed', lockOf(deadPid)],
  ['killed, and its pid is that of another process now', lockOf(process.ppid)],
  ['killed, and its pid is ours now', lockOf(process.pid)],
  ['cut off by a power failure', ''],
])('ignores the lock of a holder that was %s', (_, lock) => {
  mkdirSync(path)
  writeFileSync(join(path, 'server.lock'), lock)
  expect(runningServer(path)).toBeNull()
  const data = openDataDirectory(path)
  expect(runningServer(path)?.pid).toBe(process.pid)
  data.release()
})

test('reports a directory that cannot be created in one line', () => {
  writeFileSync(join(parent, 'file'), '')
  expect(() => openDataDirectory(join(parent, 'file', 'data'))).toThrow(
    `Cannot use the data directory ${join(parent, 'file', 'data')}: a part of the path is a file.`,
  )
  expect(() => openDataDirectory(join(parent, 'file'))).toThrow(
    `Cannot use the data directory ${join(parent, 'file')}: a file with that name exists.`,
  )
})

test.skipIf(process.platform === 'win32')('reports a directory that is not writable in one line', () => {
  mkdirSync(path, { mode: 0o500 })
  // Root can write to every directory, so the process briefly changes its user.
  if (root) process.seteuid!(NOBODY)
  try {
    expect(() => openDataDirectory(path)).toThrow(`Cannot use the data directory ${path}: permission denied.`)
  } finally {
    if (root) process.seteuid!(0)
  }
})
