import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import type { ApiError } from '../../errors.ts'
import { PipelinedRequests } from './pipelined-requests.ts'

const pipelined = new PipelinedRequests()
const begun: ServerResponse[] = []
let seen = 0
let disconnects = 0
const server = createServer((_request, response) => {
  seen++
  response.once('finish', () => pipelined.end(response))
  pipelined.wait(response, (refusal) => {
    const { status } = (refusal ?? {}) as Partial<ApiError>
    if (status === 499) disconnects++
    else if (status !== undefined) response.writeHead(status).end()
    else begun.push(response)
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

const WAIT = { timeout: 60_000 }
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

/**
 * Opens a connection.
 * @returns the socket, and a function that counts its responses with a status
 */
function open(): { socket: Socket; answered: (status: number) => number } {
  const socket = connect(port, '127.0.0.1')
  let answers = ''
  socket.on('data', (chunk: Buffer) => {
    answers += chunk.toString()
  })
  return { socket, answered: (status) => answers.split(`HTTP/1.1 ${status}`).length - 1 }
}

async function next(): Promise<ServerResponse> {
  await expect.poll(() => begun.length, WAIT).toBeGreaterThan(0)
  return begun.shift()!
}

it('processes the requests of one connection one after another, without delaying other connections', async () => {
  const { socket, answered } = open()
  socket.write(REQUEST.repeat(20))
  const first = await next()
  const other = open()
  other.socket.write(REQUEST)
  ;(await next()).end()
  await expect.poll(() => other.answered(200), WAIT).toBe(1)
  expect(begun).toHaveLength(0)
  first.end()
  for (let n = 2; n <= 20; n++) {
    const response = await next()
    expect([answered(200), begun.length]).toEqual([n - 1, 0])
    response.end()
  }
  await expect.poll(() => answered(200), WAIT).toBe(20)
  socket.destroy()
  other.socket.destroy()
})

it('stops reading a connection while 16 requests wait, and accepts at most 64 that arrived together', async () => {
  const { socket, answered } = open()
  seen = 0
  socket.write(REQUEST.repeat(20))
  const first = await next()
  expect(seen).toBe(20)
  socket.write(REQUEST.repeat(100))
  await sleep(100)
  expect(seen).toBe(20)
  first.end()
  // Later requests are read when few of the first are left: at most eight, because processing continues meanwhile.
  while (answered(200) + answered(429) < 120) {
    begun.shift()?.end()
    await nextTurn()
  }
  expect(answered(429)).toBeGreaterThanOrEqual(120 - 20 - 64)
  expect(answered(429)).toBeLessThanOrEqual(120 - 20 - 64 + 8)
  socket.destroy()
})

it('does not begin waiting requests when the connection ends', async () => {
  const { socket } = open()
  socket.write(REQUEST.repeat(3))
  const first = await next()
  disconnects = 0
  socket.destroy()
  await expect.poll(() => disconnects, WAIT).toBe(2)
  first.end()
  await sleep(20)
  expect(begun).toHaveLength(0)
})
