import { parse } from 'node:querystring'
import { errors } from '../errors.ts'
import type { Parameters } from '../objects/query-parameters.ts'
import { emptyAsObject, isJsonObject } from '../values/json.ts'

/** Maximum number of members in a form. */
export const MAX_FORM_MEMBERS = 1000

/**
 * The `+` of a phone number that was sent unescaped, as a parameter or as a text in JSON or CQL. Decoding would turn it
 * into a blank. A blank that was sent as `%20` is kept.
 */
const UNESCAPED_PHONE_NUMBER = /((?:^|&)(?:mobilePhoneNumber|username)=|["']|%22|%27)\+(\d{7,15})(?=$|[&"']|%22|%27)/gi

/** Parameters of URLs and forms, whose values are all texts. */
const textual = new WeakSet<Parameters>()

/** The two sources of merged parameters. */
const sources = new WeakMap<Parameters, { readonly under: Parameters; readonly over: Parameters }>()

/**
 * Parses a query string or a form (protocol/conventions, Parameters). Values are texts; a repeated name has the list of
 * its values.
 */
export function parametersOfText(text: string): Parameters {
  const escaped = text.includes('+') ? text.replace(UNESCAPED_PHONE_NUMBER, '$1%2B$2') : text
  return asTextual(parse(escaped, '&', '=', { maxKeys: 0 }) as Parameters)
}

/**
 * Parses the body of a form.
 * @throws ApiError 107
 */
export function parametersOfForm(text: string): Parameters {
  let members = 1
  for (let index = text.indexOf('&'); index >= 0; index = text.indexOf('&', index + 1)) members++
  if (members > MAX_FORM_MEMBERS) throw errors.malformedJson(`The form must have at most ${MAX_FORM_MEMBERS} members.`)
  return asTextual({ ...parametersOfText(text) })
}

/** Marks parameters, so that their texts are interpreted like those of a URL. */
export function asTextual(parameters: Parameters): Parameters {
  textual.add(parameters)
  return parameters
}

/**
 * Merges parameters of two sources.
 * @param over takes precedence
 */
export function mergedParameters(under: Parameters, over: Parameters): Parameters {
  if (Object.keys(over).length === 0) return under
  const merged = { ...under, ...over }
  sources.set(merged, { under, over })
  return merged
}

/**
 * Returns the parameters of a call whose body is not the data of an object: those of the URL and of the body. The body
 * takes precedence (protocol/conventions, Parameters).
 * @param body parsed. `""`, `null` and `[]` count as no body, because some SDKs send them with every request.
 * @throws ApiError 107 for a body that is not a JSON object
 */
export function parametersOf(query: Parameters, body: unknown): Parameters {
  const members = body === '' || body === null ? {} : emptyAsObject(body)
  if (!isJsonObject(members)) throw errors.malformedJson('The body must be a JSON object.')
  return mergedParameters(query, members)
}

/**
 * Returns whether a parameter is a text because it is from a URL or form, which have no other types. A text in a JSON
 * body is meant as a text.
 */
export function isFromText(parameters: Parameters, name: string): boolean {
  if (typeof parameters[name] !== 'string') return false
  const source = sources.get(parameters)
  if (!source) return textual.has(parameters)
  return isFromText(Object.hasOwn(source.over, name) ? source.over : source.under, name)
}
