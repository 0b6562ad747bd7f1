import { parse } from 'node:querystring'
import { errors } from '../errors.ts'
import type { Parameters } from '../objects/query-parameters.ts'
import { emptyAsObject, isJsonObject } from '../values/json.ts'

/** A form may have this many members. */
export const MAX_FORM_MEMBERS = 1000

/**
 * The `+` of a phone number that was sent unescaped, as a parameter or as a text in JSON or CQL. Decoding would make a blank
 * of it. A blank that was sent as `%20` is kept.
 */
const UNESCAPED_PHONE_NUMBER = /((?:^|&)(?:mobilePhoneNumber|username)=|["']|%22|%27)\+(\d{7,15})(?=$|[&"']|%22|%27)/gi

/** Parameters of URLs and forms, of which all values are texts. */
const textual = new WeakSet<Parameters>()

/** What merged parameters were made of. */
const sources = new WeakMap<Parameters, { readonly under: Parameters; readonly over: Parameters }>()

/**
 * Reads a query string or a form (protocol/conventions, Parameters). Values are texts; a name that is repeated has the
 * list of its values.
 */
export function parametersOfText(text: string): Parameters {
  const escaped = text.includes('+') ? text.replace(UNESCAPED_PHONE_NUMBER, '$1%2B$2') : text
  return asTextual(parse(escaped, '&', '=', { maxKeys: 0 }) as Parameters)
}

/** Reads the body of a form. @throws ApiError 107 */
export function parametersOfForm(text: string): Parameters {
  let members = 1
  for (let index = text.indexOf('&'); index >= 0; index = text.indexOf('&', index + 1)) members++
  if (members > MAX_FORM_MEMBERS) throw errors.malformedJson(`The form has more than ${MAX_FORM_MEMBERS} members.`)
  return asTextual({ ...parametersOfText(text) })
}

/** Has the texts among parameters read as those of a URL, whose place they take. */
export function asTextual(parameters: Parameters): Parameters {
  textual.add(parameters)
  return parameters
}

/** Parameters of two places as one. @param over decides where both have one */
export function mergedParameters(under: Parameters, over: Parameters): Parameters {
  if (Object.keys(over).length === 0) return under
  const merged = { ...under, ...over }
  sources.set(merged, { under, over })
  return merged
}

/**
 * The parameters of a call whose body is no data of an object: those of the URL and of the body. The body decides where
 * both have one (protocol/conventions, Parameters).
 * @param body as it was parsed. `""`, `null` and `[]` count as no body: some SDKs send them with every request.
 * @throws ApiError 107 for a body that is no JSON object
 */
export function parametersOf(query: Parameters, body: unknown): Parameters {
  const members = body === '' || body === null ? {} : emptyAsObject(body)
  if (!isJsonObject(members)) throw errors.malformedJson('The body must be a JSON object.')
  return mergedParameters(query, members)
}

/**
 * Whether a parameter is a text because URLs and forms have nothing else. One that is a text in a JSON body was meant as a
 * text.
 */
export function isFromText(parameters: Parameters, name: string): boolean {
  if (typeof parameters[name] !== 'string') return false
  const source = sources.get(parameters)
  if (!source) return textual.has(parameters)
  return isFromText(Object.hasOwn(source.over, name) ? source.over : source.under, name)
}
