import type { Server } from 'node:http'

/** How long requests that run may go on after the server was told to stop, in milliseconds: as long as a query may take. */
const PATIENCE = 10_000

/** How often connections are looked through, in milliseconds. */
const GLANCE = 50

/**
 * Ends the connections of a server that takes no new ones: each as soon as its last answer is out, for a client that
 * keeps it open would be waited for; and at last those on which no request ever comes to its end.
 */
export function endConnections(server: Server): void {
  const sweep = setInterval(() => server.closeIdleConnections(), GLANCE)
  const deadline = setTimeout(() => server.closeAllConnections(), PATIENCE)
  server.once('close', () => {
    clearInterval(sweep)
    clearTimeout(deadline)
  })
}
