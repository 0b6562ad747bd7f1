import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type DatabaseAddress, type EmbeddedDatabase, startEmbeddedDatabase } from './embedded-database.ts'
import { findPostgresBinaries } from './postgres-binaries.ts'
import type { Log } from './postgres-log.ts'
import { readPostmasterFile } from './postmaster-file.ts'

const isRoot = process.getuid?.() === 0

let lines: string[] = []
const note = (fields: object, text: string) => lines.push(`${JSON.stringify(fields)} ${text}`)
const log: Log = { info: note, warn: note, error: note }

/** What the test started. It is stopped after the test, also after a failure. */
let databases: EmbeddedDatabase[] = []
let processes: ChildProcess[] = []

/** A data directory that was initialized once; every test gets a copy, which is faster than initdb. */
let template: string
let parent: string
let directory: string

beforeAll(async () => {
  template = mkdtempSync(join(tmpdir(), 'homeport-embedded-'))
  chmodSync(template, 0o711)
  const database = await startEmbeddedDatabase({ directory: join(template, 'postgres'), log })
  await query(database.address, 'CREATE TABLE kept (word text)')
  await query(database.address, "INSERT INTO kept VALUES ('from the template')")
  await database.stop()
})
afterAll(() => rmSync(template, { recursive: true }))

beforeEach(() => {
  lines = []
  parent = mkdtempSync(join(tmpdir(), 'homeport-embedded-'))
  chmodSync(parent, 0o711)
  directory = join(parent, 'postgres')
})
afterEach(async () => {
  for (const database of databases) await database.stop()
  for (const child of processes) if (child.kill('SIGKILL')) await once(child, 'exit')
  databases = []
  processes = []
  rmSync(parent, { recursive: true })
})

