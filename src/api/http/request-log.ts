import type { FastifyInstance } from 'fastify'
import type { Log } from '../../log.ts'

/** Details of a request, collected while it is processed. */
interface RequestTrace {
  /** The inner method if the request is tunneled. */
  method: string
  /** The pattern of the endpoint's path, never the path itself, which may contain tokens. */
  route: string | null
  app: string | null
  /** The code of the error in the response. */
  code: number | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** null unless requests are logged */
    trace: RequestTrace | null
  }
}

/** Logs each request at level debug after its response. At other levels nothing is collected. */
export function logRequests(http: FastifyInstance, log: Log): void {
  http.decorateRequest('trace', null)
  if (!log.isLevelEnabled('debug')) return
  http.addHook('onRequest', (request, _reply, done) => {
    request.trace = { method: request.method, route: null, app: null, code: null }
    done()
  })
  http.addHook('onResponse', (request, reply, done) => {
    const milliseconds = Math.round(reply.elapsedTime * 10) / 10
    log.debug({ requestId: request.id, ...request.trace, status: reply.statusCode, milliseconds }, 'request completed')
    done()
  })
}
