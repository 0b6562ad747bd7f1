import type { IncomingHttpHeaders } from 'node:http'
import { errors } from '../errors.ts'
import type { Parameters } from '../objects/query-parameters.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { type Credentials, isProduction } from './authenticate.ts'

export interface Tunnelled {
  readonly method: string
  readonly query: Parameters
  readonly body: JsonObject
  readonly credentials: Credentials
}

/** What a tunnelled body says of its request. */
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

/** Where the body is the parameters of a function. */
const FUNCTION_PATH = /^\/1\.1\/(functions|call)\//

/** Whether a request is one that carries another method. */
export function isTunnel({
  method,
  headers,
}: {
  readonly method: string
  readonly headers: IncomingHttpHeaders
}): boolean {
  return method === 'POST' && headers['content-type']?.startsWith('text/plain') === true
}

/** Whether a body of `text/plain` says of a request what only a tunnel says. */
export function isCarriedRequest(body: unknown): boolean {
  return isJsonObject(body) && Object.keys(body).some((key) => REQUEST_PARTS.has(key))
}

/**
 * Unpacks a POST of `text/plain` that carries another method (protocol/conventions, Method tunnel;
 * protocol/conventions, Method tunnel). Keys that start with `_` are parts of the request and never data, but for
 * functions, whose other parameters may begin so (protocol/cloud-code, What is forwarded). Credentials in the body
 * stand in for those in the headers.
 * @throws ApiError 107 when the body is no JSON object
 */
export function openTunnel(body: unknown, headers: Credentials, query: Parameters, path: string): Tunnelled {
  if (!isJsonObject(body)) throw errors.malformedJson('The body of a text/plain request must be a JSON object.')
  const text = (key: string) => (typeof body[key] === 'string' ? (body[key] as string) : undefined)
  const production = body._ApplicationProduction
  const method = text('_method')?.toUpperCase() ?? 'POST'
  const isPart = FUNCTION_PATH.test(path)
    ? (key: string) => REQUEST_PARTS.has(key)
    : (key: string) => key.startsWith('_')
  const data = Object.fromEntries(Object.entries(body).filter(([key]) => !isPart(key)))
  return {
    method,
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
