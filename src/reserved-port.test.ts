import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type ReservedPort, reservePort } from './reserved-port.ts'

let reserved: ReservedPort[] = []
afterEach(async () => {
  for (const port of reserved) await port.release()
  reserved = []
})

test('answers requests with 503 until the port is released, which is then free', async () => {
  const { port, release } = await reservePort(0, '127.0.0.1')
  const url = `http://127.0.0.1:${port}/1.1/classes/Post`
  const responses = [fetch(url), fetch(url, { method: 'POST', body: 'x'.repeat(300_000) })]
  for (const response of await Promise.all(responses)) {
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await response.json()).toEqual({
      status: 'starting',
      code: 511,
      error: 'The server is starting. Try again later.',
    })
  }
  await release()
  reserved.push(await reservePort(port, '127.0.0.1'))
  expect(reserved[0]!.port).toBe(port)
})

test('releases the port although a client keeps a connection open', async () => {
  const { port, release } = await reservePort(0, '127.0.0.1')
  const client = (await import('node:net')).connect(port, '127.0.0.1')
  await once(client, 'connect')
  const closed = once(client, 'close')
  await release()
  await closed
  reserved.push(await reservePort(port, '127.0.0.1'))
})

test('names the port that another program uses', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  await expect(reservePort(port, '127.0.0.1')).rejects.toThrow(
    `Port ${port} is already in use by another program. Stop that program, or choose another port with --port.`,
  )
  other.close()
})

test('closes connections of clients that speak TLS, and names the option of the port', async () => {
  const options = { flag: '--http-port', isTls: true }
  const port = await reservePort(0, '127.0.0.1', options)
  reserved.push(port)
  await expect(fetch(`http://127.0.0.1:${port.port}/`)).rejects.toThrow()
  await expect(reservePort(port.port, '127.0.0.1', options)).rejects.toThrow(/another port with --http-port\.$/)
})

test('names an address that the machine does not have', async () => {
  await expect(reservePort(0, '203.0.113.7')).rejects.toThrow("This machine has no address '203.0.113.7'.")
})
