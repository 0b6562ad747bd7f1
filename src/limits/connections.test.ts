import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { Connections, halfOfOpenFiles } from './connections.ts'

const isProxy = (address: string) => address === '10.0.0.1'

test('an address has so many at a time, an IPv6 network together, and a proxy as many as it likes', async () => {
  const connections = new Connections(2, isProxy)
  const open = (address: string) => {
    const connection = new PassThrough()
    return connections.admit(connection, address) ? connection : null
  }
  const [first, second] = [open('192.0.2.1'), open('192.0.2.1')]
  expect(second).not.toBeNull()
  expect(open('192.0.2.1')).toBeNull()
  // The same once more.
  expect(connections.admit(first!, '192.0.2.1')).toBe(true)
  expect([open('192.0.2.2'), open('2001:db8::1'), open('2001:db8::2')]).not.toContain(null)
  expect(open('2001:db8::3')).toBeNull()
  expect([open('10.0.0.1'), open('10.0.0.1'), open('10.0.0.1'), open('')]).not.toContain(null)
  first!.destroy()
  await once(first!, 'close')
  expect(open('192.0.2.1')).not.toBeNull()
  expect(open('192.0.2.1')).toBeNull()
})

test('an address may have more while all together have few', async () => {
  const connections = new Connections(2, isProxy, 4)
  const open = (address: string) => {
    const connection = new PassThrough()
    return connections.admit(connection, address) ? connection : null
  }
  const crowd = Array.from({ length: 4 }, () => open('192.0.2.1'))
  expect(crowd).not.toContain(null)
  expect(open('192.0.2.1')).toBeNull()
  // Others still have what is theirs.
  expect([open('192.0.2.2'), open('192.0.2.2')]).not.toContain(null)
  expect(open('192.0.2.2')).toBeNull()
  for (const connection of crowd.slice(0, 3)) connection!.destroy()
  await Promise.all(crowd.slice(0, 3).map((connection) => once(connection!, 'close')))
  expect(open('192.0.2.1')).not.toBeNull()
})

test('the files that the process may open are known', () => {
  expect(halfOfOpenFiles()).toBeGreaterThan(process.platform === 'win32' ? -1 : 100)
})

test('0 is no limit', () => {
  const connections = new Connections(0, isProxy)
  for (let n = 0; n < 100; n++) expect(connections.admit(new PassThrough(), '192.0.2.1')).toBe(true)
})
