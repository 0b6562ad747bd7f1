import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Cleanup } from '../cleanup.ts'
import type { BenchDatabase } from '../postgres.ts'
import { startServer } from '../server-process.ts'
import { send } from '../workload.ts'
import type { Contestant, Operation, WireRequest } from './contestant.ts'

const HEADERS = { 'Content-Type': 'application/json' }

/** Starts the bare limit as a contestant; `classes` become tables like those of Homeport. */
export async function bare(database: BenchDatabase, classes: readonly string[], cleanup: Cleanup): Promise<Contestant> {
  for (const className of classes) {
    await database.query(`
      CREATE TABLE "${className}" (
        id text COLLATE "C" PRIMARY KEY,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        acl jsonb,
        readers text[],
        writers text[],
        data jsonb NOT NULL
      ) WITH (fillfactor = 90)`)
  }
  const command = {
    args: [fileURLToPath(new URL('./bare-server.js', import.meta.url))],
    directory: tmpdir(),
    environment: { BARE_DATABASE_URL: database.url },
    ready: /ready at (\S+)/,
  }
  const server = await cleanup.keep(startServer(command), (server) => server.stop())
  return {
    name: 'bare',
    url: server.url,
    pid: server.pid,
    wire,
    scan: (className) => scanRequests(server.url, className),
    index: async (className, field) => {
      await database.query(`CREATE INDEX ON "${className}" ((data->>'${field}'), id)`)
      await database.query(`ANALYZE "${className}"`)
    },
    register: null,
    count: async (className) => {
      const [row] = await database.query<{ count: string }>(`SELECT count(*) FROM "${className}"`)
      return Number(row!.count)
    },
    sum: async (className, field) => {
      const [row] = await database.query<{ sum: string }>(`SELECT sum((data->>$1)::numeric) FROM "${className}"`, [
        field,
      ])
      return Number(row!.sum)
    },
  }
}

function wire(operation: Operation): WireRequest {
  const path = `/${operation.className}`
  switch (operation.kind) {
    case 'create':
      return { method: 'POST', path, headers: HEADERS, body: JSON.stringify(operation.object) }
    case 'get':
      return { method: 'GET', path: `${path}/${operation.id}`, headers: {} }
    case 'increment': {
      const body = JSON.stringify({ field: operation.field, amount: 1 })
      return { method: 'PUT', path: `${path}/${operation.id}`, headers: HEADERS, body }
    }
    case 'query': {
      const search = new URLSearchParams({ field: operation.field, value: operation.value })
      return { method: 'GET', path: `${path}?${search}`, headers: {} }
    }
    case 'batch':
      return { method: 'POST', path: `${path}/batch`, headers: HEADERS, body: JSON.stringify(operation.objects) }
  }
}

async function scanRequests(url: string, className: string): Promise<WireRequest[]> {
  const requests: WireRequest[] = []
  for (let after = ''; ; ) {
    const request: WireRequest = { method: 'GET', path: `/${className}/after?id=${after}`, headers: {} }
    const { results } = JSON.parse(await send({ url }, request)) as { results: { objectId: string }[] }
    if (results.length === 0) return requests
    requests.push(request)
    after = results.at(-1)!.objectId
  }
}
