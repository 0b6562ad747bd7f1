import { connect, createServer, type Server, type Socket } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { newDatabase } from '../../test/support/scratch-database.ts'
import { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { ListeningConnection, type ListeningTimes } from './listening-connection.ts'

const databaseUrl = await newDatabase()
let line: Line
let near: Database
let far: Database
let connection: ListeningConnection
let received: string[]
/** The value of `connected` at each interruption. */
let interruptions: boolean[]
let lines: string[]

beforeEach(async () => {
  line = await openLine(databaseUrl)
  near = databaseAt(databaseUrl)
  far = databaseAt(line.url)
  received = []
  interruptions = []
  lines = []
})

afterEach(async () => {
  await connection.stop()
  await Promise.all([near.close(), far.close()])
  await line.close()
})

function databaseAt(connectionString: string): Database {
  const sizes = { maxConnections: 1, maxQueryConnections: 1, statementTimeout: 5000 }
  return new Database({ connection: { connectionString }, ...sizes })
}

async function listen(times: ListeningTimes): Promise<void> {
  connection = new ListeningConnection({
    database: far,
    log: pino({}, { write: (text) => void lines.push(text) }),
    channel: 'a "channel"',
    onPayload: (payload) => received.push(payload),
    interrupted: () => interruptions.push(connection.connected),
    times,
  })
  await connection.start()
}

const notify = (payload: string) => near.query(sql`SELECT pg_notify('a "channel"', ${payload})`)

it('replaces a connection that died silently once a new one is possible', async () => {
  // A timeout longer than a busy machine may pause.
  await listen({ checkInterval: 50, timeoutMs: 3000 })
  await notify('before')
  await vi.waitFor(() => expect(received).toEqual(['before']), 10_000)
  line.swallow()
  await vi.waitFor(() => expect(interruptions).toEqual([false]), 15_000)
  expect(lines).toEqual([expect.stringContaining('no response from the database for 3000 ms')])
  line.restore()
  await vi.waitFor(() => expect(interruptions).toEqual([false, true]), 15_000)
  await notify('after')
  await vi.waitFor(() => expect(received).toEqual(['before', 'after']), 10_000)
  expect(lines).toHaveLength(2)
})

it('keeps a connection on which the database responds, however often it is probed', async () => {
  await listen({ checkInterval: 1, timeoutMs: 5000 })
  const bytesBefore = line.bytes()
  await vi.waitFor(() => expect(line.bytes() - bytesBefore).toBeGreaterThan(1000), 10_000)
  expect(interruptions).toEqual([])
  expect(line.attempts).toHaveLength(1)
})

it('reconnects after growing pauses, up to the maximum, and logs the loss once', async () => {
  await listen({ firstPause: 50, longestPause: 200 })
  line.refuse()
  // Without a maximum pause these attempts would take more than 50 seconds.
  await vi.waitFor(() => expect(line.attempts.length).toBeGreaterThanOrEqual(12), 20_000)
  expect(connection.connected).toBe(false)
  const pauses = line.attempts.map((time, index) => time - (line.attempts[index - 1] ?? 0)).slice(1, 6)
  // A timer may fire a millisecond early by this clock.
  for (const [index, min] of [50, 100, 200, 200, 200].entries()) expect(pauses[index]).toBeGreaterThan(min - 2)
  expect(lines).toHaveLength(1)
  line.restore()
  await vi.waitFor(() => expect(interruptions).toEqual([false, true]), 10_000)
  expect(lines).toHaveLength(2)
})

it('stops while it cannot connect, and makes no further attempts', async () => {
  await listen({ firstPause: 20, longestPause: 20 })
  line.refuse()
  await vi.waitFor(() => expect(line.attempts.length).toBeGreaterThanOrEqual(3), 10_000)
  await connection.stop()
  expect(interruptions).toEqual([false])
  expect(lines).toHaveLength(1)
  const attempts = line.attempts.length
  line.restore()
  // In the time in which another connection with longer pauses is lost and restored, the stopped one would have tried.
  await listen({ firstPause: 200 })
  line.refuse()
  line.restore()
  await vi.waitFor(() => expect(interruptions).toEqual([false, false, true]), 10_000)
  expect(line.attempts).toHaveLength(attempts + 2)
})

it('stops although the connection is dead', async () => {
  await listen({})
  line.swallow()
  await connection.stop()
  expect(connection.connected).toBe(false)
  expect(interruptions).toEqual([])
})

it('rejects the start on a dead connection', async () => {
  line.swallow()
  await expect(listen({})).rejects.toThrow()
  expect(connection.connected).toBe(false)
})

/** A proxy to the database that can refuse connections or drop all data. */
interface Line {
  readonly url: string
  /** Times of connection attempts, by the monotonic clock. */
  readonly attempts: readonly number[]
  /** Number of bytes that the database has sent. */
  bytes(): number
  refuse(): void
  swallow(): void
  restore(): void
  close(): Promise<void>
}

async function openLine(databaseUrl: string): Promise<Line> {
  const target = new URL(databaseUrl)
  const directory = target.searchParams.get('host')
  const port = target.searchParams.get('port') ?? (target.port || '5432')
  const dial = () => (directory ? connect(`${directory}/.s.PGSQL.${port}`) : connect(Number(port), target.hostname))
  const sockets = new Set<Socket>()
  const attempts: number[] = []
  let fault: 'none' | 'refuse' | 'swallow' = 'none'
  let bytes = 0
  const hangUp = () => {
    for (const socket of sockets) socket.destroy()
  }
  // In the fault 'swallow', not even a FIN is answered.
  const server: Server = createServer({ allowHalfOpen: true }, (client) => {
    attempts.push(performance.now())
    if (fault === 'refuse') return client.destroy()
    const database = dial()
    database.on('data', (chunk) => {
      bytes += chunk.length
    })
    for (const [from, to] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => fault === 'swallow' || to.write(chunk))
      from.on('end', () => fault === 'swallow' || to.end())
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.search = ''
  url.host = `127.0.0.1:${(server.address() as { port: number }).port}`
  return {
    url: url.href,
    attempts,
    bytes: () => bytes,
    refuse() {
      fault = 'refuse'
      hangUp()
    },
    swallow() {
      fault = 'swallow'
    },
    restore() {
      if (fault === 'swallow') hangUp()
      fault = 'none'
    },
    async close() {
      hangUp()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
