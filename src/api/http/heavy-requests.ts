import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { FairSemaphore } from '../../scheduling/fair-semaphore.ts'
import { credentialsFromHeaders } from '../authenticate.ts'
import { RawBody } from '../call.ts'
import { RequestPrincipal } from '../request-principal.ts'
import { HEAVY } from '../route.ts'
import type { Server } from '../server-context.ts'
import { isTunnel } from '../tunnel.ts'

/** Characters of a body after which other requests have a millisecond: to make values of them and what the database is sent takes longer. */
const LENGTH_A_MILLISECOND = 200_000

/**
 * Makes the queue of requests with large bodies, one for a server. What such a body takes is several times its size: as a
 * text, as values, as what the database is sent. How many wait is bounded by `IncomingBodies` as well.
 */
export function heavyRequestQueue(): FairSemaphore {
  return new FairSemaphore({ slots: 2, waiting: { atAddress: 100, ofApp: 500, inAll: 500 }, timeoutMs: 30_000 })
}

/** Whether a request has so large a body that few of its kind are worked on at a time. */
export function isHeavy(request: FastifyRequest): boolean {
  return sizeOf(request) >= (request.endpoint === null ? HEAVY : request.endpoint.heavyFrom)
}

/** Characters of the JSON of a body; bytes of one that carries a request, or may do so. */
function sizeOf(request: FastifyRequest): number {
  const { body } = request
  if (typeof body === 'string') return body.length
  return body instanceof RawBody && isTunnel(request) ? body.bytes.length : 0
}

/**
 * Works on such a request when it is its turn.
 * @param open makes values of the body, and says how to go on with them
 * @throws ApiError 429 or 503 when too many wait, or for too long; 499 when the client has gone
 */
export async function heavyInTurn<Result>(
  queue: FairSemaphore,
  server: Server,
  request: FastifyRequest,
  open: () => () => Promise<Result>,
): Promise<Result> {
  const { appId = '', masterKey } = credentialsFromHeaders(request.headers)
  const doer = { userId: null, master: masterKey !== undefined }
  const principal = new RequestPrincipal(appId, server.asSent(request.raw).address, doer, request.raw.socket)
  const work = async () => {
    // To put its text together has held up others already.
    await nextTurn()
    const goOn = open()
    // Its values are there: the text would be kept beside them until the answer.
    request.body = undefined
    // What follows holds up others for as long again.
    await nextTurn()
    return goOn()
  }
  return queue.run(principal, work, sizeOf(request) / LENGTH_A_MILLISECOND)
}
