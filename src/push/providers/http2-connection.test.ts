import { once } from 'node:events'
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer, type Socket } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { Http2Answer, Http2Request } from './http2-answer.ts'
import { Http2Connection } from './http2-connection.ts'
import type { Http2Options } from './http2-session.ts'

const log = pino({ level: 'silent' })
const forever = new AbortController().signal
let server: Http2Server
let sessions: Set<ServerHttp2Session>
/** Open streams, and their maximum number at a time. */
let open: Set<ServerHttp2Stream>
let max: number
/** Paths that get no response. */
let silent: Set<string>
let connection: Http2Connection

beforeEach(async () => {
  sessions = new Set()
  silent = new Set()
  open = new Set()
  max = 0
  server = createServer({ settings: { maxConcurrentStreams: 5 } })
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  server.on('stream', (stream, headers) => {
    const mine = open.add(stream)
    max = Math.max(max, mine.size)
    stream.on('close', () => mine.delete(stream))
    stream.on('error', () => {})
    stream.resume().on('end', () => {
      if (silent.has(headers[':path']!)) return
      // After the next requests, if there are any.
      setImmediate(() => {
        if (stream.destroyed) return
        stream.respond({ ':status': headers[':path'] === '/no' ? 404 : 200 })
        stream.end(`answer to ${headers[':path']}`)
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  connect({})
})

afterEach(() => {
  connection.close()
  for (const session of sessions) session.destroy()
  server.close()
})

function connect(options: Partial<Http2Options>): void {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  connection = new Http2Connection({ url, atOnce: 100, timeout: 10_000, ...options }, log)
}

const request = (path: string): Http2Request => ({
  headers: { ':method': 'POST', ':path': path },
  body: Buffer.from('x'),
})
const requests = (count: number) => Array.from({ length: count }, (_, index) => request(`/${index}`))
const statuses = (answers: readonly Http2Answer[]) =>
  answers.map((answer) => (answer.kind === 'answered' ? answer.status : answer.reason))
const all = (count: number) => Array.from({ length: count }, () => 200)

it('returns responses in the order of the requests, with the bodies of errors', async () => {
  const answers = await connection.exchange([request('/a'), request('/no'), request('/b')], forever)
  expect(statuses(answers)).toEqual([200, 404, 200])
  expect(answers[1]).toMatchObject({ body: 'answer to /no' })
})

it("shares a connection among calls, within the server's maximum of concurrent requests", async () => {
  const answers = await Promise.all([
    connection.exchange(requests(30), forever),
    connection.exchange(requests(20), forever),
  ])
  expect(answers.map(statuses)).toEqual([all(30), all(20)])
  expect(max).toBe(5)
  expect(sessions.size).toBe(1)
})

it('sends fewer requests at once with a lower own maximum', async () => {
  connect({ atOnce: 2 })
  await connection.exchange(requests(20), forever)
  expect(max).toBe(2)
})

it('fails only the request that times out', async () => {
  // Longer than a busy machine pauses: the other requests must be answered within it.
  connect({ timeout: 3000 })
  silent.add('/1')
  expect(statuses(await connection.exchange(requests(3), forever))).toEqual([200, 'no response in time', 200])
  await vi.waitFor(() => expect(open.size).toBe(0), 10_000)
  silent.clear()
  expect(statuses(await connection.exchange(requests(8), forever))).toEqual(all(8))
  expect(sessions.size).toBe(1)
})

it('fails unanswered requests when sending is stopped, and sends no more', async () => {
  for (let index = 0; index < 5; index++) silent.add(`/${index}`)
  const stop = new AbortController()
  const sending = connection.exchange(requests(10), stop.signal)
  await vi.waitFor(() => expect(open.size).toBe(5), 10_000)
  stop.abort()
  expect(new Set(statuses(await sending))).toEqual(new Set(['the sending was stopped']))
  expect(statuses(await connection.exchange(requests(1), stop.signal))).toEqual(['the sending was stopped'])
  expect(max).toBe(5)
})

it('reopens a connection that was closed while idle', async () => {
  await connection.exchange(requests(1), forever)
  for (const session of sessions) session.destroy()
  await vi.waitFor(() => expect(sessions.size).toBe(0), 10_000)
  await vi.waitFor(
    async () => expect(statuses(await connection.exchange(requests(8), forever))).toEqual(all(8)),
    10_000,
  )
})

it('waits for the responses on close, and leaves nothing open', async () => {
  const sending = connection.exchange(requests(20), forever)
  connection.close()
  expect(statuses(await sending)).toEqual(all(20))
  await vi.waitFor(() => expect(sessions.size).toBe(0), 10_000)
})

/** Forwards data as far as the test permits. */
async function relay(): Promise<{ url: string; stopped: boolean; cut(): void }> {
  const sockets = new Set<Socket>()
  const { port } = server.address() as AddressInfo
  const between = createTcpServer((near) => {
    const far = connectTcp(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {})
      from.on('close', () => to.destroy())
      from.on('data', (chunk) => {
        if (!made.stopped) to.write(chunk)
      })
    }
  }).listen(0, '127.0.0.1')
  await once(between, 'listening')
  const made = {
    url: `http://127.0.0.1:${(between.address() as AddressInfo).port}`,
    stopped: false,
    /** Breaks the connections. */
    cut() {
      for (const socket of sockets) socket.destroy()
    },
  }
  onTestFinished(() => {
    made.cut()
    between.close()
  })
  return made
}

it('sends waiting requests over a new connection when one is lost', async () => {
  const between = await relay()
  connect({ url: between.url })
  for (let index = 0; index < 5; index++) silent.add(`/${index}`)
  const sending = connection.exchange(requests(8), forever)
  await vi.waitFor(() => expect(open.size).toBe(5), 10_000)
  between.cut()
  const lost = Array.from({ length: 5 }, () => expect.stringMatching(/^the connection was lost/))
  expect(statuses(await sending)).toEqual([...lost, ...all(3)])
})

it('detects an unresponsive server by a PING, and closes the connection', async () => {
  const between = await relay()
  // Longer than a busy machine pauses, which would otherwise look like an unresponsive server.
  connect({ url: between.url, pingInterval: 20, timeout: 3000 })
  expect(statuses(await connection.exchange(requests(1), forever))).toEqual([200])
  between.stopped = true
  await vi.waitFor(() => expect(sessions.size).toBe(0), 20_000)
  between.stopped = false
  expect(statuses(await connection.exchange(requests(8), forever))).toEqual(all(8))
})

it('fails waiting requests when a server accepts connections but sends nothing', async () => {
  const mute = createTcpServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1')
  onTestFinished(() => void mute.close())
  await once(mute, 'listening')
  connect({ url: `http://127.0.0.1:${(mute.address() as AddressInfo).port}`, timeout: 100 })
  const [answer] = await connection.exchange(requests(1), forever)
  expect(answer).toEqual({
    kind: 'failed',
    reason: 'the server cannot be reached (the server takes no requests)',
  })
})
