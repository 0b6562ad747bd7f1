import type { IncomingHttpHeaders } from 'node:http'
import { errors } from '../errors.ts'
import type { Parameters } from '../objects/query-parameters.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { type Credentials, isProduction } from './authenticate.ts'
import type { Match } from './endpoint-table.ts'
import { isManagement } from './route.ts'

export interface Tunnelled extends Match {
  readonly query: Parameters
  readonly body: JsonObject
  readonly credentials: Credentials
}

/** Members of a tunneled body that are parts of its request. */
const REQUEST_PARTS = new Set([
  '_method',
  '_ApplicationId',
  '_ApplicationKey',
  '_ApplicationSign',
  '_ApplicationProduction',
  '_MasterKey',
  '_SessionToken',
  '_ClientVersion',
  '_InstallationId',
])

/** Returns whether a request may carry another method. */
export function isTunnel({
  method,
  headers,
}: {
  readonly method: string
  readonly headers: IncomingHttpHeaders
}): boolean {
  return method === 'POST' && headers['content-type']?.startsWith('text/plain') === true
}

/** Returns whether a body of `text/plain` has members that only tunneled requests have. */
export function isCarriedRequest(body: unknown): boolean {
  return isJsonObject(body) && Object.keys(body).some((key) => REQUEST_PARTS.has(key))
}

/**
 * Unpacks a POST of `text/plain` that carries another method (protocol/conventions, Method tunnel). Keys that start
 * with `_` are parts of the request and never data, except for functions, whose parameters may have such names
 * (protocol/cloud-code, What is forwarded). Credentials in the body take precedence over those in the headers.
 * @param find finds the endpoint of a method at the path of the request
 * @throws ApiError 107 when the body is not a JSON object, 415 for the management API, and what `find` throws
 */
export function openTunnel(
  body: unknown,
  headers: Credentials,
  query: Parameters,
  find: (method: string) => Match,
): Tunnelled {
  if (!isJsonObject(body)) throw errors.malformedJson('The body of a text/plain request must be a JSON object.')
  const text = (key: string) => (typeof body[key] === 'string' ? (body[key] as string) : undefined)
  const production = body._ApplicationProduction
  const { route, params } = find(text('_method')?.toUpperCase() ?? 'POST')
  if (isManagement(route))
    throw errors.unsupportedMediaType("Requests below /admin must have the Content-Type 'application/json'.")
  const isPart =
    route.access === 'app' && route.takesArguments
      ? (key: string) => REQUEST_PARTS.has(key)
      : (key: string) => key.startsWith('_')
  const data = Object.fromEntries(Object.entries(body).filter(([key]) => !isPart(key)))
  return {
    route,
    params,
    query,
    body: data,
    credentials: {
      appId: text('_ApplicationId') ?? headers.appId,
      key: text('_ApplicationKey') ?? headers.key,
      masterKey: text('_MasterKey') ?? headers.masterKey,
      sign: text('_ApplicationSign') ?? headers.sign,
      session: text('_SessionToken') ?? headers.session,
      hookKey: headers.hookKey,
      production: production === undefined ? headers.production : isProduction(production),
    },
  }
}
