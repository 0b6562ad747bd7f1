import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'

/**
 * Resolves when a connection has closed, however it came to that. `once` of node:events is not for this: it rejects
 * when the connection breaks first (EPIPE, ECONNRESET), and whether a peer that is sent away sees its connection break
 * or close depends on what was on its way.
 */
export async function closed(connection: Socket | WebSocket): Promise<void> {
  await new Promise<void>((resolve) => void connection.once('close', () => resolve()))
}
