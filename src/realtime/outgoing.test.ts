import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { decode } from '../realtime-protocol/codec.ts'
import { frameOf } from '../realtime-protocol/frame.ts'
import type { GenericCommand } from '../realtime-protocol/schema.ts'
import { SharedCommand } from '../realtime-protocol/shared-command.ts'
import { FlushQueue, Outgoing } from './outgoing.ts'
import { unreadBytes } from './unread-bytes.ts'

const server = createServer().listen(0, '127.0.0.1')
const websockets = new WebSocketServer({ noServer: true })
const accepted: { websocket: WebSocket; socket: Duplex }[] = []
const clients: WebSocket[] = []
server.on('upgrade', (request, socket, head) =>
  websockets.handleUpgrade(request, socket, head, (websocket) => {
    websocket.on('error', () => {})
    accepted.push({ websocket, socket })
  }),
)
await once(server, 'listening')

afterEach(() => {
  for (const client of clients.splice(0)) client.terminate()
})

afterAll(() => void server.close())

/** A connection: its sending side, the socket below it, the client, and the data that the client has received. */
async function connect(queue = new FlushQueue(), maxWaiting = 4 * 1024 * 1024, unread = unreadBytes(), address = 'a') {
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  clients.push(client)
  const received: Buffer[] = []
  client.on('message', (data) => received.push(data as Buffer))
  client.on('error', () => {})
  await once(client, 'open')
  const { websocket, socket } = accepted.pop()!
  const cutOff = vi.fn()
  const outgoing = new Outgoing(websocket, socket, address, { flushQueue: queue, maxWaiting, unread }, cutOff)
  return { outgoing, websocket, socket, client, received, cutOff, write: vi.spyOn(socket, 'write') }
}

const shared = (text: string) => new SharedCommand({ cmd: 'direct', directMessage: { msg: text } })
const text = (text: string) => frameOf(Buffer.from(text))
const textsOf = (received: readonly Buffer[]) => received.map((data) => data.toString())

/** The receiver and the content of a command. */
function textOf(data: Buffer): string {
  const { peerId, directMessage }: GenericCommand = decode(data, 'protobuf')
  return `${peerId}: ${directMessage!.msg}`
}

it('answers the last ping of an iteration, after earlier frames', async () => {
  const { outgoing, client, received, write } = await connect()
  const pongs: string[] = []
  client.on('pong', (content) => pongs.push(`${content} after ${received.length}`))
  for (let count = 0; count < 500; count++) {
    outgoing.write(text(`${count}`))
    outgoing.pong(Buffer.from(`${count}`))
  }
  await vi.waitFor(() => expect(pongs).toEqual(['499 after 500']), 10_000)
  expect(write).toHaveBeenCalledTimes(1)
  outgoing.pong(Buffer.alloc(0))
  await vi.waitFor(() => expect(pongs).toEqual(['499 after 500', ' after 500']), 10_000)
})

it('sends all frames of an iteration of the event loop in one write, in order', async () => {
  const { outgoing, received, write } = await connect()
  for (let count = 0; count < 100; count++) outgoing.write(text(`${count}`))
  // Frames from promises and ticks belong to the same iteration.
  await Promise.resolve()
  outgoing.write(text('100'))
  await new Promise<void>((resolve) => process.nextTick(resolve))
  outgoing.write(text('101'))
  expect(write).not.toHaveBeenCalled()
  await vi.waitFor(() => expect(received).toHaveLength(102), 10_000)
  expect(textsOf(received)).toEqual(Array.from({ length: 102 }, (_, index) => `${index}`))
  expect(write).toHaveBeenCalledTimes(1)
})

it('sends frames of the next iteration in another write', async () => {
  const { outgoing, received, write } = await connect()
  outgoing.write(text('a'))
  await nextTurn()
  outgoing.write(text('b'))
  await vi.waitFor(() => expect(textsOf(received)).toEqual(['a', 'b']), 10_000)
  expect(write).toHaveBeenCalledTimes(2)
})

it('keeps the order of shared commands for several clients and other frames', async () => {
  const { outgoing, received, write } = await connect()
  const [a, b] = [shared('a'), shared('b')]
  outgoing.writeShared(a, 'tom')
  outgoing.writeShared(a, '小明')
  outgoing.writeShared(b, '小明')
  outgoing.write(a.frameFor('nobody'))
  outgoing.writeShared(b, '小明')
  outgoing.writeShared(b, 'tom')
  await vi.waitFor(() => expect(received).toHaveLength(6), 10_000)
  expect(received.map(textOf)).toEqual(['tom: a', '小明: a', '小明: b', 'nobody: a', '小明: b', 'tom: b'])
  expect(write).toHaveBeenCalledTimes(1)
})

it('sends each client in a busy room every message with its own id, in one write', async () => {
  const queue = new FlushQueue()
  const members = await Promise.all(Array.from({ length: 30 }, () => connect(queue)))
  const texts = Array.from({ length: 20 }, (_, index) => `message ${index}`)
  for (const command of texts.map(shared)) {
    for (const [index, { outgoing }] of members.entries()) outgoing.writeShared(command, `member ${index}`)
  }
  for (const [index, { received, write }] of members.entries()) {
    await vi.waitFor(() => expect(received).toHaveLength(20), 10_000)
    expect(received.map(textOf)).toEqual(texts.map((text) => `member ${index}: ${text}`))
    expect(write).toHaveBeenCalledTimes(1)
  }
})

