import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { errors } from '../../errors.ts'
import { MAX_VALUES, parseJson } from '../../values/json.ts'
import type { Credentials } from '../authenticate.ts'
import { RawBody } from '../call.ts'
import { parametersOfForm } from '../parameters.ts'
import { isCarriedRequest, isTunnel } from '../tunnel.ts'

/** Maximum number of values in a body whose sender is not authenticated by headers: parsing them takes 5 ms. */
const MAX_UNPROVED = 20_000

/** Maximum number of values in a body from an administrator or the app's backend. */
export const MAX_TRUSTED = 300_000

const BYTE_ORDER_MARK = 0xfeff

const FORM = 'application/x-www-form-urlencoded'

/**
 * Returns the parsed body of a request; `{}` for none. The maximum number of values depends on the sender: large bodies
 * are received only after the credentials in the headers were verified (`admit-body.ts`), and small ones never reach a
 * maximum.
 * @throws ApiError 107 that names the maximum, or an error that explains why an upload of bytes was rejected
 */
export function readBody(request: FastifyRequest, credentials: Credentials): unknown {
  const { body, headers } = request
  if (body instanceof RawBody) return isTunnel(request) ? carriedRequest(body) : body
  if (typeof body !== 'string' || body === '') return {}
  // .NET writes a byte order mark before text, which is not part of the JSON (RFC 8259, section 8.1).
  const text = body.charCodeAt(0) === BYTE_ORDER_MARK ? body.slice(1) : body
  const type = headers['content-type']
  if (isForm(headers) && !isJsonText(text)) return parametersOfForm(text)
  try {
    const maxValues = isOfAdministrator(request) ? MAX_TRUSTED : maxValuesOf(credentials)
    return parseJson(text, 'The body', maxValues, request.extent ?? undefined) ?? {}
  } catch (error) {
    if (type === undefined || /json|text\/plain/.test(type)) throw error
    throw errors.malformedJson(
      `The body must be JSON or a form of the type application/x-www-form-urlencoded; its Content-Type is '${type.slice(0, 80)}'.`,
    )
  }
}

/**
 * Returns the request carried by a `text/plain` body at a path of files, or the body unchanged if it is the content of
 * a file. It carries a request if it is a JSON object with members that only tunneled requests have.
 */
function carriedRequest(body: RawBody): unknown {
  if (!/^\s*\{/.test(body.bytes.toString('latin1', 0, 100))) return body
  try {
    const carried = parseJson(body.bytes.toString('utf8'), 'The body', MAX_UNPROVED)
    return isCarriedRequest(carried) ? carried : body
  } catch {
    return body
  }
}

/** Returns whether the body of a GET has parameters, and is not one that some SDKs send with every GET, such as `null`. */
export function hasParameters({ body, headers }: Pick<FastifyRequest, 'body' | 'headers'>): boolean {
  return typeof body === 'string' && (isForm(headers) || /^\s*\{/.test(body))
}

/** Returns whether the Content-Type of a body is that of a form. */
export function isForm(headers: FastifyRequest['headers']): boolean {
  return headers['content-type']?.startsWith(FORM) === true
}

/**
 * Returns whether a body with the Content-Type of a form is JSON, because `curl -d` sends that type for everything. The
 * bracket at the beginning of a real form would be escaped.
 */
function isJsonText(text: string): boolean {
  return /^\s*[{[]/.test(text)
}

/** Returns whether an administrator sent a request. Their token was verified before a large body was received. */
function isOfAdministrator(request: FastifyRequest): boolean {
  return request.endpoint?.access === 'admin' && !isTunnel(request)
}

function maxValuesOf({ appId, key, masterKey, sign }: Credentials): number {
  const proof = masterKey ?? key ?? sign
  if (appId === undefined || proof === undefined) return MAX_UNPROVED
  return masterKey !== undefined || proof.endsWith(',master') ? MAX_TRUSTED : MAX_VALUES
}

/** `type/subtype` as in HTTP, with or without parameters after it. */
const MEDIA_TYPE = /^\s*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)\s*(?=;|$)/

/**
 * Writes the media type of a request in lower case. Deletes an invalid one: Java before 7 sends an empty one, and
 * rejecting the header would not help, because the body can be read without it.
 */
export function normalizeMediaType({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): void {
  const given = headers['content-type']
  if (given === undefined) return
  const match = MEDIA_TYPE.exec(given)
  // Clients name a type for the missing body of a GET; without the type, Fastify does not wait for a body.
  if (!match || (method === 'GET' && !hasBody(headers))) delete headers['content-type']
  else headers['content-type'] = match[1]!.toLowerCase() + given.slice(match[0].length)
}

function hasBody(headers: IncomingMessage['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
