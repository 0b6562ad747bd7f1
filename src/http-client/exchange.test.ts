import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { exchange, type HttpAnswer, type HttpRequest } from './exchange.ts'
import { HttpFailure } from './http-failure.ts'
import { allowPrivateAddresses } from './reachable-address.ts'

const LIMIT = 1000

let answer: (response: ServerResponse, request: IncomingMessage) => void
let received: { request: IncomingMessage; body: string }[]
let connections = 0
const server = createServer(async (request, response) => {
  received.push({ request, body: await text(request) })
  answer(response, request)
})
server.on('connection', () => connections++)
const port = () => (server.address() as AddressInfo).port
const url = (host = '127.0.0.1') => `http://${host}:${port()}`

beforeAll(async () => {
  server.listen(0)
  await once(server, 'listening')
})
beforeEach(() => {
  received = []
  answer = (response) => response.end('ok')
})
afterEach(() => {
  allowPrivateAddresses(['loopback'])
  vi.restoreAllMocks()
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const read = async (answer: HttpAnswer) => [answer.status, await answer.text(LIMIT)]
const request = (request: Partial<HttpRequest> = {}, use: (answer: HttpAnswer) => Promise<unknown> = read) =>
  exchange({ method: 'GET', url: url(), timeout: 10_000, reach: 'any', ...request }, use)

/** Returns kind and reason of the failure; checks that its text contains neither the address nor what was sent. */
async function failure(pending: Promise<unknown>): Promise<[kind: string, reason: string]> {
  const error = await pending.then(
    () => expect.fail('it should have failed'),
    (error: unknown) => error,
  )
  if (!(error instanceof HttpFailure)) throw error
  expect(`${error.message} ${error.stack?.split('\n', 1)}`).not.toMatch(/127\.0\.0\.1|localhost|geheim/)
  return [error.kind, error.reason]
}

it('returns status, headers and text of a response, whatever the status', async () => {
  answer = (response) => response.writeHead(418, { 'X-Pot': 'tea' }).end('短')
  const given = await request({ method: 'POST', headers: { 'x-a': 'b' }, body: '{"c":"中"}' }, async (answer) => [
    answer.header('x-pot'),
    answer.header('x-none'),
    ...(await Promise.all([answer.status, answer.text(3)])),
  ])
  expect(given).toEqual(['tea', null, 418, '短'])
  expect(received).toMatchObject([{ request: { method: 'POST', headers: { 'x-a': 'b' } }, body: '{"c":"中"}' }])
})

it.each(['run out of time', 'are answered'])('lets other work run while many requests %s at once', async (how) => {
  const responses: ServerResponse[] = []
  answer = (response) => responses.push(response)
  const timeout = how === 'are answered' ? 30_000 : 2000
  let iterations = 0
  const ended: number[] = []
  // Started first: on a busy machine the timeout may end before all requests have arrived.
  const count = () => {
    iterations++
    if (ended.length < 200) setImmediate(count)
  }
  setImmediate(count)
  const pending = Array.from({ length: 200 }, async () => {
    await request({ timeout }).catch(() => {})
    ended.push(iterations)
  })
  await expect.poll(() => responses.length, { timeout: 60_000 }).toBe(200)
  if (how === 'are answered') for (const response of responses) response.end('ok')
  await Promise.all(pending)
  const perIteration = new Map<number, number>()
  for (const iteration of ended) perIteration.set(iteration, (perIteration.get(iteration) ?? 0) + 1)
  expect(Math.max(...perIteration.values())).toBeLessThanOrEqual(32)
})

it('reuses connections', async () => {
  await request()
  const before = connections
  for (let count = 0; count < 5; count++) expect(await request()).toEqual([200, 'ok'])
  expect(connections).toBe(before)
})

it('accepts a response of exactly the maximum bytes, and rejects one byte more', async () => {
  answer = (response) => response.end('x'.repeat(LIMIT))
  expect(await request()).toEqual([200, 'x'.repeat(LIMIT)])
  answer = (response) => response.end('x'.repeat(LIMIT + 1))
  expect(await failure(request())).toEqual(['too-long', 'more than 1000 bytes'])
})

it('counts bytes after decompression', async () => {
  answer = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(1_000_000)))
  expect((await failure(request()))[0]).toBe('too-long')
})

/** Responds with an endless body. @returns whether it was cut off, and the megabytes written */
function endless(): { isCutOff: boolean; written: number } {
  const seen = { isCutOff: false, written: 0 }
  const megabyte = 'x'.repeat(1024 * 1024)
  answer = (response) => {
    const write = () => {
      while (!response.destroyed && seen.written++ < 1000) if (!response.write(megabyte)) return
    }
    response.on('drain', write).on('close', () => {
      seen.isCutOff = true
    })
    write()
  }
  return seen
}

it('cuts off an endless response at the maximum', async () => {
  const seen = endless()
  expect((await failure(request()))[0]).toBe('too-long')
  await expect.poll(() => seen.isCutOff).toBe(true)
  expect(seen.written).toBeLessThan(200)
})

it('cuts off an endless response that is not read', async () => {
  const seen = endless()
  expect(await request({}, async ({ status }) => status)).toBe(200)
  await expect.poll(() => seen.isCutOff).toBe(true)
  expect(seen.written).toBeLessThan(200)
})

