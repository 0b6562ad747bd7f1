import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Connections } from '../../limits/connections.ts'
import { plainAddress } from '../../proxies.ts'
import { refuseConnection } from './refused-requests.ts'

/** How long running requests may continue after the server began to stop: as long as a query may take. */
const STOP_TIMEOUT_MS = 10_000

/** Interval at which idle connections are closed. */
const SWEEP_INTERVAL_MS = 50

/**
 * Accepts a new connection, or closes it.
 * @param refuse ends the connection of an address that has too many
 * @returns whether it is accepted
 */
export function takeConnection(connections: Connections, socket: Socket, refuse = refuseConnection): boolean {
  const { remoteAddress } = socket
  // The connection was reset before it was accepted. Its requests would still be read and processed without a receiver
  // for the response, while other connections wait: Node accepts one per iteration of the event loop.
  if (remoteAddress === undefined) socket.destroy()
  else if (!connections.admit(socket, plainAddress(remoteAddress))) refuse(socket)
  else return true
  return false
}

/**
 * Closes the connections of a stopping server: each as soon as its last response is sent, because the server would
 * otherwise wait for clients that keep connections open; and after the timeout those with unfinished requests.
 */
export function endConnections(server: Server): void {
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_INTERVAL_MS)
  const deadline = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS)
  server.once('close', () => {
    clearInterval(sweep)
    clearTimeout(deadline)
  })
}
