import type { FastifyInstance } from 'fastify'
import type { Log } from '../../log.ts'

/** What is found out about a request while it runs. */
interface RequestTrace {
  /** The method inside, where the request is tunnelled. */
  method: string
  /** The pattern of the endpoint's path, never the path itself: it may hold tokens. */
  route: string | null
  app: string | null
  /** The code of the error that it was refused with. */
  code: number | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** null unless requests are logged */
    trace: RequestTrace | null
  }
}

/** Logs each request at level debug when it has been answered. At other levels nothing is found out for it. */
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
