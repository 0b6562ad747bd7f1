import { chmodSync, existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { copyClusterTemplate } from './cluster-template.ts'
import { type Program, startProgram } from './program.ts'

/** A separate data directory, and the programs that run on it. */
export interface Home {
  /** The data directory; created by the first start. */
  readonly data: string
  /** An empty directory next to it. */
  readonly directory: string
  /** Starts the program on the data directory. */
  start(options?: readonly string[], environment?: Record<string, string>): Promise<Program>
  /** Returns the process id of the embedded database server; null when it is not running. */
  postmaster(): number | null
  /** Opens a separate connection to the embedded database, which closes at the end. */
  connect(): Promise<pg.Client>
}

/**
 * Creates a home. At `atEnd` (vitest's `afterAll` or `onTestFinished`), all its programs are stopped and the directory is
 * removed.
 * @param options.fresh whether the first start creates the embedded database; otherwise it is copied from a template without
 * apps, which saves two seconds of CPU time
 */
export function makeHome(atEnd: (end: () => Promise<void>) => void, { fresh = false } = {}): Home {
  const directory = mkdtempSync(join(tmpdir(), 'homeport-test-'))
  // Under root the embedded database runs as another user, which needs access to the directory.
  chmodSync(directory, 0o711)
  const data = join(directory, 'data')
  const programs: Promise<Program>[] = []
  const clients: pg.Client[] = []
  const postmasterFile = () => firstLines(join(data, 'postgres', 'postmaster.pid'))
  const postmaster = () => {
    const pid = Number(postmasterFile()[0])
    return pid > 0 && isAlive(pid) ? pid : null
  }
  atEnd(async () => {
    for (const client of clients) await client.end().catch(() => {})
    // A program that is still starting when its test fails must be stopped too.
    for (const starting of programs) {
      const program = await starting.catch(() => null)
      if (program && isRunning(program)) await program.stop()
    }
    // A killed program leaves its database running.
    const socket = postmasterFile()[4]
    for (let pid = postmaster(); pid !== null; pid = postmaster()) {
      requestStop(pid)
      await sleep(50)
    }
    if (socket) await rm(socket, { recursive: true, force: true })
    // Processes of a killed database can still write there for a moment.
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  })
  return {
    data,
    directory,
    postmaster,
    start(options = [], environment = {}) {
      const isEmbedded = !options.includes('--database-url') && environment.HOMEPORT_DATABASE_URL === undefined
      // Unset when a campaign runs without Vitest.
      const template = process.env.HOMEPORT_TEST_CLUSTER_TEMPLATE
      if (template && isEmbedded && !fresh && !existsSync(data)) copyClusterTemplate(template, data)
      const starting = startProgram(['--data', data, ...options], environment)
      programs.push(starting)
      return starting
    },
    async connect() {
      const host = postmasterFile()[4]!
      const password = readFileSync(join(data, 'postgres-password'), 'utf8').trim()
      const client = new pg.Client({ host, port: 5432, user: 'homeport', database: 'homeport', password })
      client.on('error', () => {})
      await client.connect()
      clients.push(client)
      return client
    },
  }
}

export function isRunning(program: Program): boolean {
  return program.process.exitCode === null && program.process.signalCode === null
}

/** Returns whether the process exists; zombies do not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return process.platform !== 'linux' || !/^\d+ \(.*\) Z/.test(firstLines(`/proc/${pid}/stat`)[0] ?? '')
}

function requestStop(pid: number): void {
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    // The process has exited since it was found.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function firstLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    return []
  }
}
