import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Connections } from '../../limits/connections.ts'
import type { ChallengeResponses } from '../../tls/challenge-responses.ts'
import { JSON_TYPE } from '../call.ts'
import { takeConnection } from './connections.ts'

/** Milliseconds that a request may take to arrive. */
const REQUEST_TIMEOUT_MS = 10_000
const MAX_HEADER_BYTES = 16 * 1024
const CHALLENGE_PREFIX = '/.well-known/acme-challenge/'
/** Tokens of HTTP-01 (RFC 8555, 8.3). */
const TOKEN = /^[\w-]{1,256}$/

export interface RedirectOptions {
  /** Returns the HTTPS URL for a `Host` header, without a trailing slash. */
  readonly baseUrlFor: (host: string | undefined) => string
  /** Responses to challenges of certificate authorities; null: none. */
  readonly responses: ChallengeResponses | null
  readonly connections: Connections
}

/**
 * Creates the server for plain HTTP. It responds to validations of certificate authorities, and redirects all other requests to
 * HTTPS, API requests included: served in plain text, they would reveal keys and session tokens each time. Status 308 keeps the
 * method and the body.
 */
export function createRedirectServer({ baseUrlFor, responses, connections }: RedirectOptions): Server {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: REQUEST_TIMEOUT_MS / 2,
      requireHostHeader: false,
    },
    (request, response) => {
      // A connection closed with unread bytes would be reset before the response arrives.
      request.resume()
      const { url = '/' } = request
      if (url.startsWith(CHALLENGE_PREFIX)) void respond(responses, url.slice(CHALLENGE_PREFIX.length), response)
      else redirect(request, response)
    },
  )
  const redirect = ({ url = '/', headers: { host } }: IncomingMessage, response: ServerResponse) => {
    // The request line of a request to a proxy contains a URL.
    const location = `${baseUrlFor(host)}${url.startsWith('/') ? url : '/'}`
    const error = `This server accepts HTTPS only. Change the server URL of the client to ${new URL(location).origin}.`
    send(response, 308, JSON_TYPE, JSON.stringify({ code: 1, error }), { location })
  }
  // The requests that ask for another protocol, such as WebSocket, are redirected like others.
  server.on('upgrade', (request, socket) => {
    socket.on('error', () => socket.destroy())
    const response = `HTTP/1.1 308 Permanent Redirect\r\nLocation: ${baseUrlFor(request.headers.host)}${request.url?.startsWith('/') ? request.url : '/'}\r\n`
    socket.end(`${response}Content-Length: 0\r\nConnection: close\r\n\r\n`)
  })
  server.on('connection', (socket) => takeConnection(connections, socket))
  return server
}

async function respond(responses: ChallengeResponses | null, token: string, response: ServerResponse): Promise<void> {
  let found: string | null
  try {
    found = responses && TOKEN.test(token) ? await responses.find(token) : null
  } catch {
    return send(response, 503, 'text/plain', 'The responses to challenges cannot be read.\n')
  }
  if (found === null) send(response, 404, 'text/plain', 'There is no challenge with this token.\n')
  else send(response, 200, 'application/octet-stream', found)
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Record<string, string> = {},
): void {
  const length = Buffer.byteLength(body)
  response.writeHead(status, { ...headers, 'content-type': type, 'content-length': length, connection: 'close' })
  response.end(body)
}

interface Redirected {
  /** Host names of the server; the first is used for requests that name another host. Empty: any host. */
  readonly names: readonly string[]
  /** URL at which clients reach the server; null: unknown. */
  readonly publicUrl: string | null
  /** Returns the port of HTTPS. */
  readonly port: () => number
}

/**
 * Returns the HTTPS URL to which requests for a host are redirected. With known names, other hosts are not reflected.
 * @param host the `Host` header
 */
export function redirectBase({ names, publicUrl, port }: Redirected, host: string | undefined): string {
  const name = /^(\[[\da-f:.]+\]|[\w.-]{1,253})(?::\d{1,5})?$/i.exec(host ?? '')?.[1]?.toLowerCase()
  const suffix = port() === 443 ? '' : `:${port()}`
  const isPublic = publicUrl?.startsWith('https:') === true
  const isOther = name !== undefined && names.includes(name) && !(isPublic && new URL(publicUrl).hostname === name)
  if (isOther) return `https://${name}${suffix}`
  if (isPublic) return publicUrl
  if (names[0] !== undefined) return `https://${names[0]}${suffix}`
  return `https://${name !== undefined && URL.canParse(`https://${name}`) ? name : 'localhost'}${suffix}`
}
