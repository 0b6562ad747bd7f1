import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, errors } from '../../errors.ts'
import { appOf, checkKey, credentialsFromHeaders } from '../authenticate.ts'
import { authenticateAdmin } from '../authenticate-admin.ts'
import { type EndpointTable, pathOf } from '../endpoint-table.ts'
import { MAX_UNPROVED_BYTES, type Route } from '../route.ts'
import type { Server } from '../server-context.ts'
import { isTunnel } from '../tunnel.ts'
import type { IncomingBodies } from './incoming-bodies.ts'
import { maxBytesOf } from './receive-body.ts'

/** Bodies up to this size are as cheap to read as to refuse; only the timeout of requests applies (`create-http-server.ts`). */
const SMALL = 16 * 1024

/**
 * Decides by the headers of a request whether to receive its body. A large body is received only from an authenticated
 * client of the app or an administrator: receiving and parsing it is the most expensive work that an unknown client
 * could cause.
 * @returns a promise when the sender has to be authenticated first
 * @throws ApiError 401, 404, 405, 411, 413, 415, 429, 503
 */
export function admitBody(
  server: Server,
  endpoints: EndpointTable,
  bodies: IncomingBodies,
  request: FastifyRequest,
  { raw: response }: FastifyReply,
): Promise<void> | void {
  const size = sizeOf(request)
  if (size === 0) return
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw errors.unsupportedMediaType('Compressed bodies are not accepted; send the body without Content-Encoding.')
  }
  if (size > maxBytesOf(request)) throw errors.payloadTooLarge()
  if (size <= SMALL) return
  return checkSender(server, endpoints, request, size).then(() =>
    bodies.receive(response, server.asSent(request.raw).address, size),
  )
}

/** Returns whether a request has a large body that has not been received completely. */
export function hasUnreadBody(request: FastifyRequest): boolean {
  return !request.raw.complete && sizeOf(request) > SMALL
}

/** Returns the size of the body in bytes; the endpoint's maximum if its length is not declared. */
function sizeOf(request: FastifyRequest): number {
  if (request.headers['transfer-encoding'] !== undefined) return maxBytesOf(request)
  return Number(request.headers['content-length'] ?? 0)
}

async function checkSender(
  server: Server,
  endpoints: EndpointTable,
  request: FastifyRequest,
  size: number,
): Promise<void> {
  const credentials = credentialsFromHeaders(request.headers)
  const proves = credentials.key ?? credentials.masterKey ?? credentials.sign
  const access = isTunnel(request) ? 'app' : endpointOf(endpoints, request).access
  if (access === 'admin') {
    await authenticateAdmin(server, request, server.asSent(request.raw))
    return
  }
  if (access === 'app' && credentials.appId !== undefined && proves !== undefined) {
    const { record } = await appOf(server, credentials.appId)
    return checkKey(record, credentials, server.asSent(request.raw))
  }
  if (access === 'app' && !isTunnel(request)) throw errors.unauthorized()
  if (request.headers['content-length'] === undefined) {
    throw new ApiError(411, 1, 'A request without a key in its headers must have a Content-Length.')
  }
  if (size > MAX_UNPROVED_BYTES) throw errors.payloadTooLarge()
}

/** @throws ApiError 404, 405 */
function endpointOf(endpoints: EndpointTable, { method, endpoint, raw }: FastifyRequest): Route {
  return endpoint ?? endpoints.find(method, pathOf(raw.url!)).route
}
