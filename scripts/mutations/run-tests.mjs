import { spawn } from 'node:child_process'
import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const reporter = fileURLToPath(new URL('reporter.mjs', import.meta.url))
/** The time processes of a run have to stop before they are killed. */
const STOP_TIMEOUT_MS = 10_000
const MAX_OUTPUT = 4_000
const RAM_DISK = '/dev/shm'

/**
 * @typedef {object} TestRun
 * @property {boolean} passed
 * @property {boolean} timedOut
 * @property {object[]} files one event of `reporter.mjs` for each finished test file
 * @property {string[]} errors outside of tests
 * @property {string} output the end of what vitest wrote
 * @property {number} ms duration
 */

/** The folders of current runs by process. Both are removed when this process exits. */
const running = new Map()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => {
    for (const [child, folder] of running) {
      signalGroup(child, 'SIGKILL')
      killLeftovers(folder)
      removeFolder(folder)
    }
    process.exit(130)
  })

/**
 * Runs test files in a process group with its own folder for temporary files. Kills the group and removes the folder when
 * the run takes longer than the limit.
 * @param {object} options
 * @param {string} options.root of the project
 * @param {readonly string[]} options.files absolute paths
 * @param {readonly string[]} options.args further arguments of `vitest run`
 * @param {Record<string, string>} options.env further variables
 * @param {number} options.limitMs
 * @returns {Promise<TestRun>}
 */
export async function runTests({ root, files, args, env, limitMs }) {
  const folder = mkdtempSync(join(tmpdir(), 'mutation-'))
  // Under root, the database runs as another user, which needs access to the folder.
  chmodSync(folder, 0o711)
  const events = join(folder, 'events')
  const output = join(folder, 'output')
  const began = Date.now()
  try {
    const log = openSync(output, 'w')
    const child = spawn(
      process.execPath,
      [vitest, 'run', `--reporter=${reporter}`, '--reporter=default', ...args, ...files],
      {
        cwd: root,
        env: {
          ...suiteEnvironment(),
          ...env,
          TMPDIR: folder,
          HOMEPORT_TEST_RUN: basename(folder),
          HOMEPORT_TEST_MUTATION_EVENTS: events,
        },
        stdio: ['ignore', log, log],
        detached: true,
      },
    )
    closeSync(log)
    running.set(child, folder)
    const { code, signal, timedOut } = await endOf(child, limitMs)
    running.delete(child)
    // A server with an endless loop does not stop with vitest.
    signalGroup(child, 'SIGKILL')
    if (code !== 0 || timedOut) killLeftovers(folder)
    const written = existsSync(events) ? readFileSync(events, 'utf8').split('\n').filter(Boolean).map(JSON.parse) : []
    return {
      passed: code === 0 && !timedOut,
      timedOut,
      files: written.filter(({ file }) => file !== undefined),
      errors: written.flatMap(({ errors }) => errors ?? []),
      output: `${stripVTControlCharacters(readFileSync(output, 'utf8')).slice(-MAX_OUTPUT)}\nexit: ${signal ?? code}`,
      ms: Date.now() - began,
    }
  } finally {
    removeFolder(folder)
  }
}

/** Removes the folder of a run, and its RAM disk folder from `test/support/temporary-directory.ts`. */
function removeFolder(folder) {
  const inMemory = existsSync(RAM_DISK) ? readdirSync(RAM_DISK).filter((name) => name.startsWith(basename(folder))) : []
  for (const path of [folder, ...inMemory.map((name) => join(RAM_DISK, name))])
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}

/** Lists the test files of the default suite with their projects. */
export async function listTests(root) {
  const child = spawn(process.execPath, [vitest, 'list', '--filesOnly', '--json'], {
    cwd: root,
    env: suiteEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) text += chunk
  return JSON.parse(text.slice(text.indexOf('['))).map(({ file, projectName }) => ({ file, project: projectName }))
}

/** Returns the environment without variables that select another suite. */
function suiteEnvironment() {
  const { HOMEPORT_TEST_SUITE: _suite, ...env } = process.env
  return env
}

/** @returns {Promise<{ code: number | null, signal: string | null, timedOut: boolean }>} */
async function endOf(child, limitMs) {
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  const within = (ms) => Promise.race([ended, sleep(ms, null, { ref: false })])
  const end = await within(limitMs)
  if (end) return { ...end, timedOut: false }
  // PostgreSQL disconnects its clients only on SIGINT. When killed, it would leave shared memory.
  signalGroup(child, 'SIGINT')
  await within(STOP_TIMEOUT_MS)
  signalGroup(child, 'SIGKILL')
  return { ...(await ended), timedOut: true }
}

function signalGroup({ pid }, signal) {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/** Kills processes of the run in separate process groups, such as browsers. Requires /proc. */
function killLeftovers(folder) {
  if (!existsSync('/proc/self/environ')) return
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').includes(basename(folder))) process.kill(Number(pid), 'SIGKILL')
    } catch {
      // The process has exited, or belongs to another user.
    }
  }
}
