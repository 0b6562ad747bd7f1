import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { Connections } from '../../limits/connections.ts'
import { takeConnection } from './connections.ts'

/** Connects, sends a request, resets the connection, and exits. */
const GIVES_UP = `
  const socket = require('node:net').connect(Number(process.argv[1]), '127.0.0.1', () => {
    socket.write('GET /given-up HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n', () => socket.resetAndDestroy())
  })`

const connections = new Connections({ ofOneAddress: 0, room: 0 }, () => false)

test('does not process requests of a connection that was reset before it was accepted', async () => {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url!)
    response.end()
  })
  server.on('connection', (socket) => takeConnection(connections, socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    // Blocks the event loop until the process has exited, so that the server accepts no connection meanwhile.
    const { status } = spawnSync(process.execPath, ['-e', GIVES_UP, String(port)], { timeout: 60_000 })
    expect(status).toBe(0)
    const later = connect(port, '127.0.0.1')
    later.write('GET /later HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
    later.resume()
    await once(later, 'close')
    expect(requests).toEqual(['/later'])
  } finally {
    server.close()
  }
})
