import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { Transfers } from './transfers.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

const MANY = { total: 100, ofOneAddress: 100, period: 60_000, minBytes: 1000 }

function transfersWith(limits: Partial<typeof MANY>): Transfers {
  const transfers = new Transfers({ ...MANY, ...limits })
  ends.push(() => transfers.stop())
  return transfers
}

/** Returns both ends of a connection: the server's and the client's. */
async function connection(): Promise<{ near: Socket; far: Socket }> {
  const server = createServer().listen(0, '127.0.0.1')
  ends.push(() => server.close())
  await once(server, 'listening')
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [near] = (await once(server, 'connection')) as [Socket]
  for (const socket of [near, far]) {
    socket.on('error', () => {})
    socket.resume()
    ends.push(() => socket.destroy())
  }
  return { near, far }
}

test('guarantees its number to an address, and does not affect others', async () => {
  const transfers = transfersWith({ ofOneAddress: 2, total: 3 })
  const { near } = await connection()
  const end = transfers.begin(near, 'a')
  transfers.begin(near, 'a')
  expect(() => transfers.begin(near, 'a')).toThrow(expect.objectContaining({ status: 429 }))
  transfers.begin(near, 'b')
  end()
  transfers.begin(near, 'a')
  // Ending a transfer twice releases nothing.
  end()
  expect(() => transfers.begin(near, 'a')).toThrow(expect.objectContaining({ status: 429 }))
})

test('allows an address three times the free number, counting an IPv6 network as one', async () => {
  const transfers = transfersWith({ ofOneAddress: 2, total: 8 })
  const { near } = await connection()
  for (let n = 0; n < 6; n++) transfers.begin(near, `2001:db8::${n}`)
  expect(() => transfers.begin(near, '2001:db8::6')).toThrow(expect.objectContaining({ status: 429 }))
  transfers.begin(near, '192.0.2.1')
})

test('bounds all transfers in total', async () => {
  const transfers = transfersWith({ total: 2 })
  const { near } = await connection()
  transfers.begin(near, 'a')
  const end = transfers.begin(near, 'b')
  expect(() => transfers.begin(near, 'c')).toThrow(expect.objectContaining({ status: 503 }))
  end()
  transfers.begin(near, 'c')
})

test('closes the connection of a stalled or nearly stalled transfer, but not of one in progress', async () => {
  const transfers = transfersWith({ period: 50 })
  const [still, dripping, moving] = [await connection(), await connection(), await connection()]
  for (const { near } of [still, dripping, moving]) transfers.begin(near, 'a')
  const timer = setInterval(() => {
    dripping.far.write('x')
    moving.far.write(Buffer.alloc(1000))
  }, 5)
  ends.push(() => clearInterval(timer))
  await Promise.all([once(still.near, 'close'), once(dripping.near, 'close')])
  expect(moving.near.destroyed).toBe(false)
})

test('does not count bytes that the client has not read', async () => {
  const transfers = transfersWith({ period: 50 })
  const { near, far } = await connection()
  far.pause()
  transfers.begin(near, 'a')
  const timer = setInterval(() => near.write(Buffer.alloc(100_000)), 5)
  ends.push(() => clearInterval(timer))
  await once(near, 'close')
})

test('keeps a client that waits for the server, however long it takes', async () => {
  const transfers = transfersWith({ period: 20 })
  const [waiting, still] = [await connection(), await connection()]
  let isServerWorking = true
  transfers.begin(waiting.near, 'a', () => isServerWorking)
  transfers.begin(still.near, 'a')
  await once(still.near, 'close')
  expect(waiting.near.destroyed).toBe(false)
  isServerWorking = false
  await once(waiting.near, 'close')
})
