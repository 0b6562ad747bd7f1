import { createReadStream } from 'node:fs'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { errors } from '../../errors.ts'
import { NOTICES } from '../../notices/notice.ts'
import { type Answer, ByteBody, FileBody, HtmlText, ImageBody, JSON_TYPE, partsOf } from '../call.ts'
import { failure } from '../failure.ts'
import { withGeoPointFloats } from '../geo-point-floats.ts'
import type { Server } from '../server-context.ts'
import { hasUnreadBody } from './admit-body.ts'
import { isCancelled } from './client-gone.ts'
import { frameworkRefusal } from './framework-refusal.ts'
import { inPieces, LARGE } from './large-texts.ts'
import type { UnsentAnswers } from './unsent-answers.ts'
import { OriginRefused } from './web-origin.ts'

/**
 * Sends a response (protocol/conventions, Responses).
 * @param unsent null for responses that are never large
 */
export function send(reply: FastifyReply, answer: Answer, unsent: UnsentAnswers | null): FastifyReply {
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

/** Sends an error as the response to a request: an error of the API, or code 1 for an internal error. */
export function sendFailure(
  server: Server,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known =
    frameworkRefusal(error) ??
    (isCancelled(error, request, reply) ? errors.clientDisconnected() : failure(error, server.log, request.id))
  if (known.status >= 500) server.metrics.requests.countFailure()
  if (request.trace) request.trace.code = known.code
  // Errors of Fastify itself pass no hook.
  reply.header('x-request-id', request.id)
  if (error instanceof OriginRefused) reply.removeHeader('access-control-allow-origin')
  // The rest of an unread body ends with its connection.
  if (hasUnreadBody(request)) reply.header('connection', 'close')
  if (known.status === 429 || known.status === 503) reply.header('retry-after', String(known.retryAfter ?? 1))
  const body = request.headers.prefer === NOTICES ? { ...known.body, notice: known.notice } : known.body
  return send(reply, { status: known.status, body }, null)
}
