import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { FairSemaphore } from '../../scheduling/fair-semaphore.ts'
import { credentialsFromHeaders } from '../authenticate.ts'
import { RawBody } from '../call.ts'
import { RequestPrincipal } from '../request-principal.ts'
import { HEAVY } from '../route.ts'
import type { Server } from '../server-context.ts'
import { isTunnel } from '../tunnel.ts'

/**
 * Characters of a body per millisecond of rest after its work, in which the event loop serves other requests. The work,
 * parsing the body and encoding it for the database, takes longer than the rest.
 */
const LENGTH_A_MILLISECOND = 200_000

/**
 * Creates the queue of requests with large bodies, one per server. Such a body takes several times its size in memory:
 * as text, as values, and as sent to the database. The number of waiting requests is also bounded by `IncomingBodies`.
 */
export function heavyRequestQueue(): FairSemaphore {
  return new FairSemaphore({ slots: 2, waiting: { atAddress: 100, ofApp: 500, inAll: 500 }, timeoutMs: 30_000 })
}

/** Returns whether a request has such a large body that only a few like it are processed at a time. */
export function isHeavy(request: FastifyRequest): boolean {
  return sizeOf(request) >= (request.endpoint === null ? HEAVY : request.endpoint.heavyFrom)
}

/** Returns the size of a body: in characters of JSON, or in bytes for a body that carries or may carry a tunneled request. */
function sizeOf(request: FastifyRequest): number {
  const { body } = request
  if (typeof body === 'string') return body.length
  return body instanceof RawBody && isTunnel(request) ? body.bytes.length : 0
}

/**
 * Processes a request with a large body when the queue grants a slot.
 * @param open parses the body and returns the next step
 * @throws ApiError 429 or 503 when too many wait, or for too long; 499 when the client disconnected
 */
export async function runQueued<Result>(
  queue: FairSemaphore,
  server: Server,
  request: FastifyRequest,
  open: () => () => Promise<Result>,
): Promise<Result> {
  const { appId = '', masterKey } = credentialsFromHeaders(request.headers)
  const client = { userId: null, master: masterKey !== undefined }
  const principal = new RequestPrincipal(appId, server.asSent(request.raw).address, client, request.raw.socket)
  const work = async () => {
    // Assembling the text has already blocked the event loop.
    await nextTurn()
    const goOn = open()
    // Frees the text, which would otherwise stay in memory next to its values until the response.
    request.body = undefined
    // The next step blocks the event loop for about as long.
    await nextTurn()
    return goOn()
  }
  return queue.run(principal, work, sizeOf(request) / LENGTH_A_MILLISECOND)
}
