import type { ServerOptions, Server as TlsServer } from 'node:https'
import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import cors from '@fastify/cors'
import Fastify, {
  type FastifyHttpsOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import { errors } from '../../errors.ts'
import { addressKey } from '../../limits/address-key.ts'
import { LoopSlicer } from '../../scheduling/loop-slicer.ts'
import { makeRequestId } from '../../tracing/request-id.ts'
import { EndpointTable, pathOf, versioned } from '../endpoint-table.ts'
import { fileHostPaths } from '../file-host-paths.ts'
import { parametersOfText } from '../parameters.ts'
import { MAX_BODY_BYTES, type Route } from '../route.ts'
import type { Server } from '../server-context.ts'
import type { ByteRoute } from '../transfer/byte-route.ts'
import { admitBody } from './admit-body.ts'
import { type Answering, answerRequest } from './answer-request.ts'
import { serveBytes } from './byte-endpoints.ts'
import { endConnections, takeConnection } from './connections.ts'
import { heavyRequestQueue } from './heavy-requests.ts'
import { IncomingBodies } from './incoming-bodies.ts'
import { baseUrlOf } from './make-call.ts'
import { PipelinedRequests } from './pipelined-requests.ts'
import { takeRawUrls } from './raw-urls.ts'
import { normalizeMediaType } from './read-body.ts'
import { receiveBody } from './receive-body.ts'
import { refuseBroken, refuseExpectation } from './refused-requests.ts'
import { logRequests } from './request-log.ts'
import { send, sendFailure } from './send-answer.ts'
import { serveConsole } from './serve-console.ts'
import { httpsOptions, takeTlsConnections } from './tls-connections.ts'
import { Transfers } from './transfers.ts'
import { UnsentAnswers } from './unsent-answers.ts'
import { checkAnyAllows } from './web-origin.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent for bytes, the console and unknown paths. */
    readonly endpoint?: Route
    /** The body is not received before the endpoint is called. */
    readonly bytes?: boolean
  }
  interface FastifyRequest {
    /** The endpoint at the path of the request; null for bytes, the console and unknown paths. */
    endpoint: Route | null
  }
}

/** How long browsers may cache the response to a preflight, in seconds. */
const PREFLIGHT_AGE = 86_400

/**
 * Milliseconds that a request may take to arrive: an upload of 10 GB at 3 MB/s. Stalled requests are ended much earlier
 * (`incoming-bodies.ts`, `transfers.ts`).
 */
const REQUEST_TIMEOUT = 3_600_000

/** Maximum number of requests of one address that begin in one iteration of the event loop before those of other addresses. */
const MAX_REQUESTS_BEGUN = 64

/**
 * Headers of all responses of the management API, errors included. Pages of other origins can neither include nor frame
 * data of administrators, and a response that a browser shows as a page loads nothing and does not leak its URL, which
 * may contain a ticket.
 */
const MANAGEMENT_HEADERS = {
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
} as const

/**
 * Makes browsers use HTTPS for a month after each visit of the console. Short, and without subdomains, because an installation may
 * return to plain HTTP (docs/tls.md).
 */
const STRICT_TRANSPORT = { 'strict-transport-security': 'max-age=2592000' } as const

