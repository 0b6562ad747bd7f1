import { mkdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { ensureBuilt } from '../../scripts/ensure-built.mjs'
import { copyClusterTemplate, makeClusterTemplate, startTestPostgres, TEMPLATE_DATABASE } from './cluster-template.ts'
import { startProgram } from './program.ts'
import { makeRunDirectory } from './temporary-directory.ts'

interface SharedServer {
  /** The URL of the PostgreSQL of the shared server. */
  readonly databaseUrl: string
  /** The URL of the shared server, a separate `homeport start`. */
  readonly serverUrl: string
  readonly adminToken: string
  /** Process ids of the shared server and its PostgreSQL, whose CPU time `test:costs` measures. */
  readonly sharedProcesses: readonly number[]
}

declare module 'vitest' {
  export interface ProvidedContext extends SharedServer {}
}

/** The log text of src/cli/start.ts for an unhandled promise rejection. No test may cause it. */
const UNHANDLED = 'unhandled promise rejection'
const ADMIN_TOKEN = 'token-of-the-administrator-of-the-tests'

interface Run {
  readonly shared: SharedServer
  /** The number of Vitest projects that still use the server. */
  users: number
  end(): Promise<void>
}

/** One run for all projects, each of which reloads this file. */
const runs = globalThis as { homeportTestRun?: Promise<Run> }

/** Starts one PostgreSQL and one server for all tests; each test file creates its own app on it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  runs.homeportTestRun ??= startRun()
  const run = await runs.homeportTestRun
  run.users++
  for (const [name, value] of Object.entries(run.shared)) project.provide(name as keyof SharedServer, value)
  return async () => {
    if (--run.users > 0) return
    delete runs.homeportTestRun
    await run.end()
  }
}

async function startRun(): Promise<Run> {
  ensureBuilt()
  const directory = makeRunDirectory()
  const usualTemporary = process.env.TMPDIR
  // Temporary files of tests, commands and browsers are deleted with the run.
  process.env.TMPDIR = join(directory, 'tmp')
  mkdirSync(process.env.TMPDIR, { mode: 0o711 })
  const clusterTemplate = join(directory, 'template')
  await makeClusterTemplate(clusterTemplate)
  process.env.HOMEPORT_TEST_CLUSTER_TEMPLATE = clusterTemplate
  const data = join(directory, 'database')
  copyClusterTemplate(clusterTemplate, data)
  const database = await startTestPostgres(data)
  const { user, password, host, port } = database.address
  const databaseUrl = `postgresql://${user}:${encodeURIComponent(password)}@localhost/homeport?host=${encodeURIComponent(host)}&port=${port}`
  await makeTemplateDatabase(databaseUrl)
  const server = await startProgram(['--data', join(directory, 'server'), '--database-url', databaseUrl], {
    HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
  })
  let isWanted = true
  server.process.once('exit', (code, signal) => {
    if (isWanted) console.error(`The shared server ended unexpectedly (${signal ?? code}):\n${server.output()}`)
  })
  const postmaster = Number(readFileSync(join(data, 'postgres', 'postmaster.pid'), 'utf8').split('\n', 1)[0])
  return {
    users: 0,
    shared: {
      databaseUrl,
      serverUrl: server.url,
      adminToken: ADMIN_TOKEN,
      sharedProcesses: [server.process.pid!, postmaster],
    },
    async end() {
      isWanted = false
      await server.stop()
      if (server.output().includes(UNHANDLED)) {
        console.error(`The run fails because of an error of the shared server:\n${server.output()}`)
        // Vitest prints this exception, but still exits with 0.
        process.exitCode = 1
      }
      await database.stop()
      await rm(directory, { recursive: true, force: true })
      delete process.env.HOMEPORT_TEST_CLUSTER_TEMPLATE
      if (usualTemporary === undefined) delete process.env.TMPDIR
      else process.env.TMPDIR = usualTemporary
    },
  }
}

/** Copies the migrated database before the server connects to it: PostgreSQL copies only databases without connections. */
async function makeTemplateDatabase(databaseUrl: string): Promise<void> {
  const url = new URL(databaseUrl)
  url.pathname = '/postgres'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    await client.query(`CREATE DATABASE ${TEMPLATE_DATABASE} TEMPLATE homeport`)
  } finally {
    await client.end()
  }
}
