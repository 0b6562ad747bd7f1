import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, errors } from '../../errors.ts'
import { appOf, checkKey, credentialsFromHeaders } from '../authenticate.ts'
import { authenticateAdmin } from '../authenticate-admin.ts'
import type { Router } from '../router.ts'
import type { Server } from '../server-context.ts'
import { isTunnel } from '../tunnel.ts'
import type { IncomingBodies } from './incoming-bodies.ts'
import { pathOf } from './request-path.ts'

/** protocol/storage, Limits */
export const MAX_BODY_BYTES = 20 * 1024 * 1024

/** Bodies up to this size cost no more to read than to refuse; they only have to be there some time (`http.ts`). */
const SMALL = 16 * 1024

/** What a body may have whose sender says only in it who it is, or need not say it at all. */
const MAX_UNPROVED = 1024 * 1024

/**
 * Decides by the headers of a request whether its body is received. A large one only from who has proved by then to be a
 * client of the app, or the administrator: receiving and parsing it is the dearest thing that anybody could ask for.
 * @returns a promise where the sender has to be found out first
 * @throws ApiError 401, 404, 405, 411, 413, 415, 429, 503
 */
export function admitBody(
  server: Server,
  router: Router,
  bodies: IncomingBodies,
  request: FastifyRequest,
  { raw: response }: FastifyReply,
): Promise<void> | void {
  const size = sizeOf(request)
  if (size === 0) return
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw errors.unsupportedMediaType('Compressed bodies are not taken; send it without Content-Encoding.')
  }
  if (size > MAX_BODY_BYTES) throw errors.payloadTooLarge()
  if (size <= SMALL) return
  return checkSender(server, router, request, size).then(() =>
    bodies.receive(response, server.asSent(request.raw).address, size),
  )
}

/** Whether a request has a large body of which the end has not been received. */
export function hasUnreadBody(request: FastifyRequest): boolean {
  return !request.raw.complete && sizeOf(request) > SMALL
}

/** Bytes that the body may have: as many as any may, where it does not say it. */
function sizeOf({ headers }: FastifyRequest): number {
  if (headers['transfer-encoding'] !== undefined) return MAX_BODY_BYTES
  return Number(headers['content-length'] ?? 0)
}

async function checkSender(server: Server, router: Router, request: FastifyRequest, size: number): Promise<void> {
  const credentials = credentialsFromHeaders(request.headers)
  const proves = credentials.key ?? credentials.masterKey ?? credentials.sign
  const access = isTunnel(request) ? 'app' : router.find(request.method, pathOf(request)).route.access
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
    throw new ApiError(411, 1, 'A request without a key in its headers needs a Content-Length.')
  }
  if (size > MAX_UNPROVED) throw errors.payloadTooLarge()
}
