import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { Transfers } from './transfers.ts'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

const MANY = { total: 100, ofOneAddress: 100, period: 60_000, leastBytes: 1000 }

function transfersWith(limits: Partial<typeof MANY>): Transfers {
  const transfers = new Transfers({ ...MANY, ...limits })
  ends.push(() => transfers.stop())
  return transfers
}

/** Two ends of a connection: the server's and the client's. */
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

test('one address has at least its number, and others go on', async () => {
  const transfers = transfersWith({ ofOneAddress: 2, total: 3 })
  const { near } = await connection()
  const end = transfers.begin(near, 'a')
  transfers.begin(near, 'a')
  expect(() => transfers.begin(near, 'a')).toThrow(expect.objectContaining({ status: 429 }))
  transfers.begin(near, 'b')
  end()
  transfers.begin(near, 'a')
  // To end twice makes no room.
  end()
  expect(() => transfers.begin(near, 'a')).toThrow(expect.objectContaining({ status: 429 }))
})

test('one address has three times as many as are free, an IPv6 network together', async () => {
  const transfers = transfersWith({ ofOneAddress: 2, total: 8 })
  const { near } = await connection()
  for (let n = 0; n < 6; n++) transfers.begin(near, `2001:db8::${n}`)
  expect(() => transfers.begin(near, '2001:db8::6')).toThrow(expect.objectContaining({ status: 429 }))
  transfers.begin(near, '192.0.2.1')
})

test('all together are bounded', async () => {
  const transfers = transfersWith({ total: 2 })
  const { near } = await connection()
  transfers.begin(near, 'a')
  const end = transfers.begin(near, 'b')
  expect(() => transfers.begin(near, 'c')).toThrow(expect.objectContaining({ status: 503 }))
  end()
  transfers.begin(near, 'c')
})

test('one that stands still, or nearly so, ends with its connection; one that moves does not', async () => {
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

test('what a client does not read has not moved', async () => {
  const transfers = transfersWith({ period: 50 })
  const { near, far } = await connection()
  far.pause()
  transfers.begin(near, 'a')
  const timer = setInterval(() => near.write(Buffer.alloc(100_000)), 5)
  ends.push(() => clearInterval(timer))
  await once(near, 'close')
})

test('a client that waits for us is not sent away, however long we take', async () => {
  const transfers = transfersWith({ period: 20 })
  const [waiting, still] = [await connection(), await connection()]
  let isOurTurn = true
  transfers.begin(waiting.near, 'a', () => isOurTurn)
  transfers.begin(still.near, 'a')
  await once(still.near, 'close')
  expect(waiting.near.destroyed).toBe(false)
  isOurTurn = false
  await once(waiting.near, 'close')
})
