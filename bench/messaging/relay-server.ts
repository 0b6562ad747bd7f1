import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { encode } from '../../src/realtime-protocol/codec.ts'
import { SUBPROTOCOL } from './client.ts'

// The bare relay: the cost of `ws` for a reconnecting client. It responds to the login and join of every client with the same
// bytes, of the length of Homeport's; it parses, checks and stores nothing, and has no database.

const OPENED = encode(
  {
    cmd: 'session',
    op: 'opened',
    appId: 'benchmark',
    peerId: 'returning-000000',
    i: 1,
    sessionMessage: { st: 'x'.repeat(120), stTtl: 172_800 },
  },
  'protobuf',
)
const ADDED = encode(
  {
    cmd: 'conv',
    op: 'added',
    appId: 'benchmark',
    peerId: 'returning-000000',
    i: 2,
    convMessage: { cid: '0'.repeat(24), m: ['returning-000000'] },
  },
  'protobuf',
)

const http = createServer()
const server = new WebSocketServer({
  server: http,
  perMessageDeflate: false,
  clientTracking: false,
  handleProtocols: () => SUBPROTOCOL,
})

server.on('connection', (websocket: WebSocket) => {
  let answers = 0
  websocket.on('error', () => websocket.terminate())
  websocket.on('message', () => websocket.send(answers++ === 0 ? OPENED : ADDED))
})

http.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready at http://127.0.0.1:${(http.address() as AddressInfo).port}\n`)
})
