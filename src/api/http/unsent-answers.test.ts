import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { closed } from '../../../test/support/closed.ts'
import type { ApiError } from '../../errors.ts'
import { type AnswerLimits, UnsentAnswers } from './unsent-answers.ts'

/** More than both systems buffer for a client that does not read: on Linux 4 MB and 32 MB. */
const SIZE = 64 * 1024 * 1024
const TEXT = 'x'.repeat(SIZE)

const LIMITS = { small: 10, total: 3 * SIZE, ofOneAddress: 2 * SIZE, timeoutMs: 60_000, minRate: 1e9, pause: 60_000 }

/**
 * Starts a server that responds with the large text.
 * @returns its port
 */
async function serve(limits: AnswerLimits): Promise<number> {
  const unsent = new UnsentAnswers((request) => String(request.headers['x-from']), limits)
  const server = createServer(async (request, response) => {
    try {
      if (request.url === '/late') await once(response, 'close')
      const refusal = unsent.refusal(request)
      if (refusal) throw refusal
      const text = request.url === '/small' ? 'small' : TEXT
      unsent.hold(response, text.length)
      response.end(text)
    } catch (error) {
      response.writeHead((error as ApiError).status).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    unsent.stop()
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}
const port = await serve(LIMITS)
const impatient = await serve({ ...LIMITS, ofOneAddress: SIZE, timeoutMs: 500 })
const tight = await serve({ ...LIMITS, ofOneAddress: 1.5 * SIZE })
const soon = await serve({ ...LIMITS, ofOneAddress: 1.5 * SIZE, pause: 100 })

/** Sends a request, and reads only the first bytes of the response. */
async function request(from: string, path = '/', to = port) {
  const socket = connect(to, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-From: ${from}\r\n\r\n`)
  const [start] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  return { socket, status: Number(start.toString('latin1', 9, 12)), ended: closed(socket) }
}

const statusOf = async (from: string, path?: string, to?: number) => {
  const { socket, status } = await request(from, path, to)
  socket.destroy()
  return status
}

async function readAll(socket: Socket): Promise<void> {
  socket.resume()
  while (socket.bytesRead < SIZE) await once(socket, 'data')
}

const WAIT = { timeout: 60_000 }

describe('unread responses', () => {
  it('are bounded per address and in total, and release capacity when they are read', async () => {
    const first = await request('a')
    const second = await request('a')
    expect([first.status, second.status]).toEqual([200, 200])
    // Further requests of the address are not even begun, however small.
    expect(await statusOf('a')).toBe(429)
    expect(await statusOf('a', '/small')).toBe(429)
    const other = await request('b')
    expect(other.status).toBe(200)
    expect(await statusOf('b')).toBe(503)
    expect(await statusOf('b', '/small')).toBe(200)
    await readAll(first.socket)
    expect(await statusOf('a')).toBe(200)
    for (const { socket } of [first, second, other]) socket.destroy()
  })

  it('that exceed the share of an address block its requests until it receives a response', async () => {
    const held = await request('e', '/', tight)
    expect(await statusOf('e', '/small', tight)).toBe(200)
    expect(await statusOf('e', '/', tight)).toBe(429)
    // This response alone would fit.
    expect(await statusOf('e', '/small', tight)).toBe(429)
    await readAll(held.socket)
    expect(await statusOf('e', '/small', tight)).toBe(200)
    held.socket.destroy()
  })

  it('are allowed again after a pause', async () => {
    const { socket } = await request('f', '/', soon)
    expect(await statusOf('f', '/', soon)).toBe(429)
    await expect.poll(() => statusOf('f', '/small', soon), WAIT).toBe(200)
    socket.destroy()
  })

  it('are not allowed again before the end of the pause when the client disconnects', async () => {
    const { socket } = await request('h', '/', soon)
    expect(await statusOf('h', '/', soon)).toBe(429)
    const refused = performance.now()
    socket.destroy()
    await expect.poll(() => statusOf('h', '/small', soon), { ...WAIT, interval: 1 }).toBe(200)
    expect(performance.now() - refused).toBeGreaterThan(50)
  })

  it('release capacity as soon as the client disconnects', async () => {
    const held = [await request('c'), await request('c')]
    expect(await statusOf('c')).toBe(429)
    for (const { socket } of held) socket.destroy()
    await expect.poll(() => statusOf('c'), WAIT).toBe(200)
  })

  it('are not counted when the client has disconnected before they are created', async () => {
    const sockets = ['g', 'g'].map((from) => {
      const socket = connect(port, '127.0.0.1')
      socket.write(`GET /late HTTP/1.1\r\nHost: x\r\nX-From: ${from}\r\n\r\n`)
      return socket
    })
    // The earlier requests have arrived when a later one is answered.
    expect(await statusOf('g', '/small')).toBe(200)
    for (const socket of sockets) socket.destroy()
    await setImmediate()
    expect(await statusOf('g', '/small')).toBe(200)
    expect(await statusOf('g')).toBe(200)
  })

  it('end with their connections after a time', async () => {
    const { socket, ended } = await request('d', '/', impatient)
    // Capacity is free again when the response has ended.
    await expect.poll(() => statusOf('d', '/small', impatient), WAIT).toBe(200)
    socket.resume()
    await ended
    expect(socket.bytesRead).toBeLessThan(SIZE)
  })
})
