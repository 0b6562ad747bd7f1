import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { frameOf } from '../../src/realtime-protocol/frame.ts'

// The bare broadcaster: the limit of `ws` when each frame is created once and written directly to each socket, bypassing the
// sender of `ws`. It has no logins, checks or storage.

const sockets = new Set<Socket>()
const http = createServer()
const server = new WebSocketServer({ server: http, perMessageDeflate: false, clientTracking: false })

server.on('connection', (websocket: WebSocket, { socket }: IncomingMessage) => {
  sockets.add(socket)
  websocket.on('close', () => sockets.delete(socket))
  websocket.on('error', () => websocket.terminate())
  websocket.on('message', (message) => {
    const frame = frameOf(message as Buffer)
    for (const receiver of sockets) receiver.write(frame)
  })
})

http.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready at http://127.0.0.1:${(http.address() as AddressInfo).port}\n`)
})
