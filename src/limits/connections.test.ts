import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { type ConnectionLimits, Connections, roomForConnections } from './connections.ts'

const isProxy = (address: string) => address === '10.0.0.1'

function opener(limits: ConnectionLimits) {
  const connections = new Connections(limits, isProxy)
  const open = (address: string) => {
    const connection = new PassThrough()
    return connections.admit(connection, address) ? connection : null
  }
  /** Opens connections until one is rejected. */
  const openAll = (address: string) => {
    const opened: PassThrough[] = []
    for (let one = open(address); one; one = open(address)) opened.push(one)
    return opened
  }
  return { connections, open, openAll }
}

async function close(connections: readonly PassThrough[]): Promise<void> {
  const closed = connections.map((connection) => once(connection, 'close'))
  for (const connection of connections) connection.destroy()
  await Promise.all(closed)
}

test('limits an address to the configured number, an IPv6 network as a whole, and a proxy not at all', async () => {
  const { connections, open } = opener({ ofOneAddress: 2, room: 4 })
  const [first, second] = [open('192.0.2.1'), open('192.0.2.1')]
  expect(second).not.toBeNull()
  expect(open('192.0.2.1')).toBeNull()
  // Admits the same connection again.
  expect(connections.admit(first!, '192.0.2.1')).toBe(true)
  expect([open('192.0.2.2'), open('2001:db8::1'), open('2001:db8::2')]).not.toContain(null)
  expect(open('2001:db8::3')).toBeNull()
  expect([open('10.0.0.1'), open('10.0.0.1'), open('10.0.0.1'), open('')]).not.toContain(null)
  await close([first!])
  expect(open('192.0.2.1')).not.toBeNull()
  expect(open('192.0.2.1')).toBeNull()
})

test('gives a lone address most of the capacity by default, and always leaves some to the next one', async () => {
  const { open, openAll } = opener({ ofOneAddress: null, room: 900 })
  const crowd = openAll('192.0.2.1')
  expect(crowd).toHaveLength(800)
  expect(openAll('192.0.2.2')).toHaveLength(88)
  expect(open('192.0.2.3')).not.toBeNull()
  await close(crowd)
  expect(openAll('192.0.2.3').length).toBeGreaterThan(700)
})

test('counts connections of proxies toward the capacity', () => {
  const { open, openAll } = opener({ ofOneAddress: null, room: 900 })
  for (let n = 0; n < 450; n++) expect(open('10.0.0.1')).not.toBeNull()
  expect(openAll('192.0.2.1')).toHaveLength(400)
})

test('counts a WebSocket through a proxy for its client, and once toward the capacity', () => {
  const { connections, openAll } = opener({ ofOneAddress: null, room: 90 })
  const socket = new PassThrough()
  expect(connections.admit(socket, '10.0.0.1')).toBe(true)
  expect(connections.admit(socket, '192.0.2.1')).toBe(true)
  expect(openAll('192.0.2.1').length + 1).toBe(80)
})

test('determines the capacity of this process', () => {
  expect(roomForConnections()).toBeGreaterThan(100)
})

test('treats 0 as no limit', () => {
  const { open } = opener({ ofOneAddress: 0, room: 10 })
  for (let n = 0; n < 100; n++) expect(open('192.0.2.1')).not.toBeNull()
})
