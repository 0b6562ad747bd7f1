import { createReadStream } from 'node:fs'
import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import cors from '@fastify/cors'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { ApiError, errors } from '../../errors.ts'
import { addressKey } from '../../limits/address-key.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import { LoopTurns } from '../../turns/loop-turns.ts'
import { emptyAsObject } from '../../values/json.ts'
import { appOf, authenticate, type Credentials, credentialsFromHeaders } from '../authenticate.ts'
import { type Answer, ByteBody, FileBody, HtmlText, ImageBody, JSON_TYPE, partsOf } from '../call.ts'
import { checkOwnPage } from '../console-requests.ts'
import { countRequest, countUser } from '../count-request.ts'
import { failure } from '../failure.ts'
import { fileHostPaths } from '../file-host-paths.ts'
import { withGeoPointFloats } from '../geo-point-floats.ts'
import { parametersOfText } from '../parameters.ts'
import { performAdminCall } from '../perform-admin-call.ts'
import { performCall } from '../perform-call.ts'
import { RawBody } from '../raw-body.ts'
import type { Route } from '../route.ts'
import { Router } from '../router.ts'
import type { Server } from '../server-context.ts'
import type { ByteRoute } from '../transfer/byte-route.ts'
import { isTunnel, openTunnel } from '../tunnel.ts'
import { admitBody, hasUnreadBody, MAX_BODY_BYTES } from './admit-body.ts'
import { isForBytes, serveBytes } from './byte-endpoints.ts'
import { endConnections } from './end-connections.ts'
import { frameworkRefusal } from './framework-refusal.ts'
import { heavyInTurn, isHeavy } from './heavy-requests.ts'
import { IncomingBodies } from './incoming-bodies.ts'
import { isCancelled } from './is-cancelled.ts'
import { inPieces, LARGE } from './large-texts.ts'
import { baseUrlOf, makeAdminCall, makeCall, makeServerCall } from './make-call.ts'
import { normalizeMediaType } from './media-type.ts'
import { PipelinedRequests } from './pipelined-requests.ts'
import { takeRawUrls } from './raw-urls.ts'
import { hasParameters, readBody } from './read-body.ts'
import { receiveBody } from './receive-body.ts'
import { refuseBroken, refuseExpectation } from './refused-requests.ts'
import { logRequests } from './request-log.ts'
import { pathOf } from './request-path.ts'
import { serveConsole } from './serve-console.ts'
import { takeConnection } from './take-connection.ts'
import { Transfers } from './transfers.ts'
import { UnsentAnswers } from './unsent-answers.ts'
import { checkAnyAllows, checkOrigin, OriginRefused } from './web-origin.ts'

/** How long browsers may keep the answer to a preflight, in seconds. */
const PREFLIGHT_AGE = 86_400

/**
 * Milliseconds that a request may take to arrive: an upload of 10 GB over a line of 3 MB a second. Those that stand still end
 * long before (`incoming-bodies.ts`, `transfers.ts`).
 */
const REQUEST_TIMEOUT = 3_600_000

/** Requests of one address that are begun in one turn of the event loop, before those of others. */
const REQUESTS_IN_TURN = 64

/**
 * Headers of the management API's responses, errors too. No page of another origin includes or frames what administrators see,
 * and a response that a browser shows as a page loads nothing and sends its URL, which may hold a ticket, nowhere.
 */
const MANAGEMENT_HEADERS = {
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
} as const

