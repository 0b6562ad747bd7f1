import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { makeRequestId } from '../../tracing/request-id.ts'
import { JSON_TYPE } from '../call.ts'

/** Responses for errors other than invalid HTTP in general. */
const REASONS: ReadonlyMap<string | undefined, readonly [status: string, text: string]> = new Map([
  ['HPE_HEADER_OVERFLOW', ['431 Request Header Fields Too Large', 'The headers are too large.']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'The request arrives too slowly.']],
  [
    'HPE_INVALID_URL',
    [
      '400 Bad Request',
      'The URL contains control characters or bytes that are not valid UTF-8. Percent-encode it as UTF-8.',
    ],
  ],
  [
    'HPE_INVALID_CONSTANT',
    ['400 Bad Request', 'The request line is not valid HTTP. Spaces in the URL must be percent-encoded as %20.'],
  ],
])

/** Responds to a request that reaches no handler because its request line or a header is invalid, and closes the connection. */
export function refuseBroken(error: Error & { readonly code?: string }, socket: Socket): void {
  if (!socket.writable) return
  const [status, text] = REASONS.get(error.code) ?? ['400 Bad Request', 'The request is not valid HTTP.']
  refuse(socket, status, text)
}

/** Sends a response on a connection without a handler, and closes it. */
export function refuse(socket: Socket, status: string, text: string): void {
  const body = JSON.stringify({ code: 1, error: text })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${makeRequestId({})}\r\nConnection: close\r\n\r\n${body}`,
  )
}

/** Closes a connection of an address that has too many. */
export function refuseConnection(socket: Socket): void {
  refuse(socket, '429 Too Many Requests', 'Too many connections from this address.')
  // Discards incoming data; otherwise the connection would stay open until the client closes it.
  socket.destroySoon()
}

/** Responds to a request whose `Expect` header is not `100-continue`. */
export function refuseExpectation({ headers }: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify({ code: 1, error: "The header Expect must be '100-continue'." })
  response
    .writeHead(417, { 'content-type': JSON_TYPE, 'x-request-id': makeRequestId(headers), connection: 'close' })
    .end(body)
}
