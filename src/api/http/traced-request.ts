import type { FastifyReply, FastifyRequest } from 'fastify'
import { currentTracer, type Span } from '../../tracing/tracer.ts'

/** The spans of requests in progress, while traces are on. */
const spans = new WeakMap<FastifyRequest, Span>()

/** Runs the work for a request in a span, whose id is that of the request. */
export function tracedRequest<Result>(
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<Result>,
): Promise<Result> {
  const tracer = currentTracer()
  if (!tracer) return work()
  const { id, headers, method } = request
  const attributes = { 'http.request.method': method, 'url.scheme': 'http' }
  return tracer.span({ name: method, kind: 'server', attributes, request: { id, headers } }, async (span) => {
    spans.set(request, span)
    try {
      return await work()
    } finally {
      span.set({ 'http.response.status_code': reply.statusCode })
      if (reply.statusCode >= 500) span.fail()
    }
  })
}

/** Names the span of a request by its route, never by its path, which may contain tokens. */
export function noteRoute(request: FastifyRequest, method: string, route: string): void {
  if (!currentTracer()) return
  const span = spans.get(request)
  span?.rename(`${method} ${route}`)
  span?.set({ 'http.route': route })
}