describe('first start', () => {
  test('creates the database homeport, in UTF-8 and ordered by code points', async () => {
    const database = await start({ work_mem: '5MB' })
    const rows = await query(
      database.address,
      `SELECT current_database() AS name, pg_encoding_to_char(encoding) AS encoding, 'Z' < 'a' AS "codePoints",
         lower('Ä') AS lower, current_setting('work_mem') AS "workMem", current_setting('TimeZone') AS zone,
         current_setting('fsync') AS fsync, current_setting('data_checksums') AS checksums
       FROM pg_database WHERE datname = current_database()`,
    )
    await database.stop()
    expect(rows).toEqual([
      {
        name: 'homeport',
        encoding: 'UTF8',
        codePoints: true,
        lower: 'ä',
        workMem: '5MB',
        zone: 'UTC',
        fsync: 'on',
        checksums: 'on',
      },
    ])
  })

  test('starts afresh over the remains of a start that was killed', async () => {
    const remains = `${directory}.unfinished-Abc123`
    mkdirSync(join(remains, 'data', 'base'), { recursive: true })
    writeFileSync(join(remains, 'data', 'PG_VERSION'), '18\n')
    writeFileSync(`${directory}-password`, 'kept from then\n')
    const database = await start()
    expect(database.address.password).toBe('kept from then')
    expect(await query(database.address, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await database.stop()
    expect(readdirSync(parent).toSorted()).toEqual(['postgres', 'postgres-password'])
  })

  test('does not touch a directory that holds other files', async () => {
    mkdirSync(directory)
    writeFileSync(join(directory, 'letter.txt'), 'mine')
    await expect(start()).rejects.toThrow(`${directory} is not empty and is not a PostgreSQL data directory.`)
    expect(readdirSync(directory)).toEqual(['letter.txt'])
  })
})

describe('later start', () => {
  beforeEach(copyTemplate)

  test('finds the data, and leaves neither process nor socket after a stop', async () => {
    const database = await start()
    expect(await words(database)).toEqual(['from the template'])
    const { pid } = await postmaster()
    await database.stop()
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    if (process.platform !== 'win32') expect(existsSync(database.address.host)).toBe(false)
  })

  test('refuses the data of another PostgreSQL version with one line', async () => {
    writeFileSync(join(directory, 'PG_VERSION'), '17\n')
    await expect(start()).rejects.toThrow(/was created by PostgreSQL 17. This Homeport includes PostgreSQL 18/)
  })

  test('fails with the reason that PostgreSQL reports', async () => {
    await expect(start({ shared_buffers: 'plenty' })).rejects.toThrow(
      'PostgreSQL cannot start: invalid value for parameter "shared_buffers": "plenty"',
    )
  })

  test('names the missing password file', async () => {
    rmSync(`${directory}-password`)
    await expect(start()).rejects.toThrow(`${directory}-password`)
  })

  test.skipIf(process.platform === 'win32')(
    'takes over from a server that a killed Homeport left running',
    async () => {
      const { child, socket } = await leaveServer()
      const database = await start()
      expect(child.exitCode).toBe(0)
      expect(existsSync(socket)).toBe(false)
      expect(await words(database)).toEqual(['from the template'])
      expect(lines.join()).toContain('orphaned PostgreSQL found on the data directory, stopping it')
    },
  )

  test.skipIf(process.platform === 'win32')('starts after such a server was killed too', async () => {
    const { child, socket } = await leaveServer()
    child.kill('SIGKILL')
    await once(child, 'exit')
    const database = await start()
    expect(await words(database)).toEqual(['from the template'])
    expect(existsSync(socket)).toBe(false)
  })

  test.skipIf(process.platform === 'win32')(
    'leaves an unrelated program alone that has the pid of the last server',
    async () => {
      const bystander = spawn('sleep', ['60'], ownerOfData())
      processes.push(bystander)
      writeFileSync(
        join(directory, 'postmaster.pid'),
        `${bystander.pid}\n${directory}\n0\n5432\n/nowhere\n\n0 0\nready\n`,
      )
      const database = await start()
      expect(await words(database)).toEqual(['from the template'])
      await database.stop()
      expect(bystander.exitCode ?? bystander.signalCode).toBeNull()
      bystander.kill()
      await once(bystander, 'exit')
    },
  )
})

describe.skipIf(process.platform === 'win32')('copy of a live data directory', () => {
  beforeEach(copyTemplate)

  test('starts without harm to the original', async () => {
    const original = await start()
    const copy = join(parent, 'copy')
    execFileSync('cp', ['-a', directory, copy])
    execFileSync('cp', ['-a', `${directory}-password`, `${copy}-password`])
    const database = await start({}, copy)
    expect(await words(database)).toEqual(['from the template'])
    // The original still accepts new connections.
    expect(await words(original)).toEqual(['from the template'])
    expect(existsSync(original.address.host)).toBe(true)
  })
})

describe('running server', () => {
  beforeEach(copyTemplate)

  test.skipIf(process.platform === 'win32')('is restarted at the same address when its socket is lost', async () => {
    const database = await start()
    await query(database.address, "INSERT INTO kept VALUES ('just committed')")
    rmSync(database.address.host, { recursive: true })
    await expect
      .poll(() => words(database).catch(() => null), { timeout: 60_000 })
      .toEqual(['from the template', 'just committed'])
    expect(lines.join()).toContain('PostgreSQL socket lost, restarting PostgreSQL')
  })

  test('is restarted at the same address with every committed row when it is killed', async () => {
    const database = await start()
    await query(database.address, "INSERT INTO kept VALUES ('just committed')")
    for (let time = 0; time < 2; time++) {
      const { pid } = await postmaster()
      process.kill(pid, 'SIGKILL')
      // The killed server may still accept a connection while it ends.
      await expect
        .poll(
          async () => (await readPostmasterFile(directory))?.pid !== pid && (await words(database).catch(() => null)),
          {
            timeout: 60_000,
            interval: 50,
          },
        )
        .toEqual(['from the template', 'just committed'])
    }
    expect(lines.join()).toContain('PostgreSQL exited unexpectedly, restarting')
  })

  test('stays down when it is stopped while it is down', async () => {
    const database = await start()
    const { pid } = await postmaster()
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => lines.join()).toContain('exited unexpectedly')
    await database.stop()
    await sleep(300)
    await expect(words(database)).rejects.toThrow()
  })

  test('does not write statements or values of clients to the log', async () => {
    const database = await start()
    await expect(query(database.address, "SELECT 'secret value'::int")).rejects.toThrow('invalid input syntax')
    await expect(query(database.address, "DO $$ BEGIN RAISE LOG 'heard'; END $$")).resolves.toEqual([])
    await expect.poll(() => lines.join()).toContain('heard')
    await database.stop()
    expect(lines.join()).not.toContain('secret value')
  })
})

describe.skipIf(!isRoot)('as root (skipped for an ordinary user)', () => {
  beforeEach(copyTemplate)

  test('runs PostgreSQL as the owner of its data', async () => {
    execFileSync('chown', ['-R', '65534:65534', directory])
    await start()
    expect(statSync(`/proc/${(await postmaster()).pid}`).uid).toBe(65534)
  })

  test('reaches data below a closed directory, such as /root', async () => {
    const closed = mkdtempSync(join(homedir(), '.homeport-embedded-'))
    try {
      // `mv` keeps the owner, even when the home directory is on another disk than the tests.
      execFileSync('mv', [directory, join(closed, 'postgres')])
      execFileSync('mv', [`${directory}-password`, join(closed, 'postgres-password')])
      const database = await start({}, join(closed, 'postgres'))
      expect(await words(database)).toEqual(['from the template'])
      await database.stop()
      expect(statSync(closed).mode & 0o777).toBe(0o700)
    } finally {
      rmSync(closed, { recursive: true })
    }
  })
})

async function start(settings: Record<string, string> = {}, where: string = directory): Promise<EmbeddedDatabase> {
  const database = await startEmbeddedDatabase({ directory: where, log, settings })
  databases.push(database)
  return database
}

async function query(address: DatabaseAddress, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(address)
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(text)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

async function words({ address }: EmbeddedDatabase): Promise<unknown[]> {
  return (await query(address, 'SELECT word FROM kept')).map((row) => row.word)
}

async function postmaster() {
  const file = await readPostmasterFile(directory)
  if (file === null) throw new Error('no server')
  return file
}

/** Uses cp, because the files must keep their owner. */
function copyTemplate(): void {
  if (process.platform === 'win32') cpSync(template, parent, { recursive: true })
  else execFileSync('cp', ['-a', `${template}/.`, parent])
}

/** The user a process must run as to be taken for PostgreSQL. */
function ownerOfData(): { uid?: number; gid?: number } {
  const { uid, gid } = statSync(directory)
  return isRoot ? { uid, gid } : {}
}

/** Starts a server as Homeport would, without supervision. */
async function leaveServer(): Promise<{ child: ChildProcess; socket: string }> {
  const { postgres } = await findPostgresBinaries(join(parent, 'libraries'))
  const socket = mkdtempSync(join(tmpdir(), 'homeport-db-'))
  const { uid, gid } = statSync(directory)
  chownSync(socket, uid, gid)
  const settings = ['-c', 'listen_addresses=', '-c', `unix_socket_directories=${socket}`]
  const child = spawn(postgres, ['-D', directory, ...settings], {
    ...ownerOfData(),
    cwd: dirname(postgres),
    stdio: 'ignore',
    detached: true,
  })
  processes.push(child)
  await expect.poll(async () => (await readPostmasterFile(directory))?.ready, { timeout: 60_000 }).toBe(true)
  return { child, socket }
}
