import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** What streams, sockets and signals throw when the other side has closed the connection. */
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
 * Whether a request failed because its client closed the connection before the response was complete: no fault of the
 * server, and nothing to log. Other errors of such a request, a TypeError say, are faults all the same.
 */
export function isCancelled(
  error: unknown,
  { raw: request }: Pick<FastifyRequest, 'raw'>,
  { raw: response }: Pick<FastifyReply, 'raw'>,
): boolean {
  // A request that was destroyed has no socket any more.
  const socket: IncomingMessage['socket'] | null = request.socket
  const isGone = socket === null || socket.destroyed || (response.closed && !response.writableFinished)
  if (!isGone || !(error instanceof Error)) return false
  return error.name === 'AbortError' || ('code' in error && BROKEN_OFF.has(error.code))
}

/** Calls `done` once a response is sent or never will be: at once where that is so already. */
export function whenClosed(response: ServerResponse, done: () => void): void {
  if (response.closed) done()
  else response.once('close', done)
}
