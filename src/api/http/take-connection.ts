import type { Socket } from 'node:net'
import type { Connections } from '../../limits/connections.ts'
import { plainAddress } from '../../proxies.ts'
import { refuseConnection } from './refused-requests.ts'

/** Takes a connection that has come in, or ends it. */
export function takeConnection(connections: Connections, socket: Socket): void {
  const { remoteAddress } = socket
  // It was reset before it was taken. What it sent would still be read and done, and nobody would get the answer, while
  // others wait to be taken: Node takes one in each turn of the event loop.
  if (remoteAddress === undefined) socket.destroy()
  else if (!connections.admit(socket, plainAddress(remoteAddress))) refuseConnection(socket)
}
