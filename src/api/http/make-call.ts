import type { FastifyRequest } from 'fastify'
import { mayDo } from '../../administrators/administrator.ts'
import { audited } from '../../administrators/audited.ts'
import { isMissingTable } from '../../database/faults.ts'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { countCaller } from '../../objects/access/count-caller.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import type { SentRequest } from '../../proxies.ts'
import type { RunningApp } from '../../running-app/running-app.ts'
import { emptyAsObject } from '../../values/json.ts'
import { administratorIn, credentialsFromHeaders } from '../authenticate.ts'
import { authenticateAdmin, checkNeed } from '../authenticate-admin.ts'
import type { Answer, Call } from '../call.ts'
import { type EndpointTable, pathOf } from '../endpoint-table.ts'
import { mailUrlOf } from '../mail-url.ts'
import { checkNames, parametersOf } from '../parameters.ts'
import type { AdminCall, AdminRoute, AppRoute, ServerCall } from '../route.ts'
import type { Server } from '../server-context.ts'

/** Creates a call to an endpoint that belongs to no app. */
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
    headers: request.headers,
    sent,
    baseUrl: baseUrlOf(server, sent),
    isHead: request.method === 'HEAD',
    wantsPage: request.headers.accept?.includes('text/html') ?? false,
    acceptLanguage: request.headers['accept-language'],
    userAgent: request.headers['user-agent'] ?? '',
  }
}

/**
 * Creates a call of an administrator.
 * @throws ApiError 401, 403
 */
export async function makeAdminCall(
  endpoints: EndpointTable,
  request: FastifyRequest,
  query: Parameters,
  call: ServerCall,
): Promise<AdminCall> {
  const { server, sent, body, baseUrl } = call
  const admin = await authenticateAdmin(server, request, sent)
  return {
    ...call,
    admin,
    path: pathOf(request.raw.url!),
    method: request.method,
    async callApp(app, method, path) {
      const { route, params } = endpoints.find(method, path)
      if (route.access !== 'app') throw errors.notFound(`Path ${path.slice(0, 200)} not found.`)
      // For methods other than GET, the session has proved that the console sent the request, and readers may use GET
      // only.
      if (method === 'GET' && !route.adminReadable)
        throw errors.forbidden(`Administrators cannot call ${path.slice(0, 200)}, because it does not only read data.`)
      const { production } = credentialsFromHeaders(request.headers)
      const looksOnly = admin.administrator !== null && !mayDo(admin.administrator, 'change', app.id)
      const caller = administratorIn(app, production, sent.address, request.raw.socket, () => baseUrl, looksOnly)
      const context = { server, endpoints, request, sent, app, caller, production, session: undefined }
      return performCall(route, makeCall(context, params, query, emptyAsObject(body)))
    },
  }
}

/** The request in which a call to an endpoint of an app is made. */
export interface RequestContext {
  readonly server: Server
  readonly endpoints: EndpointTable
  readonly request: FastifyRequest
  readonly sent: SentRequest
  readonly app: RunningApp
  readonly caller: Caller
  readonly production: boolean
  readonly session: string | undefined
}

/** Returns the URL at which clients reach the server, without a trailing slash. */
export function baseUrlOf(server: Server, { protocol, host }: SentRequest): string {
  return server.publicUrl ?? `${protocol ?? 'http'}://${host ?? 'localhost'}`
}

/**
 * Creates a call to an endpoint of an app, which can make further calls: the items of a batch.
 * @throws ApiError 107 for a parameter such as `where[name]`
 */
export function makeCall(context: RequestContext, params: Call['params'], query: Parameters, body: unknown): Call {
  checkNames(query)
  const { server, endpoints, request, sent, app, caller, production, session } = context
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
    endpointAt: endpoints.lookUp,
    dispatch: async (method, path, innerQuery, innerBody) => {
      const { route, params: innerParams } = endpoints.find(method, path)
      if (route.access !== 'app' || !route.inBatch) {
        throw errors.badArgument(`${path.slice(0, 200)} cannot be called in a batch.`)
      }
      const counted = route.rate === null ? undefined : countCaller(app.limits, route.rate, caller)
      if (counted) await counted
      return performCall(route, makeCall(context, innerParams, innerQuery, innerBody))
    },
  }
}

/**
 * Calls an endpoint of an app. If another node has just deleted the app or the class, a read is repeated, and the
 * response is that of an app or class that does not exist. Writes handle this themselves (`withCurrentClasses`),
 * because they may already be half done.
 */
export function performCall(route: AppRoute, call: Call): Promise<Answer> {
  return route.handler(call).catch(async (error: unknown) => {
    if (!isMissingTable(error)) throw error
    if (!(await call.server.running.lookAgain(call.app))) throw errors.unauthorized()
    if (route.method !== 'GET') throw error
    return route.handler(call)
  })
}

/**
 * Calls an endpoint of the management API if the administrator has permission. A change is recorded in the audit log
 * before it is made, so that none is missing after a crash.
 * @throws ApiError 403, and what the endpoint throws
 */
export async function performAdminCall(route: AdminRoute, call: AdminCall): Promise<Answer> {
  checkNeed(call.admin, route.need, call.params.appId)
  if (!route.audited) return route.handler(call)
  const { database } = call.server
  const { admin, sent, params, method, path, body } = call
  const change = {
    administrator: admin.administrator,
    address: sent.address,
    appId: params.appId ?? null,
    method,
    path,
    body,
  }
  return audited(database, change, () => route.handler(call))
}
