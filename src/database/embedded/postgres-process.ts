import { execFileSync, spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresBinaries } from './postgres-binaries.ts'
import { guardPostgres } from './postgres-guard.ts'
import { forwardPostgresLog, type Log } from './postgres-log.ts'
import type { PostgresUser } from './postgres-user.ts'
import { readPostmasterFile } from './postmaster-file.ts'

/** How often a server that starts or stops is looked at, in milliseconds. */
const glance = 10

/**
 * The ways to end a server, from the kindest, and how long each gets, in milliseconds: closing connections and writing
 * everything; leaving at once, which costs a recovery at the next start; not being asked.
 */
const farewells = [
  { signal: 'SIGINT', patience: 20_000 },
  { signal: 'SIGQUIT', patience: 5_000 },
  { signal: 'SIGKILL', patience: 5_000 },
] as const

/** A running, or starting, PostgreSQL server. */
export interface PostgresProcess {
  readonly pid: number
  /** Resolves when it takes connections; rejects with a `PostgresStartError` when it ends before that. */
  readonly ready: Promise<void>
  /** It takes connections: it is ready, and has been told neither to stop nor ended. */
  readonly isReady: boolean
  /** Resolves when it has ended, with a text that says how. */
  readonly ended: Promise<string>
  /** Ends it and resolves when it has ended. */
  stop(): Promise<void>
  /** Asks it to end without waiting: the last thing that a process does for it. */
  abandon(): void
}

/** PostgreSQL ended before it took connections. */
export class PostgresStartError extends Error {
  /** Another server, or what is left of one, still works on the directory; it may be gone soon. */
  readonly directoryInUse: boolean

  constructor(reason: string, code: string) {
    super(`PostgreSQL does not start: ${reason}`)
    this.name = 'PostgresStartError'
    // lock_file_exists
    this.directoryInUse = code === 'F0001'
  }
}

/**
 * The environment for PostgreSQL's programs: nothing that changes what they do (PGPORT, LANG, …), and nothing secret.
 * macOS wants a locale to be set.
 */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'LD_LIBRARY_PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot']
  const entries = kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  return { ...Object.fromEntries(entries), LC_ALL: 'C' }
}

/** Starts the server of the data directory `directory` with `settings`, as `user`. Its log goes to `log`. */
export function spawnPostgres(
  directory: string,
  settings: Readonly<Record<string, string>>,
  { binaries, user, log }: { readonly binaries: PostgresBinaries; readonly user: PostgresUser; readonly log: Log },
): PostgresProcess {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { file, args, identity } = user.command(binaries.postgres, ['-D', directory, ...flags])
  const child = spawn(file, args, {
    ...identity,
    cwd: dirname(binaries.postgres),
    env: postgresEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
    // In a process group of its own it does not get the terminal's Ctrl-C: it is stopped after the last request.
    detached: true,
    windowsHide: true,
  })
  const pid = child.pid ?? 0
  const isRunning = () => pid > 0 && child.exitCode === null && child.signalCode === null

  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`))
    child.once('error', (error) => resolve(error.message))
  })
  if (pid > 0) ended.then(guardPostgres(pid, settings.unix_socket_directories ?? ''))

  // The reason that it names for giving up; without one, as when a library is missing, the first thing it said.
  let complaint = { text: '', code: '', fatal: false }
  const logEnded = forwardPostgresLog(child.stderr, log, ({ text, code, severity }) => {
    if (severity === 'LOG') return
    const fatal = severity === 'FATAL' || severity === 'PANIC'
    if (complaint.text === '' || (fatal && !complaint.fatal)) complaint = { text, code, fatal }
  })

  async function becomeReady(): Promise<void> {
    while (isRunning()) {
      const file = await readPostmasterFile(directory)
      if (file?.pid === pid && file.ready) return
      await sleep(glance)
    }
    // Its last words can arrive after its end. Processes that outlive it keep the log open, so the wait has a limit.
    await Promise.race([logEnded, sleep(1000)])
    throw new PostgresStartError(complaint.text || (await ended), complaint.code)
  }

  let isReady = false
  const ready = becomeReady().then(() => {
    isReady = isRunning()
  })
  return {
    pid,
    get isReady() {
      return isReady && isRunning()
    },
    ended,
    ready,
    stop: () => {
      isReady = false
      return endPostgres(pid, binaries, async () => isRunning())
    },
    abandon: () => {
      if (isRunning()) signalPostgres(pid, 'SIGINT', binaries)
    },
  }
}

/** Ends the server `pid`, which `isRunning` tells to be running, and resolves when it has ended. */
export async function endPostgres(
  pid: number,
  binaries: PostgresBinaries,
  isRunning: () => Promise<boolean>,
): Promise<void> {
  for (const { signal, patience } of farewells) {
    if (!(await isRunning())) return
    signalPostgres(pid, signal, binaries)
    for (const deadline = Date.now() + patience; Date.now() < deadline; await sleep(glance)) {
      if (!(await isRunning())) return
    }
  }
  throw new Error(`The PostgreSQL server, process ${pid}, cannot be stopped.`)
}

/** Windows has no signals; PostgreSQL has its own there, which its pg_ctl knows how to send. */
function signalPostgres(pid: number, signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL', { pgCtl }: PostgresBinaries): void {
  try {
    if (process.platform !== 'win32') process.kill(pid, signal)
    else execFileSync(pgCtl, ['kill', signal.slice(3), String(pid)], { stdio: 'ignore', windowsHide: true })
  } catch (error) {
    // It has ended in the meantime: what was wanted. Windows does not tell, and whoever waits for the end will see.
    const { code } = error as NodeJS.ErrnoException
    if (process.platform !== 'win32' && code !== 'ESRCH') throw error
  }
}
