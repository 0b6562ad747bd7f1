import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'
import { addressKey } from '../../limits/address-key.ts'
import type { AppLimits, CountedClient } from '../../limits/app-limits.ts'
import type { Limiter } from '../../limits/limiters.ts'
import { isCounted } from '../../objects/access/count-caller.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import type { FairSemaphore } from '../../scheduling/fair-semaphore.ts'
import { emptyAsObject } from '../../values/json.ts'
import { appOf, authenticate, type Credentials, credentialsFromHeaders } from '../authenticate.ts'
import { type Answer, RawBody } from '../call.ts'
import { checkOwnPage } from '../console-requests.ts'
import { type EndpointTable, type Match, pathOf } from '../endpoint-table.ts'
import { type AppRoute, metricClassOf, type Rate } from '../route.ts'
import type { Server } from '../server-context.ts'
import { isTunnel, openTunnel } from '../tunnel.ts'
import { isHeavy, runQueued } from './heavy-requests.ts'
import { baseUrlOf, makeAdminCall, makeCall, makeServerCall, performAdminCall, performCall } from './make-call.ts'
import { hasParameters, readBody } from './read-body.ts'
import { send, sendFailure } from './send-answer.ts'
import { noteRoute, tracedRequest } from './traced-request.ts'
import type { UnsentAnswers } from './unsent-answers.ts'
import { checkOrigin } from './web-origin.ts'

/** The parts of the HTTP server that process requests. */
export interface Answering {
  readonly server: Server
  readonly endpoints: EndpointTable
  readonly unsent: UnsentAnswers
  /** The queue of requests with large bodies. */
  readonly heavy: FairSemaphore
}

/** Processes a request in a span of its trace, if traces are on. */
export function answerRequest(
  answering: Answering,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return tracedRequest(request, reply, () => answer(answering, request, reply))
}

/** Processes a request: calls the endpoint that Fastify has found or that the body of a tunnel names, and sends the response. */
async function answer(answering: Answering, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { server, endpoints, unsent, heavy } = answering
  const started = performance.now()
  let pattern = 'unknown'
  let metricClass = 'unknown'
  try {
    const open = () => {
      const incoming = openRequest(endpoints, request)
      const { route } = incoming
      pattern = route.path
      metricClass = metricClassOf(route)
      noteRoute(request, route.method, pattern)
      if (request.trace) {
        request.trace.method = route.method
        request.trace.route = pattern
      }
      return () => perform(answering, request, incoming)
    }
    return send(reply, await (isHeavy(request) ? runQueued(heavy, server, request, open) : open()()), unsent)
  } catch (error) {
    return sendFailure(server, await unprovedFault(server, request, error), request, reply)
  } finally {
    server.metrics.requests.observe({
      method: request.method,
      route: pattern,
      class: metricClass,
      status: reply.statusCode,
      milliseconds: performance.now() - started,
    })
  }
}

/** Counts a request rejected with 401, and replaces the error by 429 after too many from one address. */
async function unprovedFault(server: Server, request: FastifyRequest, error: unknown): Promise<unknown> {
  if (!(error instanceof ApiError) || error.status !== 401) return error
  try {
    await countFrom(server.wrongKeys, server.asSent(request.raw).address)
    return error
  } catch (tooMany) {
    return tooMany
  }
}

/** @throws ApiError 429 */
async function countFrom(limiter: Limiter | null, address: string): Promise<void> {
  if (limiter && address !== '') await limiter.take(addressKey(address))
}

interface Incoming extends Match {
  readonly query: Parameters
  readonly body: unknown
  readonly credentials: Credentials
}

/**
 * Parses a request and finds its endpoint.
 * @throws ApiError 404, 405, and errors of the body
 */
function openRequest(endpoints: EndpointTable, request: FastifyRequest): Incoming {
  const query = request.query as Parameters
  const credentials = credentialsFromHeaders(request.headers)
  if (!isTunnel(request)) {
    const { route, params } = matchOf(endpoints, request)
    const body = route.method === 'GET' && !hasParameters(request) ? {} : readBody(request, credentials)
    return { route, params, query, body, credentials }
  }
  const body = readBody(request, credentials)
  if (body instanceof RawBody) return { ...matchOf(endpoints, request), query, body, credentials }
  const path = pathOf(request.raw.url!)
  return openTunnel(body, credentials, query, (method) => endpoints.find(method, path))
}

/** @throws ApiError 404, 405 when there is no endpoint */
function matchOf(endpoints: EndpointTable, { endpoint, method, params, raw }: FastifyRequest): Match {
  // Fastify has no HEAD routes, so it has not parsed the parameters of the path.
  if (endpoint && method !== 'HEAD') return { route: endpoint, params: params as Match['params'] }
  return endpoints.find(method === 'HEAD' ? 'GET' : method, pathOf(raw.url!))
}

async function perform(
  { server, endpoints, unsent }: Answering,
  request: FastifyRequest,
  { route, params, query, body, credentials }: Incoming,
): Promise<Answer> {
  const sent = server.asSent(request.raw)
  if (route.access !== 'app') {
    const call = makeServerCall(server, request, sent, params, query, body)
    if (route.access === 'admin') return performAdminCall(route, await makeAdminCall(endpoints, request, query, call))
    await countFrom(server.withoutKey, sent.address)
    if (route.ownPagesOnly) checkOwnPage(request.headers, sent.host)
    return route.handler(call)
  }
  const app = await appOf(server, credentials.appId)
  if (request.trace) request.trace.app = app.id
  server.clientsServed.note()
  checkOrigin(server, app, request.raw)
  const caller = await authenticate(app, credentials, sent, {
    admit: (isBackEnd) => countRequest(app.limits, route, sent.address, isBackEnd),
    socket: request.raw.socket,
    refusal: () => unsent.refusal(request.raw),
    baseUrl: () => baseUrlOf(server, sent),
  })
  if (caller.userId !== null && isCounted(caller)) {
    const counted = countBoth(app.limits, route.rate, { address: undefined, userId: caller.userId, userOnly: true })
    if (counted) await counted
  }
  const { production, session } = credentials
  const context = { server, endpoints, request, sent, app, caller, production, session }
  // Some clients encode an empty object as an empty list. Clients of the management API do not.
  return performCall(route, makeCall(context, params, query, emptyAsObject(body)))
}

/**
 * Counts an HTTP request and its call as soon as the key is verified, so that a rejected request costs no database
 * read.
 * @param isBackEnd the master key was verified, or the app's cloud code calls
 * @returns a promise only if there is something to count
 * @throws ApiError 429, by the promise
 */
function countRequest(
  limits: AppLimits,
  { rate }: AppRoute,
  address: string,
  isBackEnd: boolean,
): Promise<void> | void {
  if (isBackEnd) return limits.take('master', { address: undefined, userId: null })
  return countBoth(limits, rate, { address, userId: null })
}

function countBoth(limits: AppLimits, rate: Rate, client: CountedClient): Promise<void> | void {
  const request = limits.take('requests', client)
  const call = rate === null ? undefined : limits.take(rate, client)
  return request && call ? Promise.all([request, call]).then(() => {}) : (request ?? call)
}
