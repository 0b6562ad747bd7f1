import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { errors } from '../../errors.ts'
import { MAX_VALUES, parseJson } from '../../values/json.ts'
import type { Credentials } from '../authenticate.ts'
import { RawBody } from '../call.ts'
import { parametersOfForm } from '../parameters.ts'
import { isCarriedRequest, isTunnel } from '../tunnel.ts'

/** Values of a body whose sender says only in it who it is, or need not say it: parsing them takes 5 ms. */
const MAX_UNPROVED = 20_000

/** Values of what an administrator or the app's back end sends. */
export const MAX_TRUSTED = 300_000

const FORM = 'application/x-www-form-urlencoded'

/**
 * The parsed body of a request; `{}` where there is none. How many values it may have depends on who sends it: large
 * bodies are received only when the credentials in the headers have been checked (`admit-body.ts`), and of a small one no
 * limit is met.
 * @throws ApiError 107 that names the limit, or says what an upload of bytes has come up against
 */
export function readBody(request: FastifyRequest, credentials: Credentials): unknown {
  const { body: text, headers } = request
  if (text instanceof RawBody) return isTunnel(request) ? carriedRequest(text) : text
  if (typeof text !== 'string' || text === '') return {}
  const type = headers['content-type']
  if (isForm(headers) && !isJsonText(text)) return parametersOfForm(text)
  try {
    const maxValues = isOfAdministrator(request) ? MAX_TRUSTED : mostValues(credentials)
    return parseJson(text, 'The body', maxValues, request.extent ?? undefined) ?? {}
  } catch (error) {
    if (type === undefined || /json|text\/plain/.test(type)) throw error
    throw errors.malformedJson(`The body must be JSON; its Content-Type is '${type.slice(0, 80)}'.`)
  }
}

/**
 * A body of `text/plain` to a path of files: the request that it carries, or else the content of a file. It carries one where
 * it is a JSON object that says of the request what only a tunnel says.
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

/** Whether the body of a GET is more than what some SDKs send with each, such as `null`. */
export function hasParameters({ body, headers }: Pick<FastifyRequest, 'body' | 'headers'>): boolean {
  return typeof body === 'string' && (isForm(headers) || /^\s*\{/.test(body))
}

/** Whether a body is called a form. */
export function isForm(headers: FastifyRequest['headers']): boolean {
  return headers['content-type']?.startsWith(FORM) === true
}

/** `curl -d` calls everything a form. One that begins so would have its bracket escaped. */
function isJsonText(text: string): boolean {
  return /^\s*[{[]/.test(text)
}

/** Their token was checked before a large body was received. */
function isOfAdministrator(request: FastifyRequest): boolean {
  return request.endpoint?.access === 'admin' && !isTunnel(request)
}

function mostValues({ appId, key, masterKey, sign }: Credentials): number {
  const proof = masterKey ?? key ?? sign
  if (appId === undefined || proof === undefined) return MAX_UNPROVED
  return masterKey !== undefined || proof.endsWith(',master') ? MAX_TRUSTED : MAX_VALUES
}

/** `type/subtype` as HTTP writes it, with or without parameters behind it. */
const MEDIA_TYPE = /^\s*([\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+)\s*(?=;|$)/

/**
 * Writes the media type of a request in lower case. Forgets one that is none: Java before 7 sends an empty one, and the
 * refusal of such a header says nothing of the body, which can be read without it.
 */
export function normalizeMediaType({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): void {
  const given = headers['content-type']
  if (given === undefined) return
  const match = MEDIA_TYPE.exec(given)
  // Clients name the type of a body that a GET does not have; without it the body is not waited for.
  if (!match || (method === 'GET' && !hasBody(headers))) delete headers['content-type']
  else headers['content-type'] = match[1]!.toLowerCase() + given.slice(match[0].length)
}

function hasBody(headers: IncomingMessage['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
