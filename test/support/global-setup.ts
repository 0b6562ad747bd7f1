import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { ensureBuilt } from '../../scripts/ensure-built.mjs'
import { startEmbeddedDatabase } from '../../src/database/embedded/embedded-database.ts'
import { startProgram } from './program.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The PostgreSQL that the shared server runs on. */
    databaseUrl: string
    /** The shared server: a `homeport start` of its own. */
    serverUrl: string
    adminToken: string
  }
}

/** As it was before the first of the projects was set up: each loads this file anew. */
process.env.HOMEPORT_TEST_TEMPORARY ??= tmpdir()
const TEMPORARY = process.env.HOMEPORT_TEST_TEMPORARY

/** What the server logs of a fault that it dealt with nowhere: no test may bring one about. */
const FORGOTTEN = 'a promise was rejected and nobody had been waiting for it'

/** One PostgreSQL and one server for all tests; each test makes an app of its own on it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  ensureBuilt()
  const directory = await mkdtemp(join(TEMPORARY, 'homeport-test-'))
  // Whatever a test, a command or a browser leaves in the folder for temporary files is gone with the run.
  process.env.TMPDIR = join(directory, 'tmp')
  await mkdir(process.env.TMPDIR)
  // Under root, databases run as another user, who must be able to pass through.
  for (const folder of [directory, process.env.TMPDIR]) await chmod(folder, 0o711)
  const database = await startEmbeddedDatabase({
    directory: join(directory, 'database', 'postgres'),
    log: pino({ level: 'silent' }),
    // The tests end when they pass; what they wrote need not survive a power failure.
    settings: { max_connections: '200', fsync: 'off' },
  })
  const { user, password, host, port } = database.address
  const databaseUrl = `postgresql://${user}:${encodeURIComponent(password)}@localhost/homeport?host=${encodeURIComponent(host)}&port=${port}`
  const adminToken = 'token-of-the-administrator-of-the-tests'
  const server = await startProgram(['--data', join(directory, 'server'), '--database-url', databaseUrl], {
    HOMEPORT_ADMIN_TOKEN: adminToken,
  })
  let isWanted = true
  server.process.once('exit', (code, signal) => {
    if (isWanted) console.error(`The server of the tests ended by itself (${signal ?? code}):\n${server.output()}`)
  })
  project.provide('databaseUrl', databaseUrl)
  project.provide('serverUrl', server.url)
  project.provide('adminToken', adminToken)
  return async () => {
    isWanted = false
    await server.stop()
    if (server.output().includes(FORGOTTEN)) {
      console.error(`A fault of the server, for which the run fails:\n${server.output()}`)
      // What is thrown here is shown, and changes nothing.
      process.exitCode = 1
    }
    await database.stop()
    await rm(directory, { recursive: true, force: true })
  }
}
