import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from '../cleanup.ts'
import type { BenchDatabase } from '../postgres.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { send } from '../workload.ts'
import type { Contestant, Operation, User, WireRequest } from './contestant.ts'

/** The app and keys of every Homeport in the benchmark. */
export const APP = 'bench'
export const APP_KEY = 'app-key-of-the-benchmark'
export const MASTER_KEY = 'master-key-of-the-benchmark'
export const ADMIN_TOKEN = 'admin-token-of-the-benchmark'

/** Timeout of an index build in milliseconds: a million objects take some seconds. */
const INDEX_TIMEOUT_MS = 180_000

export interface Homeport extends Contestant {
  readonly database: BenchDatabase
  /** Returns the table of a class, quoted. */
  table(className: string): string
  readonly register: (name: string) => Promise<User>
}

/**
 * Starts `homeport start` on a free port.
 * @param databaseUrl null for the embedded database in the data directory
 * @param further additional options
 */
export function startHomeport(
  root: string,
  data: string,
  databaseUrl: string | null,
  further: readonly string[] = [],
): Promise<ServerProcess> {
  const database = databaseUrl === null ? [] : ['--database-url', databaseUrl]
  const options = ['start', '--port', '0', '--host', '127.0.0.1', '--data', data]
  return startServer({
    args: [join(root, 'dist/cli/main.js'), ...options, ...database, ...further],
    directory: join(data, '..'),
    environment: {
      HOMEPORT_APP_ID: APP,
      HOMEPORT_APP_KEY: APP_KEY,
      HOMEPORT_MASTER_KEY: MASTER_KEY,
      HOMEPORT_ADMIN_TOKEN: ADMIN_TOKEN,
      // The process that is measured is the server. Not a flag, because earlier versions that are measured lack it.
      HOMEPORT_SUPERVISE: 'off',
    },
    ready: /Homeport is ready at (\S+)/,
  })
}

/** A limit higher than any client reaches. Requests are still counted wherever the defaults have a limit. */
const MUCH = 1_000_000_000

type Limits = Record<string, number | { address: Record<string, number> }>

/** Raises the limits per address. */
export async function allowMuch(url: string): Promise<void> {
  const authorization = `Bearer ${ADMIN_TOKEN}`
  const settings = `${url}/admin/apps/${APP}/settings`
  const { limits } = await answerOf<{ limits: Limits }>(await fetch(settings, { headers: { authorization } }))
  const counted = Object.entries(limits).flatMap(([kind, limit]) =>
    typeof limit === 'object' && 'address' in limit ? [[kind, { address: raised(limit.address) }] as const] : [],
  )
  const body = JSON.stringify({ limits: Object.fromEntries(counted) })
  const headers = { authorization, 'content-type': 'application/json' }
  await answerOf(await fetch(settings, { method: 'PATCH', headers, body }))
}

/** Raises existing limits; 0 stays unlimited. */
function raised(rate: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(rate).map(([time, max]) => [time, max === 0 ? 0 : MUCH]))
}

async function answerOf<Answer>(response: Response): Promise<Answer> {
  if (!response.ok) throw new Error(`The limits were answered with ${response.status}: ${await response.text()}`)
  return (await response.json()) as Answer
}

/**
 * Starts Homeport as a contestant on a separate database.
 * @param data a data directory to create
 * @param name which of two versions it is
 */
export async function homeport(
  root: string,
  data: string,
  database: BenchDatabase,
  cleanup: Cleanup,
  name: 'homeport' | 'before' = 'homeport',
): Promise<Homeport> {
  const server = await cleanup.keep(startHomeport(root, data, database.url), (server) => server.stop())
  await allowMuch(server.url)
  const table = (className: string) => `"app_${APP}"."${className}"`
  const contestant: Homeport = {
    name,
    url: server.url,
    pid: server.pid,
    database,
    table,
    wire,
    scan: (className) => scanRequests(server.url, className),
    index: (className, field, query) => untilIndexed(contestant, className, field, query),
    register: (name) => register(server, name),
    count: async (className) => {
      const [row] = await database.query<{ count: string }>(`SELECT count(*) FROM ${table(className)}`)
      return Number(row!.count)
    },
    sum: async (className, field) => {
      const [row] = await database.query<{ sum: string }>(`SELECT sum((data->>$1)::numeric) FROM ${table(className)}`, [
        field,
      ])
      return Number(row!.sum)
    },
  }
  return contestant
}

let timestamp = Date.now()