/** Turns HTTP into calls of endpoints, and their answers into HTTP (protocol/conventions, Responses). */
export async function createHttpServer(
  server: Server,
  endpoints: readonly Route[],
  byteEndpoints: readonly ByteRoute[],
): Promise<FastifyInstance> {
  const router = new Router(endpoints)
  const http = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT,
    forceCloseConnections: 'idle',
    // What arrives on an open connection while the server stops is still answered, and then the connection is closed.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 4096, querystringParser: parametersOfText },
    rewriteUrl: fileHostPaths(server),
    // HTTP/1.1 demands a Host header; a client that sends none means this server all the same.
    http: { requireHostHeader: false },
    clientErrorHandler: refuseBroken,
    frameworkErrors: (error, request, reply) => void sendFailure(server, error, request, reply),
  })
  logRequests(http, server.log)
  // Parameters may be in the body of a GET (protocol/conventions, Parameters).
  http.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  http.addHook('onRequest', (request, reply, done) => {
    if (isManagement(request.url)) reply.headers(MANAGEMENT_HEADERS)
    checkAnyAllows(server, request.raw)
    normalizeMediaType(request.raw)
    done()
  })
  await http.register(cors, {
    origin: '*',
    // Any OPTIONS is answered, with or without the headers of a preflight.
    strictPreflight: false,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    maxAge: PREFLIGHT_AGE,
    exposedHeaders: ['Location', 'Last-Modified', 'Retry-After', 'X-Request-Id'],
  })
  await http.register(compress, {
    threshold: 1024,
    encodings: ['br', 'gzip', 'deflate', 'identity'],
    // A compressed body of a few bytes could become one of any size.
    globalDecompression: false,
    // The strongest brotli takes a hundred times as long for a few percent, and its largest window ten times the memory.
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } },
  })
  takeRawUrls(http.server)
  http.server.on('checkExpectation', refuseExpectation)
  http.server.on('connection', (socket) => takeConnection(server.connections, socket))
  http.addHook('preClose', (done) => {
    endConnections(http.server)
    done()
  })
  const bodies = new IncomingBodies()
  const transfers = new Transfers()
  const unsent = new UnsentAnswers((request) => server.asSent(request).address)
  http.addHook('onClose', async () => {
    bodies.stop()
    unsent.stop()
    transfers.stop()
  })
  const pipelined = new PipelinedRequests()
  http.addHook('onResponse', (_request, reply, done) => {
    pipelined.end(reply.raw)
    done()
  })
  const admit = (request: FastifyRequest, reply: FastifyReply) => {
    const refusal = unsent.refusal(request.raw)
    if (refusal) throw refusal
    return isForBytes(request) ? undefined : admitBody(server, router, bodies, request, reply)
  }
  const turns = new LoopTurns(REQUESTS_IN_TURN)
  http.addHook('onRequest', (request, reply, done) => {
    const begin = () => {
      try {
        const admission = admit(request, reply)
        // Without a promise where none is needed: this is in the way of every request.
        if (admission) admission.then(() => done(), done)
        else done()
      } catch (error) {
        done(error as Error)
      }
    }
    pipelined.wait(reply.raw, (refusal) => {
      if (refusal) return done(refusal)
      const { address } = server.asSent(request.raw)
      if (turns.take(address)) begin()
      else turns.wait(address, begin)
    })
  })
  http.removeAllContentTypeParsers()
  http.decorateRequest('extent', null)
  http.addContentTypeParser('*', receiveBody)
  http.setErrorHandler((error, request, reply) => sendFailure(server, error, request, reply))
  http.setNotFoundHandler((request, reply) =>
    sendFailure(server, errors.notFound(`There is nothing at ${request.url.slice(0, 200)}.`), request, reply),
  )
  await serveBytes(http, {
    server,
    transfers,
    routes: byteEndpoints,
    baseUrlOf: (request) => baseUrlOf(server, server.asSent(request.raw)),
    send: (reply, answer) => send(reply, answer, null),
  })
  await serveConsole(http)
  http.route({
    method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'],
    url: '/*',
    handler: (request, reply) => answerRequest(server, router, unsent, request, reply),
  })
  return http
}

async function answerRequest(
  server: Server,
  router: Router,
  unsent: UnsentAnswers,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const started = performance.now()
  let pattern = 'unknown'
  try {
    const open = () => {
      const incoming = openRequest(request)
      const match = router.find(incoming.method, incoming.path)
      pattern = match.route.path
      if (request.trace) {
        request.trace.method = incoming.method
        request.trace.route = pattern
      }
      return () => perform(server, router, unsent, request, incoming, match)
    }
    return send(reply, await (isHeavy(request) ? heavyInTurn(server, request, open) : open()()), unsent)
  } catch (error) {
    return sendFailure(server, await unprovedFault(server, request, error), request, reply)
  } finally {
    server.metrics.observeRequest(request.method, pattern, reply.statusCode, performance.now() - started)
  }
}

/** Counts a request that was refused with 401: of too many from one address the rest are answered with 429. */
async function unprovedFault(server: Server, request: FastifyRequest, error: unknown): Promise<unknown> {
  if (!(error instanceof ApiError) || error.status !== 401) return error
  try {
    await countUnproved(server, server.asSent(request.raw).address)
    return error
  } catch (tooMany) {
    return tooMany
  }
}

/** @throws ApiError 429 */
async function countUnproved({ unproved }: Server, address: string): Promise<void> {
  if (unproved && address !== '') await unproved.take(addressKey(address))
}

