import { execFileSync, spawn } from 'node:child_process'
import { getPriority, setPriority } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresBinaries } from './postgres-binaries.ts'
import { postgresEnvironment } from './postgres-environment.ts'
import { guardPostgres } from './postgres-guard.ts'
import { forwardPostgresLog, type Log } from './postgres-log.ts'
import type { PostgresUser } from './postgres-user.ts'
import { readPostmasterFile } from './postmaster-file.ts'

/** Milliseconds between two checks of a server that starts or stops. */
const checkInterval = 10

/**
 * The ways to end a server, the gentlest first, and the milliseconds each gets: a fast shutdown that closes connections and
 * writes all data; an immediate shutdown, which needs a recovery at the next start; a kill.
 */
const farewells = [
  { signal: 'SIGINT', timeoutMs: 20_000 },
  { signal: 'SIGQUIT', timeoutMs: 5_000 },
  { signal: 'SIGKILL', timeoutMs: 5_000 },
] as const

/** A PostgreSQL server that is starting or running. */
export interface PostgresProcess {
  readonly pid: number
  /** Resolves when it accepts connections; rejects with a `PostgresStartError` when it ends before that. */
  readonly ready: Promise<void>
  /** Whether it accepts connections: it is ready, was not asked to stop, and has not ended. */
  readonly isReady: boolean
  /** Resolves when it has ended, with a text that describes how. */
  readonly ended: Promise<string>
  /** Stops it and resolves when it has ended. */
  stop(): Promise<void>
  /** Asks it to end without waiting, when this process exits. */
  abandon(): void
}

/** PostgreSQL ended before it accepted connections. */
export class PostgresStartError extends Error {
  /** Another server, or the remains of one, still works on the directory; this may be temporary. */
  readonly directoryInUse: boolean

  constructor(reason: string, code: string) {
    super(`PostgreSQL cannot start: ${reason}`)
    this.name = 'PostgresStartError'
    // lock_file_exists
    this.directoryInUse = code === 'F0001'
  }
}

interface SpawnOptions {
  readonly binaries: PostgresBinaries
  readonly user: PostgresUser
  readonly log: Log
  /** Steps of `nice` by which the server is ranked below this process. */
  readonly niceness?: number
}

/** Starts the server of a data directory with `settings`, as `user`. Its log goes to `log`. */
export function spawnPostgres(
  directory: string,
  settings: Readonly<Record<string, string>>,
  { binaries, user, log, niceness = 0 }: SpawnOptions,
): PostgresProcess {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { file, args, identity } = user.command(binaries.postgres, ['-D', directory, ...flags])
  const child = spawn(file, args, {
    ...identity,
    cwd: dirname(binaries.postgres),
    env: postgresEnvironment(binaries.libraries),
    stdio: ['ignore', 'ignore', 'pipe'],
    // In its own process group it does not receive the terminal's Ctrl-C, so that it is stopped after the last request.
    detached: true,
    windowsHide: true,
  })
  const pid = child.pid ?? 0
  if (pid > 0 && niceness > 0) rankLower(pid, niceness)
  const isRunning = () => pid > 0 && child.exitCode === null && child.signalCode === null

  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`))
    child.once('error', (error) => resolve(error.message))
  })
  if (pid > 0) ended.then(guardPostgres(pid, settings.unix_socket_directories ?? ''))

  // The reason the server logs for giving up; without one, as when a library is missing, its first message.
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
      await sleep(checkInterval)
    }
    // The last log lines can arrive after the process has ended. Processes that outlive it keep the log open, so the wait is
    // bounded.
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

/** Lowers the priority of a process that has just been started, and of the processes that it will start. */
function rankLower(pid: number, niceness: number): void {
  try {
    setPriority(pid, Math.min(19, getPriority() + niceness))
  } catch {
    // It has ended already, or runs as another user on a system that forbids this: then it runs with normal priority.
  }
}

/** Ends the server `pid` and resolves when `isRunning` returns false. */
export async function endPostgres(
  pid: number,
  binaries: PostgresBinaries,
  isRunning: () => Promise<boolean>,
): Promise<void> {
  for (const { signal, timeoutMs } of farewells) {
    if (!(await isRunning())) return
    signalPostgres(pid, signal, binaries)
    for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(checkInterval)) {
      if (!(await isRunning())) return
    }
  }
  throw new Error(`The PostgreSQL server, process ${pid}, cannot be stopped.`)
}

/** Sends a signal. Windows has no signals; PostgreSQL emulates them there, and its pg_ctl can send them. */
function signalPostgres(pid: number, signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL', { pgCtl }: PostgresBinaries): void {
  try {
    if (process.platform !== 'win32') process.kill(pid, signal)
    else execFileSync(pgCtl, ['kill', signal.slice(3), String(pid)], { stdio: 'ignore', windowsHide: true })
  } catch (error) {
    // The server has ended meanwhile, as intended. Windows does not report this, but the caller's wait for the end detects it.
    const { code } = error as NodeJS.ErrnoException
    if (process.platform !== 'win32' && code !== 'ESRCH') throw error
  }
}
