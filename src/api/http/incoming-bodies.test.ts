import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import type { ApiError } from '../../errors.ts'
import { IncomingBodies } from './incoming-bodies.ts'

const LIMITS = { total: 300, ofOneAddress: 200, waiting: 2, waitingInAll: 3, timeoutMs: 400, minRate: 5 }
const bodies = new IncomingBodies(LIMITS)
const requests: IncomingMessage[] = []
const server = createServer(async (request, response) => {
  const { 'x-from': from, 'content-length': size } = request.headers
  try {
    await bodies.receive(response, String(from), Number(size))
    requests.push(request)
    request
      .on('end', () => response.end('taken'))
      .on('error', () => {})
      .resume()
  } catch (error) {
    response.writeHead((error as ApiError).status, { connection: 'close' }).end()
  }
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
afterAll(() => {
  bodies.stop()
  server.close()
  server.closeAllConnections()
})

/** Sends the head of a request that declares a body. */
function begin(size: number, from: string) {
  const socket = connect(port, '127.0.0.1')
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-From: ${from}\r\nContent-Length: ${size}\r\n\r\n`)
  return { socket, answer: text(socket).catch(() => 'no answer') }
}

describe('bodies that are being received', () => {
  it('are bounded in total, and release capacity when they end', async () => {
    const first = begin(200, 'a')
    await expect.poll(() => requests.length).toBe(1)
    expect(await begin(101, 'b').answer).toMatch(/^HTTP\/1.1 503 /)
    first.socket.write('x'.repeat(200))
    expect(await first.answer).toMatch(/^HTTP\/1.1 200 /)
    const second = begin(200, 'a')
    const third = begin(100, 'b')
    second.socket.write('x'.repeat(200))
    third.socket.write('x'.repeat(100))
    expect(await second.answer).toMatch(/^HTTP\/1.1 200 /)
    expect(await third.answer).toMatch(/^HTTP\/1.1 200 /)
  })

  it('of one address wait for each other, and smaller ones that fit go first', async () => {
    const before = requests.length
    const first = begin(150, 'a')
    await expect.poll(() => requests.length).toBe(before + 1)
    const large = begin(200, 'a')
    large.socket.write('x'.repeat(200))
    const small = begin(50, 'a')
    small.socket.write('x'.repeat(50))
    expect(await small.answer).toMatch(/^HTTP\/1.1 200 /)
    expect(requests).toHaveLength(before + 2)
    first.socket.write('x'.repeat(150))
    expect(await large.answer).toMatch(/^HTTP\/1.1 200 /)
    expect(await first.answer).toMatch(/^HTTP\/1.1 200 /)
  })

  it('of one address are rejected when too many wait, or one waits too long', async () => {
    const first = begin(200, 'a')
    const beat = setInterval(() => first.socket.write('x'), 50)
    const before = requests.length
    await expect.poll(() => requests.length).toBe(before + 1)
    const waiting = [begin(1, 'a'), begin(1, 'a')]
    const all = [...waiting, begin(1, 'a')].map(({ answer }) => answer)
    expect(await Promise.race(all)).toMatch(/^HTTP\/1.1 429 /)
    for (const answer of await Promise.all(all)) expect(answer).toMatch(/^HTTP\/1.1 429 /)
    clearInterval(beat)
    first.socket.destroy()
  })

  it('end with their connection when they arrive too slowly, and release capacity', async () => {
    const silent = begin(200, 'a')
    expect(await silent.answer).toMatch(/^HTTP\/1.1 408 /)
    const next = begin(200, 'a')
    next.socket.write('x'.repeat(200))
    expect(await next.answer).toMatch(/^HTTP\/1.1 200 /)
  })

  it('may take any time at the minimum rate', async () => {
    const slow = begin(100, 'a')
    const beat = setInterval(() => slow.socket.write('x'.repeat(10)), 50)
    expect(await slow.answer).toMatch(/^HTTP\/1.1 200 /)
    clearInterval(beat)
  })

  it('release capacity when the client disconnects', async () => {
    const disconnected = begin(200, 'a')
    const before = requests.length
    await expect.poll(() => requests.length).toBe(before + 1)
    disconnected.socket.destroy()
    await expect
      .poll(() => {
        const next = begin(200, 'a')
        next.socket.write('x'.repeat(200))
        return next.answer
      })
      .toMatch(/^HTTP\/1.1 200 /)
  })
  it('stop waiting when their client disconnects', async () => {
    const before = requests.length
    const first = begin(200, 'a')
    await expect.poll(() => requests.length).toBe(before + 1)
    for (const { socket } of [begin(1, 'a'), begin(1, 'a')]) socket.destroy()
    const next = begin(1, 'a')
    next.socket.write('x')
    first.socket.write('x'.repeat(200))
    expect(await first.answer).toMatch(/^HTTP\/1.1 200 /)
    expect(await next.answer).toMatch(/^HTTP\/1.1 200 /)
    expect(requests).toHaveLength(before + 2)
  })
})
