import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { startEmbeddedDatabase } from './embedded/embedded-database.ts'
import { findPostgresBinaries } from './embedded/postgres-binaries.ts'
import { clusterOwner } from './embedded/postgres-cluster.ts'
import { spawnPostgres } from './embedded/postgres-process.ts'
import { postgresSettings } from './embedded/postgres-settings.ts'
import { choosePostgresSocket, socketParent } from './embedded/postgres-socket.ts'
import { choosePostgresUser } from './embedded/postgres-user.ts'
import { whenStarted } from './starting.ts'

const silent = pino({ level: 'silent' })

/** A PostgreSQL server that reports that it is starting, until the test lets it accept connections. */
async function startingDatabase() {
  const home = await mkdtemp(join(tmpdir(), 'homeport-starting-'))
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 10 }))
  await chmod(home, 0o711)
  const directory = join(home, 'postgres')
  const database = await startEmbeddedDatabase({ directory, log: silent })
  await database.stop()
  // A standby that accepts no queries recovers indefinitely.
  await writeFile(join(directory, 'standby.signal'), '')
  const binaries = await findPostgresBinaries(join(tmpdir(), 'unused'))
  const user = choosePostgresUser(await clusterOwner(directory), [
    binaries.postgres,
    dirname(directory),
    socketParent(),
  ])
  const socket = await choosePostgresSocket(user.owner)
  await socket.prepare()
  const settings = {
    ...postgresSettings({ memory: 1024 ** 3, disk: { free: 1024 ** 3, total: 1024 ** 3 } }),
    ...socket.settings,
    hot_standby: 'off',
  }
  const server = spawnPostgres(directory, settings, { binaries, user, log: silent })
  server.ready.catch(() => {})
  onTestFinished(async () => {
    await server.stop()
    socket.remove()
  })
  const { password } = database.address
  const address = { host: socket.host, port: socket.port, user: 'homeport', database: 'homeport', password }
  return {
    async query() {
      const client = new pg.Client(address)
      client.on('error', () => {})
      try {
        await client.connect()
        return (await client.query('SELECT pg_is_in_recovery() AS recovers')).rows
      } finally {
        await client.end().catch(() => {})
      }
    },
    async recovered() {
      await writeFile(join(directory, 'promote'), '')
      process.kill(server.pid, 'SIGUSR1')
    },
  }
}

it('waits for a database that is starting', async () => {
  const { query, recovered } = await startingDatabase()
  await expect.poll(() => query().catch(({ code }: { code: string }) => code)).toBe('57P03')
  const messages: string[] = []
  const log = {
    warn: (_: unknown, text: string) => {
      messages.push(text)
      void recovered()
    },
  }
  expect(await whenStarted(query, log as never)).toEqual([{ recovers: false }])
  expect(messages).toEqual(['database is starting, waiting'])
})

it('limits the wait, and does not wait for a database that is absent', async () => {
  const starting = await startingDatabase()
  await expect.poll(() => starting.query().catch(({ code }: { code: string }) => code)).toBe('57P03')
  await expect(whenStarted(starting.query, silent, 300)).rejects.toMatchObject({ code: '57P03' })
  const unreachable = async () => {
    const client = new pg.Client({ host: '/nonexistent' })
    await client.connect()
  }
  await expect(whenStarted(unreachable, silent)).rejects.toMatchObject({ code: 'ENOENT' })
})
