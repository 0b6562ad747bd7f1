import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { Connections } from '../../limits/connections.ts'
import { takeConnection } from './take-connection.ts'

/** Connects, sends a request, resets the connection, and tells. */
const GIVES_UP = `
  const { connect } = require('node:net')
  const { workerData: { port, told } } = require('node:worker_threads')
  const socket = connect(port, '127.0.0.1', () => {
    socket.write('GET /given-up HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n', () => {
      socket.resetAndDestroy()
      socket.on('close', () => {
        Atomics.store(told, 0, 1)
        Atomics.notify(told, 0)
      })
    })
  })`

test('what a connection asked that was reset before it was taken is not done', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url!)
    response.end()
  })
  server.on('connection', (socket) => takeConnection(new Connections(0, () => false), socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    const told = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(GIVES_UP, { eval: true, workerData: { port, told } })
    await once(worker, 'online')
    // The server takes no connection meanwhile.
    expect(Atomics.wait(told, 0, 0, 20_000)).not.toBe('timed-out')
    await once(worker, 'exit')
    const later = connect(port, '127.0.0.1')
    later.write('GET /later HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    later.resume()
    await once(later, 'close')
    expect(asked).toEqual(['/later'])
  } finally {
    server.close()
  }
})
