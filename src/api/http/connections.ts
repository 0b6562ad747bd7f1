import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Connections } from '../../limits/connections.ts'
import { plainAddress } from '../../proxies.ts'
import { refuseConnection } from './refused-requests.ts'

/** How long running requests may go on after the server was told to stop: as long as a query may take. */
const STOP_TIMEOUT_MS = 10_000

/** How often idle connections are closed. */
const SWEEP_INTERVAL_MS = 50

/** Accepts a new connection, or ends it. */
export function takeConnection(connections: Connections, socket: Socket): void {
  const { remoteAddress } = socket
  // It was reset before it was accepted. What it sent would still be read and done, without a receiver for the response, while
  // other connections wait: Node accepts one in each turn of the event loop.
  if (remoteAddress === undefined) socket.destroy()
  else if (!connections.admit(socket, plainAddress(remoteAddress))) refuseConnection(socket)
}

/**
 * Ends the connections of a server that takes no new ones: each as soon as its last response is sent, because the server
 * would wait for a client that keeps it open; and after the timeout those on which a request never ends.
 */
export function endConnections(server: Server): void {
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_INTERVAL_MS)
  const deadline = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS)
  server.once('close', () => {
    clearInterval(sweep)
    clearTimeout(deadline)
  })
}
