import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'

/**
 * Resolves when a connection has closed for any reason. `once` of node:events rejects when the connection breaks first (EPIPE,
 * ECONNRESET), and whether a rejected peer sees a broken or closed connection depends on data in transit.
 */
export async function closed(connection: Socket | WebSocket): Promise<void> {
  await new Promise<void>((resolve) => void connection.once('close', () => resolve()))
}
