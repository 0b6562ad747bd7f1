import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { call } from '../support/app.ts'
import { closed } from '../support/closed.ts'
import { startOwnServer } from '../support/own-server.ts'

// The first server trusts no proxy: a proxy counts as a client.
const direct = await startOwnServer(['--trusted-proxies', 'none', '--connections-per-address', '3'])
const proxied = await startOwnServer(['--connections-per-address', '3', '--unproved-requests', '20'])
const ends: (() => void)[] = []
afterAll(() => {
  for (const end of ends) end()
})

/** @returns the data the server sends on a new connection; '' when it waits for a request */
async function open(url: string): Promise<{ socket: Socket; said: Promise<string> }> {
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  ends.push(() => socket.destroy())
  let text = ''
  socket.on('data', (data) => {
    text += data
  })
  socket.on('error', () => {})
  const said = closed(socket).then(() => text)
  await once(socket, 'connect')
  return { socket, said }
}

test('limits connections per address; rejects another one until one ends', async () => {
  const held = [await open(direct.url), await open(direct.url), await open(direct.url)]
  expect(await (await open(direct.url)).said).toMatch(/^HTTP\/1.1 429 Too Many Requests/)
  held[0]!.socket.destroy()
  const answered = async () => {
    const { socket, said } = await open(direct.url)
    socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    return (await said).slice(0, 12)
  }
  await expect.poll(answered).toBe('HTTP/1.1 200')
  for (const { socket } of held) socket.destroy()
})

test('counts WebSockets through a proxy per client', async () => {
  const handshake = (address: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { 'x-forwarded-for': address }
      const socket = new WebSocket(proxied.url.replace('http', 'ws'), 'lc.json.3', { headers })
      ends.push(() => socket.terminate())
      socket.on('open', () => resolve(101))
      socket.on('unexpected-response', (_, response) => resolve(response.statusCode!))
      socket.on('error', reject)
    })
  const statuses = []
  for (let n = 0; n < 5; n++) statuses.push(await handshake('192.0.2.1'))
  expect(statuses).toEqual([101, 101, 101, 429, 429])
  expect(await handshake('192.0.2.2')).toBe(101)
})

test('counts unauthenticated requests by address, but not requests with a key', async () => {
  const send = (headers: Record<string, string>, path: string) =>
    call(proxied.url, 'GET', path, { 'x-forwarded-for': '192.0.2.9', ...headers }, undefined).then(
      ({ status }) => status,
    )
  const stranger = { 'x-lc-id': 'nobody', 'x-lc-key': 'wrong' }
  const statuses = await Promise.all(Array.from({ length: 300 }, () => send(stranger, '/1.1/classes/Post')))
  expect(new Set(statuses)).toEqual(new Set([401, 429]))
  // Even if another second begins meanwhile.
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(50)
  const admin = { authorization: `Bearer ${proxied.adminToken}` }
  const known = await Promise.all(Array.from({ length: 100 }, () => send(admin, '/admin/apps')))
  expect(new Set(known)).toEqual(new Set([200]))
})