it('sends more than 64 KB before the end of the iteration', async () => {
  const { outgoing, received, write } = await connect()
  const command = shared('x'.repeat(1000))
  for (let count = 0; count < 60; count++) outgoing.writeShared(command, 'tom')
  expect(write).not.toHaveBeenCalled()
  for (let count = 0; count < 10; count++) outgoing.writeShared(command, 'tom')
  expect(write).toHaveBeenCalledTimes(1)
  outgoing.write(frameOf(Buffer.alloc(70_000)))
  expect(write).toHaveBeenCalledTimes(2)
  await vi.waitFor(() => expect(received).toHaveLength(71), 10_000)
  expect(write).toHaveBeenCalledTimes(2)
})

it('keeps frames whole and in order while pings are answered between them', async () => {
  const { outgoing, client, received } = await connect()
  const pongs = vi.fn()
  client.on('pong', pongs)
  const sizes = Array.from({ length: 600 }, (_, index) => (index * 7919) % 9000)
  for (const [index, size] of sizes.entries()) {
    outgoing.write(frameOf(Buffer.alloc(size, index)))
    if (index % 10 === 0) client.ping(`${index}`)
    if (index % 25 === 0) await nextTurn()
  }
  await vi.waitFor(() => expect(received).toHaveLength(600), 10_000)
  for (const [index, size] of sizes.entries()) expect(received[index]!.equals(Buffer.alloc(size, index))).toBe(true)
  await vi.waitFor(() => expect(pongs).toHaveBeenCalledTimes(60), 10_000)
})

it('sends pending frames on flush, and nothing at the end of the iteration', async () => {
  const { outgoing, write } = await connect()
  outgoing.write(text('a'))
  outgoing.writeShared(shared('b'), 'tom')
  outgoing.flush()
  expect(write).toHaveBeenCalledTimes(1)
  await nextTurn()
  await nextTurn()
  expect(write).toHaveBeenCalledTimes(1)
})

it('sends nothing after a close frame', async () => {
  const { outgoing, websocket, client, received, write } = await connect()
  outgoing.write(text('too late'))
  websocket.close(1000)
  const frames = write.mock.calls.length
  await nextTurn()
  await nextTurn()
  expect(write).toHaveBeenCalledTimes(frames)
  await once(client, 'close')
  expect(received).toEqual([])
})

it('cuts off a client that does not read when more than the maximum is waiting', async () => {
  const limit = 512 * 1024
  const { outgoing, socket, client, cutOff } = await connect(new FlushQueue(), limit)
  // Data in the kernel's buffers does not count towards the limit.
  client.pause()
  let max = 0
  for (let count = 0; count < 5000 && !socket.destroyed; count++) {
    outgoing.write(frameOf(Buffer.alloc(10_000)))
    if (count % 10 === 0) await nextTurn()
    max = Math.max(max, socket.writableLength)
  }
  expect(socket.destroyed).toBe(true)
  expect(max).toBeGreaterThan(limit / 2)
  expect(max).toBeLessThanOrEqual(limit + 100)
  expect(cutOff).toHaveBeenCalledTimes(1)
  outgoing.write(text('a'))
  await nextTurn()
  expect(cutOff).toHaveBeenCalledTimes(1)
})

it('counts a client as behind from a quarter of the maximum until it has read that', async () => {
  const limit = 4 * 1024 * 1024
  const { outgoing, socket, client } = await connect(new FlushQueue(), limit)
  client.pause()
  while (socket.writableLength <= limit / 4) {
    expect(outgoing.hasBacklog).toBe(false)
    outgoing.write(frameOf(Buffer.alloc(10_000)))
    await nextTurn()
  }
  expect(outgoing.hasBacklog).toBe(true)
  client.resume()
  await vi.waitFor(() => expect(outgoing.hasBacklog).toBe(false), 10_000)
})

describe('unread bytes of all clients', () => {
  const MB = 1024 * 1024
  const limits = { total: 19 * MB, ofOneAddress: 8 * MB }

  /** Makes this many bytes wait for a client that does not read. */
  async function fall(unread: ReturnType<typeof unreadBytes>, address: string, bytes: number) {
    const { outgoing, socket, client } = await connect(new FlushQueue(), 10 * MB, unread, address)
    client.pause()
    while (socket.writableLength < bytes && !socket.destroyed) {
      outgoing.write(frameOf(Buffer.alloc(30_000)))
      await nextTurn()
    }
    return { outgoing, socket, client }
  }

  it('are limited for an address, and released when they are read or the connection ends', async () => {
    const unread = unreadBytes(limits)
    const first = await fall(unread, 'a', 5 * MB)
    expect((await fall(unread, 'a', 5 * MB)).socket.destroyed).toBe(true)
    expect(first.socket.destroyed).toBe(false)
    expect((await fall(unread, 'b', 5 * MB)).socket.destroyed).toBe(false)
    first.client.resume()
    await vi.waitFor(() => expect(first.socket.writableLength).toBe(0), 10_000)
    const next = await fall(unread, 'a', 5 * MB)
    expect(next.socket.destroyed).toBe(false)
    next.client.terminate()
    await vi.waitFor(() => expect(next.socket.destroyed).toBe(true), 10_000)
    expect((await fall(unread, 'a', 5 * MB)).socket.destroyed).toBe(false)
  })

  it('are limited for all', async () => {
    const unread = unreadBytes(limits)
    for (const address of ['a', 'b', 'c']) {
      expect((await fall(unread, address, 6 * MB)).socket.destroyed).toBe(false)
    }
    expect((await fall(unread, 'd', 6 * MB)).socket.destroyed).toBe(true)
  })
})