/** Creates the HTTP server, which turns requests into calls of endpoints (protocol/conventions, Responses). */
export async function createHttpServer(
  server: Server,
  endpoints: readonly Route[],
  byteEndpoints: readonly ByteRoute[],
): Promise<FastifyInstance> {
  const table = new EndpointTable(endpoints)
  const hostPath = fileHostPaths(server)
  const options: FastifyServerOptions = {
    bodyLimit: MAX_BODY_BYTES,
    genReqId: ({ headers }) => makeRequestId(headers),
    requestTimeout: REQUEST_TIMEOUT,
    forceCloseConnections: 'idle',
    // Requests on open connections of a stopping server are still processed, and then the connection is closed.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 4096, querystringParser: parametersOfText },
    rewriteUrl: (request) => versioned(hostPath(request)),
    clientErrorHandler: refuseBroken,
    frameworkErrors: (error, request, reply) => void sendFailure(server, error, request, reply),
  }
  // HTTP/1.1 requires a Host header; a client without one means this server.
  const requests = { requireHostHeader: false }
  const http = server.tls
    ? overTls(options, { ...requests, ...httpsOptions(server.tls) })
    : Fastify({ ...options, http: requests })
  logRequests(http, server.log)
  const transport = server.tls?.isStrict ? STRICT_TRANSPORT : {}
  const managementHeaders = { ...MANAGEMENT_HEADERS, ...transport }
  // A GET may have parameters in its body (protocol/conventions, Parameters).
  http.addHttpMethod('GET', { hasBody: true, overrideExisting: true })
  http.addHook('onRequest', (request, reply, done) => {
    // First, so that responses to rejected requests have it too.
    reply.header('x-request-id', request.id)
    // By the URL, so that they also apply to paths without an endpoint.
    if (request.url.startsWith('/admin/')) reply.headers(managementHeaders)
    checkAnyAllows(server, request.raw)
    normalizeMediaType(request.raw)
    done()
  })
  await http.register(cors, {
    origin: '*',
    // Responds to any OPTIONS request, with or without the headers of a preflight.
    strictPreflight: false,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    maxAge: PREFLIGHT_AGE,
    exposedHeaders: ['Location', 'Last-Modified', 'Retry-After', 'X-Request-Id'],
  })
  await http.register(compress, {
    threshold: 1024,
    encodings: ['br', 'gzip', 'deflate', 'identity'],
    // A compressed body of a few bytes could expand to any size.
    globalDecompression: false,
    // The highest brotli quality takes a hundred times as long for a few percent, and its largest window ten times the
    // memory.
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 } },
  })
  takeRawUrls(http.server)
  http.server.on('checkExpectation', refuseExpectation)
  const handshakes =
    server.tls && takeTlsConnections(http.server as unknown as TlsServer, server.tls, server.connections)
  if (!handshakes) http.server.on('connection', (socket) => takeConnection(server.connections, socket))
  http.addHook('preClose', (done) => {
    endConnections(http.server)
    handshakes?.stop()
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
    const { config } = request.routeOptions
    if (config.bytes) return undefined
    request.endpoint = config.endpoint ?? endpointOfHead(table, request)
    return admitBody(server, table, bodies, request, reply)
  }
  const slicer = new LoopSlicer(MAX_REQUESTS_BEGUN)
  http.addHook('onRequest', (request, reply, done) => {
    const begin = () => {
      try {
        const admission = admit(request, reply)
        // Avoids a promise where possible, because this code runs for every request.
        if (admission) admission.then(() => done(), done)
        else done()
      } catch (error) {
        done(error as Error)
      }
    }
    pipelined.wait(reply.raw, (refusal) => {
      if (refusal) return done(refusal)
      const address = addressKey(server.asSent(request.raw).address)
      if (slicer.take(address)) begin()
      else slicer.wait(address, begin)
    })
  })
  http.removeAllContentTypeParsers()
  http.decorateRequest('endpoint', null)
  http.decorateRequest('extent', null)
  http.addContentTypeParser('*', receiveBody)
  http.setErrorHandler((error, request, reply) => sendFailure(server, error, request, reply))
  http.setNotFoundHandler((request, reply) =>
    sendFailure(server, errors.notFound(`Path ${request.url.slice(0, 200)} not found.`), request, reply),
  )
  await serveBytes(http, {
    server,
    transfers,
    routes: byteEndpoints,
    baseUrlOf: (request) => baseUrlOf(server, server.asSent(request.raw)),
    send: (reply, answer) => send(reply, answer, null),
  })
  await serveConsole(http, transport)
  serveEndpoints(http, endpoints, { server, endpoints: table, unsent, heavy: heavyRequestQueue() })
  return http
}

/** Creates a server for HTTPS. Its requests and connections have the members of those of plain HTTP that this program uses. */
function overTls(options: FastifyServerOptions, https: ServerOptions): FastifyInstance {
  const secured = { ...options, https } as unknown as FastifyHttpsOptions<TlsServer>
  return Fastify(secured) as unknown as FastifyInstance
}

/** Returns the endpoint of GET at the path of a HEAD request. */
function endpointOfHead(table: EndpointTable, { method, url }: FastifyRequest): Route | null {
  return method === 'HEAD' ? (table.lookUp('GET', pathOf(url))?.route ?? null) : null
}

/** Registers each endpoint at its path, and a handler for all other paths, which serves tunnels and errors. */
function serveEndpoints(http: FastifyInstance, endpoints: readonly Route[], answering: Answering): void {
  const handler = (request: FastifyRequest, reply: FastifyReply) => answerRequest(answering, request, reply)
  for (const endpoint of endpoints) {
    const { method, path: url } = endpoint
    // Registering HEAD routes would take a third of the time for all routes at the start of the server.
    http.route({ method, url, exposeHeadRoute: false, config: { endpoint }, handler })
  }
  http.route({ method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'], url: '/*', handler })
}
