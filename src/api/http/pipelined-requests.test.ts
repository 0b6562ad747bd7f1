import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, expect, it } from 'vitest'
import type { ApiError } from '../../errors.ts'
import { PipelinedRequests } from './pipelined-requests.ts'

const pipelined = new PipelinedRequests()
const waiting: ServerResponse[] = []
const server = createServer((_request, response) => {
  response.once('close', () => pipelined.end(response))
  try {
    pipelined.begin(response)
    waiting.push(response)
  } catch (error) {
    response.writeHead((error as ApiError).status).end()
  }
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
afterAll(() => {
  server.close()
  server.closeAllConnections()
})

const PATIENCE = { timeout: 20_000 }

it('of one connection as many are worked on as came with the first, at most 64, and all are answered in turn', async () => {
  const socket = connect(port, '127.0.0.1')
  const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
  let answers = ''
  socket.on('data', (chunk: Buffer) => {
    answers += chunk.toString()
  })
  const answered = (status: number) => answers.split(`HTTP/1.1 ${status}`).length - 1
  socket.write(request.repeat(20))
  await expect.poll(() => waiting.length, PATIENCE).toBe(20)
  // The connection is not read any more.
  socket.write(request.repeat(100))
  const other = connect(port, '127.0.0.1')
  other.write(request)
  await expect.poll(() => waiting.length, PATIENCE).toBe(21)
  waiting.pop()!.end()
  await once(other, 'data')
  other.destroy()
  expect(waiting).toHaveLength(20)
  for (const response of waiting.splice(0)) response.end()
  // Of the 100 that came together 64 are worked on; the others are answered behind them.
  await expect.poll(() => waiting.length, PATIENCE).toBe(64)
  expect(answered(200)).toBe(20)
  for (const response of waiting.splice(0)) response.end()
  await expect.poll(() => answered(429), PATIENCE).toBe(36)
  expect(answered(200)).toBe(84)
  socket.destroy()
})

it('the answers of a connection that is gone are closed, those behind the first too, and what is read for them', async () => {
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3))
  await expect.poll(() => waiting.length, PATIENCE).toBe(3)
  const [first, second, third] = waiting.splice(0) as [ServerResponse, ServerResponse, ServerResponse]
  const read = endless()
  const piped = pipeline(read, second).catch((error: NodeJS.ErrnoException) => error.code)
  const closed = Promise.all([first, second, third].map((response) => once(response, 'close')))
  socket.destroy()
  await closed
  expect(await piped).toBe('ERR_STREAM_PREMATURE_CLOSE')
  expect(read.destroyed).toBe(true)
  // What comes too late for its answer is told so as well.
  const late = endless()
  expect(await pipeline(late, third).catch((error: NodeJS.ErrnoException) => error.code)).toMatch(/^ERR_STREAM_/)
  expect(late.destroyed).toBe(true)
})

function endless(): Readable {
  return new Readable({
    read() {
      this.push(Buffer.alloc(1024))
    },
  })
}
