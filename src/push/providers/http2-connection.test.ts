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
/** Streams that are open, and the most that were so at once. */
let open: Set<ServerHttp2Stream>
let most: number
/** Paths that get no answer. */
let silent: Set<string>
let connection: Http2Connection

beforeEach(async () => {
  sessions = new Set()
  silent = new Set()
  open = new Set()
  most = 0
  server = createServer({ settings: { maxConcurrentStreams: 5 } })
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  server.on('stream', (stream, headers) => {
    const mine = open.add(stream)
    most = Math.max(most, mine.size)
    stream.on('close', () => mine.delete(stream))
    stream.on('error', () => {})
    stream.resume().on('end', () => {
      if (silent.has(headers[':path']!)) return
      // Later than the next requests, if there are any.
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

it('answers come in the order of the requests, with the body of those that are refused', async () => {
  const answers = await connection.exchange([request('/a'), request('/no'), request('/b')], forever)
  expect(statuses(answers)).toEqual([200, 404, 200])
  expect(answers[1]).toMatchObject({ body: 'answer to /no' })
})

it('several calls share a connection, and are within what the server takes at once', async () => {
  const answers = await Promise.all([
    connection.exchange(requests(30), forever),
    connection.exchange(requests(20), forever),
  ])
  expect(answers.map(statuses)).toEqual([all(30), all(20)])
  expect(most).toBe(5)
  expect(sessions.size).toBe(1)
})

it('fewer are under way where we say so', async () => {
  connect({ atOnce: 2 })
  await connection.exchange(requests(20), forever)
  expect(most).toBe(2)
})

it('a request without an answer in time fails alone', async () => {
  // Longer than a busy machine stands still: the others have to be answered within it.
  connect({ timeout: 3000 })
  silent.add('/1')
  expect(statuses(await connection.exchange(requests(3), forever))).toEqual([200, 'no answer in time', 200])
  await vi.waitFor(() => expect(open.size).toBe(0), 10_000)
  silent.clear()
  expect(statuses(await connection.exchange(requests(8), forever))).toEqual(all(8))
  expect(sessions.size).toBe(1)
})

it('when the sending is stopped, what has no answer has failed, and nothing more is sent', async () => {
  for (let index = 0; index < 5; index++) silent.add(`/${index}`)
  const stop = new AbortController()
  const sending = connection.exchange(requests(10), stop.signal)
  await vi.waitFor(() => expect(open.size).toBe(5), 10_000)
  stop.abort()
  expect(new Set(statuses(await sending))).toEqual(new Set(['the sending was stopped']))
  expect(statuses(await connection.exchange(requests(1), stop.signal))).toEqual(['the sending was stopped'])
  expect(most).toBe(5)
})

it('a connection that was closed at rest is opened anew', async () => {
  await connection.exchange(requests(1), forever)
  for (const session of sessions) session.destroy()
  await vi.waitFor(() => expect(sessions.size).toBe(0), 10_000)
  await vi.waitFor(
    async () => expect(statuses(await connection.exchange(requests(8), forever))).toEqual(all(8)),
    10_000,
  )
})

it('closing waits for the answers, and leaves nothing open', async () => {
  const sending = connection.exchange(requests(20), forever)
  connection.close()
  expect(statuses(await sending)).toEqual(all(20))
  await vi.waitFor(() => expect(sessions.size).toBe(0), 10_000)
})

/** Hands over what comes as far as the test lets it. */
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
    /** Breaks the connections off. */
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

it('when a connection is lost, what waits for its turn goes over a new one', async () => {
  const between = await relay()
  connect({ url: between.url })
  for (let index = 0; index < 5; index++) silent.add(`/${index}`)
  const sending = connection.exchange(requests(8), forever)
  await vi.waitFor(() => expect(open.size).toBe(5), 10_000)
  between.cut()
  const lost = Array.from({ length: 5 }, () => expect.stringMatching(/^the connection was lost/))
  expect(statuses(await sending)).toEqual([...lost, ...all(3)])
})

it('a server that has fallen silent is found out by a PING, and left', async () => {
  const between = await relay()
  // Longer than a busy machine stands still: else its own silence would be taken for that of the server.
  connect({ url: between.url, pingInterval: 20, timeout: 3000 })
  expect(statuses(await connection.exchange(requests(1), forever))).toEqual([200])
  between.stopped = true
  await vi.waitFor(() => expect(sessions.size).toBe(0), 20_000)
  between.stopped = false
  expect(statuses(await connection.exchange(requests(8), forever))).toEqual(all(8))
})

it('a server that takes connections but says nothing fails what waits', async () => {
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