function isManagement(path: string): boolean {
  return path.startsWith('/admin/')
}

interface Incoming {
  readonly method: string
  readonly path: string
  readonly query: Parameters
  readonly body: unknown
  readonly credentials: Credentials
}

function openRequest(request: FastifyRequest): Incoming {
  const path = pathOf(request)
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const query = request.query as Parameters
  const credentials = credentialsFromHeaders(request.headers)
  const body = method === 'GET' && !hasParameters(request) ? {} : readBody(request, path, credentials)
  if (isTunnel(request) && isManagement(path))
    throw errors.unsupportedMediaType("Requests below /admin must have the Content-Type 'application/json'.")
  if (isTunnel(request) && !(body instanceof RawBody)) {
    return { path, ...openTunnel(body, credentials, query, path) }
  }
  return { method, path, query, body, credentials }
}

async function perform(
  server: Server,
  router: Router,
  unsent: UnsentAnswers,
  request: FastifyRequest,
  { query, body, credentials }: Incoming,
  { route, params }: ReturnType<Router['find']>,
): Promise<Answer> {
  const sent = server.asSent(request.raw)
  if (route.access !== 'app') {
    const call = makeServerCall(server, request, sent, params, query, body)
    if (route.access === 'admin') return performAdminCall(route, await makeAdminCall(router, request, query, call))
    await countUnproved(server, sent.address)
    if (route.ownPagesOnly) checkOwnPage(request.headers, sent.host)
    return route.handler(call)
  }
  const app = await appOf(server, credentials.appId)
  if (request.trace) request.trace.app = app.id
  server.clientsServed.note()
  checkOrigin(server, app, request.raw)
  const admit = (isBackEnd: boolean) => countRequest(app.limits, route, sent.address, isBackEnd)
  const caller = await authenticate(app, credentials, sent, {
    admit,
    socket: request.raw.socket,
    refusal: () => unsent.refusal(request.raw),
    baseUrl: () => baseUrlOf(server, sent),
  })
  const counted = countUser(app.limits, route, caller)
  if (counted) await counted
  const { production, session } = credentials
  const surroundings = { server, request, sent, app, caller, production, session }
  // Some clients write an object without members as an empty list; who speaks to the management API does not.
  return performCall(route, makeCall(router, surroundings, params, query, emptyAsObject(body)))
}

/** @param unsent null for answers that are never large */
function send(reply: FastifyReply, answer: Answer, unsent: UnsentAnswers | null): FastifyReply {
  reply.code(answer.status)
  reply.header('x-content-type-options', 'nosniff')
  if (answer.body instanceof ByteBody) return reply.headers(answer.headers ?? {}).send(answer.body.bytes)
  reply.header('cache-control', 'no-cache,no-store')
  reply.header('pragma', 'no-cache')
  if (answer.body instanceof FileBody) {
    reply.header('content-type', answer.body.contentType)
    reply.header('content-length', answer.body.size)
    reply.header('content-disposition', `attachment; filename="${answer.body.downloadName}"`)
    return reply.send(createReadStream(answer.body.path))
  }
  if (answer.body instanceof HtmlText) return reply.headers(answer.headers ?? {}).send(answer.body.text)
  if (answer.body instanceof ImageBody) return reply.type(answer.body.contentType).send(answer.body.bytes)
  const parts = partsOf(answer)
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  unsent?.hold(reply.raw, size)
  reply.header('content-type', JSON_TYPE)
  reply.header('vary', 'accept-encoding')
  if (answer.headers) reply.headers(answer.headers)
  if (size >= LARGE && reply.request.method !== 'HEAD') return reply.send(inPieces(parts))
  return reply.send(withGeoPointFloats(parts.join('')))
}

function sendFailure(server: Server, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known =
    frameworkRefusal(error) ??
    (isCancelled(error, request, reply) ? errors.clientGone() : failure(error, server.log, request.id))
  if (known.status >= 500) server.metrics.countFailure()
  if (request.trace) request.trace.code = known.code
  reply.header('x-request-id', request.id)
  if (error instanceof OriginRefused) reply.removeHeader('access-control-allow-origin')
  // What is left of a body that is not wanted ends with its connection.
  if (hasUnreadBody(request)) reply.header('connection', 'close')
  if (known.status === 429 || known.status === 503) reply.header('retry-after', String(known.retryAfter ?? 1))
  return send(reply, { status: known.status, body: known.body }, null)
}
