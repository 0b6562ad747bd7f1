import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cleanup } from '../cleanup.ts'
import { freePort } from '../free-port.ts'
import type { BenchDatabase } from '../postgres.ts'
import { startServer } from '../server-process.ts'
import { send } from '../workload.ts'
import type { Contestant, Operation, WireRequest } from './contestant.ts'

export const PARSE_SERVER_VERSION = '9.10.0'

/** Stores files in a folder; otherwise files require MongoDB. */
const FILES_ADAPTER = '@parse/fs-files-adapter'

const APP = 'bench'
const REST_KEY = 'rest-key-of-the-benchmark'
export const MOUNT = '/parse'

export const HEADERS = {
  'X-Parse-Application-Id': APP,
  'X-Parse-REST-API-Key': REST_KEY,
  'Content-Type': 'application/json',
}

/**
 * Starts Parse Server as a contestant.
 * @param directory where its configuration is written
 */
export async function parseServer(directory: string, database: BenchDatabase, cleanup: Cleanup): Promise<Contestant> {
  const program = await installed()
  // It prints its configured port, so it cannot choose one.
  const port = await freePort()
  const configuration = join(directory, 'parse-server.json')
  await writeFile(configuration, JSON.stringify(settings(port, database)))
  const command = {
    args: [program, configuration],
    directory,
    environment: {},
    ready: /parse-server running on (http:\/\/[^/\s]+)/,
  }
  const server = await cleanup.keep(startServer(command), (server) => server.stop())
  return {
    name: 'parse-server',
    url: server.url,
    pid: server.pid,
    wire,
    scan: (className) => scanRequests(server.url, className),
    // It creates no indexes for queries automatically; its operators create them this way.
    index: async (className, field) => {
      await database.query(`CREATE INDEX ON "${className}" ("${field}")`)
      await database.query(`ANALYZE "${className}"`)
    },
    register: null,
    count: async (className) => {
      const [row] = await database.query<{ count: string }>(`SELECT count(*) FROM "${className}"`)
      return Number(row!.count)
    },
    sum: async (className, field) => {
      const [row] = await database.query<{ sum: string }>(`SELECT sum("${field}") FROM "${className}"`)
      return Number(row!.sum)
    },
  }
}

function settings(port: number, { address }: BenchDatabase): object {
  const { user, password, host, port: databasePort, database } = address
  return {
    appId: APP,
    masterKey: 'master-key-of-the-benchmark',
    restAPIKey: REST_KEY,
    host: '127.0.0.1',
    port,
    mountPath: MOUNT,
    serverURL: `http://127.0.0.1:${port}${MOUNT}`,
    // The same number of connections as the other contestants.
    databaseURI: `postgres://${user}:${encodeURIComponent(password)}@localhost/${database}?max=24`,
    // Its URI parser does not support the directory of a unix socket. It logs a warning about these options and accepts them.
    databaseOptions: { host, port: databasePort },
    allowClientClassCreation: true,
    filesAdapter: FILES_ADAPTER,
    fileUpload: { enableForPublic: true, fileExtensions: ['.*'] },
    maxUploadSize: '100mb',
    logLevel: 'error',
    logsFolder: null,
  }
}

/**
 * Its batches use internals of `router`, which is installed in any version that Express accepts; from 2.3.0 on every batch
 * fails.
 */
const PACKAGE = JSON.stringify({
  private: true,
  dependencies: { 'parse-server': PARSE_SERVER_VERSION, [FILES_ADAPTER]: '3.0.0' },
  overrides: { router: '2.2.0' },
})

/**
 * Installs it on first use into a folder reused by later runs.
 * @returns the path of its program
 */
async function installed(): Promise<string> {
  const directory = join(tmpdir(), `homeport-bench-parse-server-${PARSE_SERVER_VERSION}`)
  const complete = join(directory, 'complete')
  // An installation of an earlier version of this program can be incomplete.
  if ((await readFile(complete, 'utf8').catch(() => '')) !== PACKAGE) {
    process.stderr.write(`installing parse-server ${PARSE_SERVER_VERSION} into ${directory}\n`)
    await rm(directory, { recursive: true, force: true })
    await mkdir(directory)
    await writeFile(join(directory, 'package.json'), PACKAGE)
    const npm = spawn('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: directory,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    })
    const [code] = (await once(npm, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`npm could not install parse-server (exit code ${code}).`)
    await writeFile(complete, PACKAGE)
  }
  return join(directory, 'node_modules/parse-server/bin/parse-server')
}

function wire(operation: Operation): WireRequest {
  const path = `${MOUNT}/classes/${operation.className}`
  switch (operation.kind) {
    case 'create':
      return { method: 'POST', path, headers: HEADERS, body: JSON.stringify(operation.object) }
    case 'get':
      return { method: 'GET', path: `${path}/${operation.id}`, headers: HEADERS }
    case 'increment': {
      const body = JSON.stringify({ [operation.field]: { __op: 'Increment', amount: 1 } })
      return { method: 'PUT', path: `${path}/${operation.id}`, headers: HEADERS, body }
    }
    case 'query': {
      const where = JSON.stringify({ [operation.field]: operation.value })
      return { method: 'GET', path: `${path}?${new URLSearchParams({ where })}`, headers: HEADERS }
    }
    case 'batch': {
      const requests = operation.objects.map((object) => ({ method: 'POST', path, body: object }))
      return { method: 'POST', path: `${MOUNT}/batch`, headers: HEADERS, body: JSON.stringify({ requests }) }
    }
  }
}

/** Returns requests that page by id, because it has no scan. */
async function scanRequests(url: string, className: string): Promise<WireRequest[]> {
  const requests: WireRequest[] = []
  for (let after = ''; ; ) {
    const where = after === '' ? {} : { objectId: { $gt: after } }
    const search = new URLSearchParams({ where: JSON.stringify(where), order: 'objectId', limit: '1000' })
    const request: WireRequest = { method: 'GET', path: `${MOUNT}/classes/${className}?${search}`, headers: HEADERS }
    const { results } = JSON.parse(await send({ url }, request)) as { results: { objectId: string }[] }
    if (results.length === 0) return requests
    requests.push(request)
    after = results.at(-1)!.objectId
  }
}