/** A request that always succeeds, to test whether the server responds. */
export const TRIVIAL: WireRequest = { method: 'GET', path: '/1.1/date', headers: headers(APP_KEY) }

/** Returns the headers that the official JavaScript SDK sends with every request. Each has a new signature. */
function headers(key: string, suffix = ''): Record<string, string> {
  timestamp++
  const signature = createHash('md5').update(`${timestamp}${key}`).digest('hex')
  return {
    'X-LC-Id': APP,
    'X-LC-Sign': `${signature},${timestamp}${suffix}`,
    'Content-Type': 'application/json;charset=UTF-8',
    'User-Agent': 'LeanCloud-JS-SDK/4.15.2 (Node.js)',
  }
}

function wire(operation: Operation): WireRequest {
  const path = `/1.1/classes/${operation.className}`
  switch (operation.kind) {
    case 'create':
      return { method: 'POST', path, headers: headers(APP_KEY), body: JSON.stringify(operation.object) }
    case 'get':
      return { method: 'GET', path: `${path}/${operation.id}`, headers: headers(APP_KEY) }
    case 'increment': {
      const body = JSON.stringify({ [operation.field]: { __op: 'Increment', amount: 1 } })
      return { method: 'PUT', path: `${path}/${operation.id}`, headers: headers(APP_KEY), body }
    }
    case 'query': {
      const where = JSON.stringify({ [operation.field]: operation.value })
      return { method: 'GET', path: `${path}?${new URLSearchParams({ where })}`, headers: headers(APP_KEY) }
    }
    case 'batch': {
      const requests = operation.objects.map((object) => ({ method: 'POST', path, body: object }))
      return { method: 'POST', path: '/1.1/batch', headers: headers(APP_KEY), body: JSON.stringify({ requests }) }
    }
  }
}

async function register(server: { readonly url: string }, name: string): Promise<User> {
  const account = (path: string): WireRequest => {
    const body = JSON.stringify({ username: name, password: `password of ${name}` })
    return { method: 'POST', path, headers: headers(APP_KEY), body }
  }
  const { sessionToken } = JSON.parse(await send(server, account('/1.1/users'))) as { sessionToken: string }
  const requestOf = (request: WireRequest) => ({
    ...request,
    headers: { ...request.headers, 'X-LC-Session': sessionToken },
  })
  // Objects are also served with an unknown token; this request rejects it.
  await send(server, requestOf({ method: 'GET', path: '/1.1/users/me', headers: headers(APP_KEY) }))
  return { requestOf, login: account('/1.1/login') }
}

/** Returns the requests of one scan. A cursor can be reused, so they can be repeated. */
async function scanRequests(url: string, className: string): Promise<WireRequest[]> {
  const requests: WireRequest[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const search = new URLSearchParams({ limit: '1000', ...(cursor && { cursor }) })
    const request: WireRequest = {
      method: 'GET',
      path: `/1.1/scan/classes/${className}?${search}`,
      headers: headers(MASTER_KEY, ',master'),
    }
    const page = JSON.parse(await send({ url }, request)) as { results: unknown[]; cursor: string | null }
    if (page.results.length > 0) requests.push(request)
    cursor = page.cursor
  }
  return requests
}

/** Repeats a query until Homeport has created the index automatically, because no request creates it. */
async function untilIndexed(server: Homeport, className: string, field: string, query: WireRequest): Promise<void> {
  for (const deadline = Date.now() + INDEX_TIMEOUT_MS; ; ) {
    for (let repeated = 0; repeated < 20; repeated++) await send(server, query)
    if ((await listedIndexes(server, className)).includes(field) && (await isAnalysed(server, className))) return
    if (Date.now() > deadline) {
      throw new Error(`Homeport built no index on '${field}' of '${className}' in ${INDEX_TIMEOUT_MS / 1000} s.`)
    }
    await sleep(50)
  }
}

async function listedIndexes(server: Homeport, className: string): Promise<readonly string[]> {
  const shown = await send(server, {
    method: 'GET',
    path: `/admin/apps/${APP}/classes/${className}`,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  })
  return (JSON.parse(shown) as { indexes: string[] }).indexes
}

/** Returns whether the index is built and its column statistics are collected. */
async function isAnalysed({ database, table }: Homeport, className: string): Promise<boolean> {
  const [row] = await database.query<{ analysed: boolean }>(
    'SELECT NOT EXISTS (SELECT FROM pg_stat_progress_analyze WHERE relid = $1::regclass) AS analysed',
    [table(className)],
  )
  return row!.analysed
}
