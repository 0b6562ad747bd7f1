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

test('a new directory is closed to others; root lets them pass through, not look', () => {
  const data = openDataDirectory(path)
  const mode = (name: string) => statSync(name).mode & 0o777
  if (process.platform !== 'win32') {
    expect(mode(path)).toBe(root ? 0o711 : 0o700)
    for (const part of [data.files, data.outbox, data.exports]) expect(mode(part)).toBe(0o700)
  }
  expect(existsSync(data.postgres)).toBe(false)
  data.release()
})

test('an existing directory keeps its mode', () => {
  mkdirSync(path)
  chmodSync(path, 0o750)
  openDataDirectory(path).release()
  expect(statSync(path).mode & 0o777).toBe(0o750)
})

test('a directory in use is refused with the pid and the address of its user', () => {
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

test('a released directory is free and no file of the lock stays', () => {
  const data = openDataDirectory(path)
  data.announce('http://localhost:3000')
  data.release()
  expect(runningServer(path)).toBeNull()
  expect(readdirSync(path).toSorted()).toEqual(['exports', 'files', 'logs', 'moves', 'node-id', 'outbox', 'pictures'])
  openDataDirectory(path).release()
})

test('a release leaves the lock of another holder alone', () => {
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

// Where the system does not tell when a process was started, a pid in use again cannot be told from its first use.
test.skipIf(process.platform === 'win32').each([
  ['killed', lockOf(deadPid)],
  ['killed, and its pid is that of another process now', lockOf(process.ppid)],
  ['killed, and its pid is ours now', lockOf(process.pid)],
  ['cut off by a power failure', ''],
])('a holder that was %s does not stand in the way', (_, lock) => {
  mkdirSync(path)
  writeFileSync(join(path, 'server.lock'), lock)
  expect(runningServer(path)).toBeNull()
  const data = openDataDirectory(path)
  expect(runningServer(path)?.pid).toBe(process.pid)
  data.release()
})

test('a directory that cannot be made is one clear line', () => {
  writeFileSync(join(parent, 'file'), '')
  expect(() => openDataDirectory(join(parent, 'file', 'data'))).toThrow(
    `Cannot use the data directory ${join(parent, 'file', 'data')}: a part of the path is a file.`,
  )
  expect(() => openDataDirectory(join(parent, 'file'))).toThrow(
    `Cannot use the data directory ${join(parent, 'file')}: there is a file of that name.`,
  )
})

test.skipIf(process.platform === 'win32')('a directory that cannot be written is one clear line', () => {
  mkdirSync(path, { mode: 0o500 })
  // To root every directory is writable: it becomes somebody else for a moment.
  if (root) process.seteuid!(NOBODY)
  try {
    expect(() => openDataDirectory(path)).toThrow(`Cannot use the data directory ${path}: permission denied.`)
  } finally {
    if (root) process.seteuid!(0)
  }
})
