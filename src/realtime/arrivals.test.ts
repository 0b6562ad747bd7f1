import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { LoopSlicer } from '../scheduling/loop-slicer.ts'
import { Arrivals } from './arrivals.ts'

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** Both ends of a connection, with the data that the server receives, in slices and as a whole. */
async function pair(ceiling = 4) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as AddressInfo
  const client = connect(address.port, '127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  server.close()
  sockets.push(client, socket)
  const slices: Buffer[] = []
  const ends: string[] = []
  socket.on('data', (slice: Buffer) => void slices.push(slice))
  for (const event of ['end', 'close']) socket.on(event, () => void ends.push(event))
  const arrivals = new Arrivals(socket, new LoopSlicer(ceiling, () => 0), 'a')
  return { client, socket, arrivals, slices, ends, whole: () => Buffer.concat(slices) }
}

const text = (length: number) => Buffer.from(Array.from({ length }, (_, n) => n % 251))

it('emits small data unchanged', async () => {
  const { client, slices } = await pair()
  client.write('one')
  await vi.waitFor(() => expect(String(slices[0])).toBe('one'))
  client.write('two')
  await vi.waitFor(() => expect(slices.map(String)).toEqual(['one', 'two']))
})

it('emits large data in slices, in order, followed by the end', async () => {
  const { client, slices, ends, whole } = await pair()
  client.end(text(500_000))
  await vi.waitFor(() => expect(ends).toContain('close'), 10_000)
  expect(whole().equals(text(500_000))).toBe(true)
  expect(Math.max(...slices.map(({ length }) => length))).toBe(2048)
  expect(ends[0]).toBe('end')
})

it('limits the slices of an address in one iteration of the event loop', async () => {
  const { client, socket, arrivals, slices } = await pair(2)
  arrivals.pause()
  client.write(text(16 * 1024))
  await vi.waitFor(() => expect(socket.readableLength).toBe(16 * 1024))
  arrivals.resume()
  expect(slices).toHaveLength(2)
  await nextTurn()
  expect(slices).toHaveLength(4)
  await vi.waitFor(() => expect(slices).toHaveLength(8))
})

it('emits nothing while paused, not even the end', async () => {
  const { client, socket, arrivals, slices, ends } = await pair()
  arrivals.pause()
  client.end('all')
  await vi.waitFor(() => expect(socket.readableLength).toBe(3))
  expect([slices, ends]).toEqual([[], []])
  arrivals.resume()
  await vi.waitFor(() => expect(ends).toEqual(['end', 'close']))
  expect(slices.map(String)).toEqual(['all'])
})

it('holds the rest of received data after a pause', async () => {
  const { client, socket, arrivals, slices, whole } = await pair(100)
  socket.once('data', () => arrivals.pause())
  client.write(text(10_000))
  await vi.waitFor(() => expect(slices.length).toBeGreaterThan(0))
  await nextTurn()
  expect(slices).toHaveLength(1)
  arrivals.resume()
  await vi.waitFor(() => expect(whole().equals(text(10_000))).toBe(true))
})

it('ends for a connection that is cut off, whatever is waiting', async () => {
  const { client, socket, arrivals, ends } = await pair()
  arrivals.pause()
  client.write(text(10_000))
  await vi.waitFor(() => expect(socket.readableLength).toBeGreaterThan(0))
  socket.destroy()
  await vi.waitFor(() => expect(ends).toEqual(['close']))
  arrivals.resume()
})