it.each([
  ['nothing', () => {}],
  ['its headers', (response: ServerResponse) => response.writeHead(200).flushHeaders()],
  ['the beginning of its body', (response: ServerResponse) => void response.writeHead(200).write('x')],
  ['a byte now and then', (response: ServerResponse) => drip(response)],
])('gives up a server that sends %s when the time is over, and closes its connection', async (_, silence) => {
  const limit = new AbortController()
  vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(limit.signal)
  answer = (response) => {
    silence(response)
    setTimeout(() => limit.abort(), 50)
  }
  expect(await failure(request({ timeout: 1234 }))).toEqual(['timeout', 'TimeoutError'])
  expect(AbortSignal.timeout).toHaveBeenCalledExactlyOnceWith(1234)
  await expect.poll(() => received[0]!.request.socket.destroyed).toBe(true)
})

it('fails when the timeout ends', async () => {
  answer = () => {}
  expect((await failure(request({ timeout: 50 })))[0]).toBe('timeout')
})

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write('x'), 20)
  response.on('close', () => clearInterval(timer))
}

it.each([301, 302, 303, 307, 308])('returns a redirect with status %i without following it', async (status) => {
  answer = (response) => response.writeHead(status, { location: `${url()}/elsewhere` }).end()
  expect(await request({}, async (answer) => [answer.status, answer.header('location')])).toEqual([
    status,
    `${url()}/elsewhere`,
  ])
  expect(received).toHaveLength(1)
})

it('reports a server that does not exist as unreachable', async () => {
  const stopped = createServer().listen(0, '127.0.0.1')
  await once(stopped, 'listening')
  const { port } = stopped.address() as AddressInfo
  await new Promise((closed) => stopped.close(closed))
  expect(await failure(request({ url: `http://127.0.0.1:${port}` }))).toEqual(['unreachable', 'ECONNREFUSED'])
  expect(await failure(request({ url: 'http://homeport.invalid' }))).toEqual(['unreachable', 'ENOTFOUND'])
})

it('reports a connection closed before the end of the response as unreachable, without a retry', async () => {
  const close = (socket: Socket | null) => socket?.destroy()
  answer = (response) => close(response.socket)
  expect((await failure(request({ method: 'POST' })))[0]).toBe('unreachable')
  answer = (response) => response.writeHead(200).write('x', () => close(response.socket))
  expect((await failure(request({ method: 'POST' })))[0]).toBe('unreachable')
  expect(received).toHaveLength(2)
})

it('reports a server of another protocol as unreachable', async () => {
  answer = (response) => void response.socket?.end('SSH-2.0-OpenSSH_9.2\r\n')
  expect((await failure(request()))[0]).toBe('unreachable')
})

it('ends the exchange on a signal before the request, while waiting and while reading', async () => {
  expect((await failure(request({ signal: AbortSignal.abort() })))[0]).toBe('stopped')
  expect(received).toHaveLength(0)
  for (const begin of [false, true]) {
    const stopping = new AbortController()
    answer = (response) => {
      if (begin) response.writeHead(200).write('x', () => setTimeout(() => stopping.abort(), 20))
      else stopping.abort()
    }
    expect((await failure(request({ signal: stopping.signal })))[0]).toBe('stopped')
  }
})

it('reports an invalid request as unusable, without revealing its contents', async () => {
  expect((await failure(request({ headers: { authorization: 'ge\nheim' } })))[0]).toBe('unusable')
  expect((await failure(request({ headers: { 'ge heim': '' } })))[0]).toBe('unusable')
  expect(received).toHaveLength(0)
})

it("rethrows the reader's error, and does not receive the rest", async () => {
  const seen = endless()
  const thrown = new Error('enough')
  const reading = request({}, async () => {
    throw thrown
  })
  await expect(reading).rejects.toBe(thrown)
  await expect.poll(() => seen.isCutOff).toBe(true)
})

const PRIVATE = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433', '0.0.0.0']

it.each(PRIVATE)('does not connect a request for an app to %s', async (host) => {
  allowPrivateAddresses([])
  const before = connections
  expect(await failure(request({ url: url(host), reach: 'app' }))).toEqual(['private', 'PRIVATE_ADDRESS'])
  expect(connections).toBe(before)
})

it('connects a request for an engine to this machine', async () => {
  allowPrivateAddresses([])
  expect(await request({ url: url('127.0.0.1'), reach: 'engine' })).toEqual([200, 'ok'])
  expect(await request({ url: url('localhost'), reach: 'engine' })).toEqual([200, 'ok'])
  const linkLocal = request({ url: 'http://169.254.169.254/', reach: 'engine' })
  expect((await failure(linkLocal))[0]).toBe('private')
})

it('does not connect a request for an app over an open connection of another reach', async () => {
  expect(await request({ url: url('localhost') })).toEqual([200, 'ok'])
  allowPrivateAddresses([])
  expect((await failure(request({ url: url('localhost'), reach: 'app' })))[0]).toBe('private')
  expect(received).toHaveLength(1)
})

// Last, because its connection stays open.
it('connects a request for an app to private addresses that the operator allows', async () => {
  expect(await request({ url: url('localhost'), reach: 'app' })).toEqual([200, 'ok'])
})
