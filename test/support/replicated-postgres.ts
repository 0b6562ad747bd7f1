import { execFile } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { choosePostgresUser } from '../../src/database/embedded/postgres-user.ts'
import { type ChildServer, startChildServer } from './child-server.ts'
import { freePort } from './free-port.ts'

/** The directory of PostgreSQL's programs: HOMEPORT_TEST_POSTGRES, else Debian's newest; null: not installed. */
export const postgresPrograms = process.env.HOMEPORT_TEST_POSTGRES ?? debianPrograms()

if (postgresPrograms === null) {
  console.warn(
    'Tests with a standby are skipped: no PostgreSQL was found. Install one (Debian: apt-get install postgresql), or let HOMEPORT_TEST_POSTGRES name the folder of pg_basebackup.',
  )
}

function debianPrograms(): string | null {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((one, other) => Number(other) - Number(one)) : []
  return (
    versions.map((version) => join(root, version, 'bin')).find((bin) => existsSync(join(bin, 'pg_basebackup'))) ?? null
  )
}

/** The user and database that accept all local connections without a password. */
const NAME = 'homeport'

/** A PostgreSQL server on a separate port. */
export interface PostgresServer {
  readonly port: number
  readonly url: string
  /** Runs a statement and returns its rows. */
  query(text: string, values?: unknown[], database?: string): Promise<Record<string, unknown>[]>
  start(): Promise<void>
  /** Kills it, like a crash. */
  crash(): Promise<void>
  /** Stops it cleanly. */
  stop(): Promise<void>
  /** Makes it hang like a vanished machine: connections stay open without responses. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  /** Promotes a standby to the primary. */
  promote(): Promise<void>
  /** Starts a stopped server as a standby of another one. */
  follow(primary: PostgresServer): Promise<void>
  /** Creates and starts a standby with synchronous replication. */
  addStandby(): Promise<PostgresServer>
}

/** Starts servers that are removed with all files at `atEnd`. Requires `postgresPrograms`. */
export async function startPostgres(
  atEnd: (end: () => Promise<void>) => void,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const root = mkdtempSync(join(tmpdir(), 'homeport-test-'))
  chmodSync(root, 0o711)
  const programs = postgresPrograms!
  const user = choosePostgresUser(null, [join(programs, 'postgres'), root])
  const ends: (() => Promise<void>)[] = []
  atEnd(async () => {
    await Promise.all(ends.map((end) => end()))
    await rm(root, { recursive: true, force: true })
  })
  const makeFolder = (name: string) => {
    const folder = join(root, name)
    mkdirSync(folder, { mode: 0o700 })
    if (user.owner) chownSync(folder, user.owner.uid, user.owner.gid)
    return folder
  }
  const run = async (program: string, args: readonly string[]) => {
    const { file, args: all, identity } = user.command(join(programs, program), args)
    await promisify(execFile)(file, all, { ...identity, cwd: '/' })
  }

  function server(folder: string, port: number): PostgresServer {
    let child: ChildServer | undefined
    const url = `postgresql://${NAME}@127.0.0.1:${port}/${NAME}`
    const start = async () => {
      const all = { ...SETTINGS, ...settings, port: String(port) }
      const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      child = await startChildServer(user.command(join(programs, 'postgres'), ['-D', folder, ...flags]), port)
      // It listens before it can respond.
      while (!(await query('SELECT 1', [], 'postgres').catch(() => null))) await sleep(20)
    }
    const end = async (signal: NodeJS.Signals) => {
      await thaw()
      await child?.end(signal)
    }
    /** Signals the postmaster and its children. */
    const signalAll = async (signal: string) => {
      if (!child?.isRunning) return
      const [postmaster = ''] = (await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n')
      // The postmaster first, so that it starts no more children.
      process.kill(Number(postmaster), signal)
      const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', postmaster])
      for (const pid of stdout.split(/\s+/).filter(Boolean)) signalIfThere(Number(pid), signal)
    }
    let frozen = false
    const thaw = async () => {
      if (frozen) await signalAll('SIGCONT')
      frozen = false
    }
    ends.push(() => end('SIGQUIT'))
    const query = async (text: string, values: unknown[] = [], database = NAME) => {
      const client = new pg.Client({ host: '127.0.0.1', port, user: NAME, database })
      await client.connect()
      try {
        return (await client.query(text, values)).rows as Record<string, unknown>[]
      } finally {
        await client.end()
      }
    }
    return {
      port,
      url,
      query,
      start,
      crash: () => end('SIGQUIT'),
      stop: () => end('SIGINT'),
      async freeze() {
        frozen = true
        await signalAll('SIGSTOP')
      },
      thaw,
      async promote() {
        await query('SELECT pg_promote()')
      },
      async follow(primary) {
        await writeFile(join(folder, 'standby.signal'), '')
        const { hostname, port: at, username } = new URL(primary.url)
        const conninfo = `host=${hostname} port=${at} user=${username}`
        await appendFile(join(folder, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`)
        await start()
      },
      async addStandby() {
        const [standby, at] = [makeFolder(`standby-${port}`), await freePort()]
        await run('pg_basebackup', [
          '-h',
          '127.0.0.1',
          '-p',
          String(port),
          '-U',
          NAME,
          '-D',
          standby,
          '-R',
          '-c',
          'fast',
        ])
        const second = server(standby, at)
        await second.start()
        // Set after the base backup: a promoted standby waits for no other server.
        await query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
        await query('SELECT pg_reload_conf()')
        return second
      },
    }
  }

  const first = server(makeFolder('primary'), await freePort())
  await run('initdb', ['-D', join(root, 'primary'), '-U', NAME, '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'])
  await first.start()
  await first.query(`CREATE DATABASE ${NAME}`, [], 'postgres')
  return first
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // The data need not survive a power failure.
  fsync: 'off',
}

function signalIfThere(pid: number, signal: string): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // The process has exited since it was found.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
