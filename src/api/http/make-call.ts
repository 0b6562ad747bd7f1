import type { FastifyRequest } from 'fastify'
import { mayDo } from '../../administrators/administrator.ts'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import type { SentRequest } from '../../proxies.ts'
import type { RunningApp } from '../../running-app/running-app.ts'
import { emptyAsObject } from '../../values/json.ts'
import { administratorIn, credentialsFromHeaders } from '../authenticate.ts'
import { authenticateAdmin } from '../authenticate-admin.ts'
import type { Call } from '../call.ts'
import { countCall } from '../count-request.ts'
import { mailUrlOf } from '../mail-url.ts'
import { parametersOf } from '../parameters.ts'
import { performCall } from '../perform-call.ts'
import type { AdminCall, ServerCall } from '../route.ts'
import type { Router } from '../router.ts'
import type { Server } from '../server-context.ts'
import { pathOf, versioned } from './request-path.ts'

/** A call to an endpoint that belongs to no app. */
export function makeServerCall(
  server: Server,
  request: FastifyRequest,
  sent: SentRequest,
  params: ServerCall['params'],
  query: Parameters,
  body: unknown,
): ServerCall {
  return {
    server,
    params,
    query,
    body,
    sent,
    baseUrl: baseUrlOf(server, sent),
    isHead: request.method === 'HEAD',
    wantsPage: request.headers.accept?.includes('text/html') ?? false,
    acceptLanguage: request.headers['accept-language'],
    userAgent: request.headers['user-agent'] ?? '',
  }
}

/** The same as a call of an administrator. @throws ApiError 401, 403 */
export async function makeAdminCall(
  router: Router,
  request: FastifyRequest,
  query: Parameters,
  call: ServerCall,
): Promise<AdminCall> {
  const { server, sent, body, baseUrl } = call
  const admin = await authenticateAdmin(server, request, sent)
  return {
    ...call,
    admin,
    path: pathOf(request),
    method: request.method,
    async callApp(app, method, path) {
      const { route, params } = router.find(method, versioned(path))
      if (route.access !== 'app') throw errors.notFound(`There is nothing at ${path.slice(0, 200)}.`)
      // A session proves with all but GET that the console has sent it, and readers have no more than GET.
      if (method === 'GET' && !route.adminReadable)
        throw errors.forbidden(`${path.slice(0, 200)} does more than to read, and is not called for administrators.`)
      const { production } = credentialsFromHeaders(request.headers)
      const looksOnly = admin.administrator !== null && !mayDo(admin.administrator, 'change', app.id)
      const caller = administratorIn(app, production, sent.address, request.raw.socket, () => baseUrl, looksOnly)
      const surroundings = { server, request, sent, app, caller, production, session: undefined }
      return performCall(route, makeCall(router, surroundings, params, query, emptyAsObject(body)))
    },
  }
}

/** Where a call to an endpoint of an app comes from. */
export interface Surroundings {
  readonly server: Server
  readonly request: FastifyRequest
  readonly sent: SentRequest
  readonly app: RunningApp
  readonly caller: Caller
  readonly production: boolean
  readonly session: string | undefined
}

/** Where clients reach the server; no trailing slash. */
export function baseUrlOf(server: Server, { protocol, host }: SentRequest): string {
  return server.publicUrl ?? `${protocol ?? 'http'}://${host ?? 'localhost'}`
}

/** A call to an endpoint of an app, which can make others: the items of a batch. */
export function makeCall(
  router: Router,
  surroundings: Surroundings,
  params: Call['params'],
  query: Parameters,
  body: unknown,
): Call {
  const { server, request, sent, app, caller, production, session } = surroundings
  return {
    app,
    caller,
    production,
    session,
    requestId: request.id,
    server,
    get clientToken() {
      const token = request.headers['x-lc-im-session-token']
      return typeof token === 'string' ? token : undefined
    },
    get baseUrl() {
      return baseUrlOf(server, sent)
    },
    get userAgent() {
      const said = request.headers['x-lc-ua'] ?? request.headers['user-agent']
      return typeof said === 'string' ? said.slice(0, 300) : ''
    },
    mailUrl: () => mailUrlOf(server, sent),
    params,
    query,
    body,
    get parameters() {
      return parametersOf(query, body)
    },
    dispatch: async (method, path, innerQuery, innerBody) => {
      const match = router.find(method, versioned(path))
      if (match.route.access !== 'app' || !match.route.inBatch) {
        throw errors.badArgument(`${path.slice(0, 200)} cannot be called in a batch.`)
      }
      const counted = countCall(app.limits, match.route, caller)
      if (counted) await counted
      return performCall(match.route, makeCall(router, surroundings, match.params, innerQuery, innerBody))
    },
  }
}
