import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Codes of errors that streams, sockets and signals throw when the peer has closed the connection. */
const BROKEN_OFF: ReadonlySet<unknown> = new Set([
  'ABORT_ERR',
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_UNABLE_TO_PIPE',
  'ERR_STREAM_WRITE_AFTER_END',
])

/**
 * Returns whether a request failed because its client closed the connection before the response was complete: not an
 * error of the server, and not logged. Other errors of such a request, such as a TypeError, are errors of the server.
 */
export function isCancelled(
  error: unknown,
  { raw: request }: Pick<FastifyRequest, 'raw'>,
  { raw: response }: Pick<FastifyReply, 'raw'>,
): boolean {
  // A destroyed request has no socket.
  const socket: IncomingMessage['socket'] | null = request.socket
  const isDisconnected = socket === null || socket.destroyed || (response.closed && !response.writableFinished)
  if (!isDisconnected || !(error instanceof Error)) return false
  return error.name === 'AbortError' || ('code' in error && BROKEN_OFF.has(error.code))
}

/** Calls `done` once a response is sent or can no longer be sent; at once if that is already so. */
export function whenClosed(response: ServerResponse, done: () => void): void {
  if (response.closed) done()
  else response.once('close', done)
}
