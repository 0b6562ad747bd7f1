import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { errors } from '../../errors.ts'
import type { Answer } from '../call.ts'
import { RequestPrincipal } from '../request-principal.ts'
import type { Server } from '../server-context.ts'
import type { ByteCall, ByteRoute } from '../transfer/byte-route.ts'
import { whenClosed } from './client-gone.ts'
import { noteRoute, tracedRequest } from './traced-request.ts'
import type { Transfers } from './transfers.ts'
import { checkOrigin } from './web-origin.ts'

/** Maximum bytes of a refused body that are read and discarded before the response. */
const MAX_REST = 16 * 1024 * 1024

export interface ByteEndpoints {
  readonly server: Server
  readonly transfers: Transfers
  readonly routes: readonly ByteRoute[]
  baseUrlOf(request: FastifyRequest): string
  send(reply: FastifyReply, answer: Answer): FastifyReply
}

/** Registers the endpoints that receive or return bytes unchanged (`byte-route.ts`). */
export async function serveBytes(http: FastifyInstance, endpoints: ByteEndpoints): Promise<void> {
  await http.register(async (bytes) => {
    bytes.removeAllContentTypeParsers()
    bytes.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    for (const route of endpoints.routes) {
      bytes.route({
        method: [...route.methods],
        url: route.path,
        // Images do not compress, and ranges of a text refer to its uncompressed bytes.
        compress: false,
        exposeHeadRoute: false,
        config: { bytes: true },
        handler: (request, reply) => tracedRequest(request, reply, () => answer(endpoints, route, request, reply)),
      })
    }
  })
}

async function answer(
  { server, transfers, baseUrlOf, send }: ByteEndpoints,
  route: ByteRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const started = performance.now()
  const sent = server.asSent(request.raw)
  // The request is complete and no response has been sent: the server is working, so the transfer does not count as
  // stalled.
  const isServerWorking = () => request.raw.complete && !reply.raw.headersSent
  const end = transfers.begin(request.raw.socket, sent.address, isServerWorking)
  whenClosed(reply.raw, () => {
    end()
    server.metrics.requests.observe({
      method: request.method,
      route: route.path,
      class: 'files',
      status: reply.statusCode,
      milliseconds: performance.now() - started,
    })
  })
  noteRoute(request, request.method, route.path)
  if (request.trace) {
    request.trace.method = request.method
    request.trace.route = route.path
  }
  try {
    return send(reply, await route.handler(makeCall(server, request, reply, baseUrlOf)))
  } catch (error) {
    await readRest(request.raw)
    // The next request of the connection would wait behind the rest of this body.
    if (!request.raw.complete) reply.header('connection', 'close')
    throw error
  }
}

/**
 * Discards the rest of a refused body: closing the connection while the client sends would lose the response. A body
 * that declares more than `MAX_REST` is not read; one without a declared length is read up to that size.
 */
async function readRest(body: IncomingMessage): Promise<void> {
  const length = Number(body.headers['content-length'] ?? 0)
  if (body.complete || body.destroyed || length > MAX_REST) return
  let left = MAX_REST
  const ended = finished(body).catch(() => {})
  body.resume()
  const tooLong = new Promise<void>((resolve) => {
    body.on('data', (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) resolve()
    })
  })
  await Promise.race([ended, tooLong])
}

/** Makes a `for await` over a body that ends early keep the connection open, because the response has yet to be sent. */
function withoutDestroy(body: IncomingMessage): IncomingMessage {
  body[Symbol.asyncIterator] = () => body.iterator({ destroyOnReturn: false })
  return body
}

function makeCall(
  server: Server,
  request: FastifyRequest,
  reply: FastifyReply,
  baseUrlOf: ByteEndpoints['baseUrlOf'],
): ByteCall {
  const url = request.raw.url!
  const question = url.indexOf('?')
  const length = request.headers['content-length']
  const sent = server.asSent(request.raw)
  return {
    server,
    method: request.method,
    params: request.params as ByteCall['params'],
    path: question < 0 ? url : url.slice(0, question),
    search: question < 0 ? '' : url.slice(question + 1),
    headers: request.headers,
    body: withoutDestroy(request.raw),
    length: length === undefined ? null : Number(length),
    get signal() {
      return signalOf(reply)
    },
    sent,
    principalIn: (appId) => downloader(appId, sent.address, request.raw.socket),
    get baseUrl() {
      return baseUrlOf(request)
    },
    async openApp(appId) {
      const app = await server.running.open(appId)
      if (!app || !server.apps.known(appId))
        throw errors.notFound(`Path ${url.slice(0, question < 0 ? 200 : Math.min(200, question))} not found.`)
      checkOrigin(server, app, request.raw)
      await app.limits.take('requests', { address: sent.address, userId: null })
      if (request.trace) request.trace.app = app.id
      return app
    },
  }
}

/**
 * Returns a signal that aborts with 499 when the response can no longer be sent. Created on demand, because downloads
 * do not need it.
 */
function signalOf({ raw }: FastifyReply): AbortSignal {
  const disconnected = new AbortController()
  const end = () => {
    if (!raw.writableFinished) disconnected.abort(errors.clientDisconnected())
  }
  whenClosed(raw, end)
  return disconnected.signal
}

/** Returns the principal of a download. Downloads are anonymous, so each connection of an address counts as a separate user. */
function downloader(appId: string, address: string, socket: Socket): RequestPrincipal {
  return new RequestPrincipal(appId, address, { userId: `connection ${socket.remotePort}`, master: false }, socket)
}
