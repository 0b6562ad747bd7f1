import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lockHolder } from './directory-lock.ts'

const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
const source = fileURLToPath(new URL('./directory-lock.ts', import.meta.url))

let directory: string
let starters: Starter[]

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'homeport-lock-'))
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  // Compiled, because child processes run without vitest and cannot load TypeScript.
  const options = ['--ignoreConfig', '--noCheck', '--target', 'es2023', '--module', 'nodenext', '--outDir', directory]
  execFileSync(process.execPath, [tsc, ...options, source])
  starters = await Promise.all(Array.from({ length: 6 }, () => startStarter(join(directory, 'directory-lock.js'))))
})

afterAll(async () => {
  for (const { child } of starters) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  rmSync(directory, { recursive: true })
})

test('gives the lock to exactly one of several processes that start at once, also over the lock of a dead one', async () => {
  const dead = (nonce: string) => JSON.stringify({ pid: 2 ** 30, started: 'then', nonce, url: null })
  for (let round = 0; round < 60; round++) {
    const lock = join(directory, `round-${round}.lock`)
    if (round % 3 > 0) writeFileSync(lock, dead('first'))
    // The process died while it took over from another dead one.
    if (round % 3 > 1) writeFileSync(`${lock}.first`, dead('second'))

    const outcomes = await Promise.all(starters.map((starter) => starter.take(lock)))
    const winners = starters.filter((_, index) => outcomes[index] === 'taken')
    expect(winners).toHaveLength(1)
    expect(lockHolder(lock)?.pid).toBe(winners[0]?.child.pid)
    expect(readdirSync(dirname(lock)).filter((name) => name.startsWith(`round-${round}.lock`))).toHaveLength(1)
  }
})

test('distinguishes a lock that was copied with its directory from one that is held', async () => {
  const [first, second] = starters as [Starter, Starter]
  const [original, copy] = ['original', 'copy'].map((name) => join(directory, name))
  mkdirSync(original!)
  expect(await first.take(join(original!, 'server.lock'))).toBe('taken')
  execFileSync('cp', ['-a', original!, copy!])
  expect(await second.take(join(copy!, 'server.lock'))).toBe(`copied from the directory of process ${first.child.pid}`)
  expect(lockHolder(join(copy!, 'server.lock'))).toBeNull()
  expect(lockHolder(join(original!, 'server.lock'))?.pid).toBe(first.child.pid)
})

test('frees the lock of a killed process at once', async () => {
  const lock = join(directory, 'killed.lock')
  const [first, second] = starters as [Starter, Starter]
  expect(await first.take(lock)).toBe('taken')
  expect(await second.take(lock)).toBe(`held by process ${first.child.pid}`)
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')
  expect(lockHolder(lock)).toBeNull()
  expect(await second.take(lock)).toBe('taken')
})

interface Starter {
  readonly child: ChildProcess
  /** Tries to take a lock and keeps it. @returns `taken`, or the reason for failure */
  take(path: string): Promise<string>
}

async function startStarter(compiled: string): Promise<Starter> {
  const program = `
    import { acquireLock } from ${JSON.stringify(pathToFileURL(compiled).href)}
    import { createInterface } from 'node:readline'
    console.log('ready')
    for await (const path of createInterface({ input: process.stdin })) {
      try { acquireLock(path); console.log('taken') } catch (error) { console.log(error.message) }
    }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = on(createInterface({ input: child.stdout }), 'line')
  const next = async () => String((await answers.next()).value[0])
  await next()
  return {
    child,
    take(path) {
      child.stdin.write(`${path}\n`)
      return next()
    },
  }
}
