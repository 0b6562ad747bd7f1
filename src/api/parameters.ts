import { parse } from 'node:querystring'
import { errors } from '../errors.ts'
import type { Parameters } from '../objects/query-parameters.ts'
import { emptyAsObject, isJsonObject, type Json, shown } from '../values/json.ts'

/** Maximum number of members in a form. */
export const MAX_FORM_MEMBERS = 1000

/**
 * The `+` of a phone number that was sent unescaped, as a parameter or as a text in JSON or CQL. Decoding would turn it
 * into a blank. A blank that was sent as `%20` is kept.
 */
const UNESCAPED_PHONE_NUMBER = /((?:^|&)(?:mobilePhoneNumber|username)=|["']|%22|%27)\+(\d{7,15})(?=$|[&"']|%22|%27)/gi

/** A name that adds a value to a list, such as `keys[]` or `keys[0]`. */
const LIST_MEMBER = /^([^[\]]+)\[\d{0,9}\]$/
/** A name of a member of an object, such as `where[name]`. */
const OBJECT_MEMBER = /^([^[\]]+)\[[^\]]*\]/

/** Parameters of URLs and forms, whose values are all texts. */
const textual = new WeakSet<Parameters>()

/** The first name of an object's member in parameters of URLs and forms. */
const objectMembers = new WeakMap<Parameters, string>()

/** The two sources of merged parameters. */
const sources = new WeakMap<Parameters, { readonly under: Parameters; readonly over: Parameters }>()

/**
 * Parses a query string or a form (protocol/conventions, Parameters). Values are texts; a repeated name has the list of
 * its values, as have `name[]` and `name[0]`, `name[1]`, ….
 */
export function parametersOfText(text: string): Parameters {
  const escaped = text.includes('+') ? text.replace(UNESCAPED_PHONE_NUMBER, '$1%2B$2') : text
  const parsed = parse(escaped, '&', '=', { maxKeys: 0 }) as Parameters
  return asTextual(/\[|%5b/i.test(text) ? withLists(parsed) : parsed)
}

function withLists(parsed: Parameters): Parameters {
  // Without a prototype, so that `__proto__` is a name like any other.
  const parameters: { [name: string]: Json | undefined } = Object.create(null)
  for (const [sent, value] of Object.entries(parsed)) {
    const [, list] = LIST_MEMBER.exec(sent) ?? []
    const name = list ?? sent
    const isList = list !== undefined || name in parameters
    parameters[name] = isList ? [parameters[name] ?? [], value ?? []].flat() : value
    if (list === undefined && !objectMembers.has(parameters) && OBJECT_MEMBER.test(sent))
      objectMembers.set(parameters, sent)
  }
  return parameters
}

/**
 * Rejects parameters with names such as `where[name]`: without an error, the request would run without its condition.
 * Their values could only be texts, so that a condition on a number would not match.
 * @throws ApiError 107
 */
export function checkNames(parameters: Parameters): void {
  const sent = objectMembers.get(parameters)
  if (sent === undefined) return
  const name = OBJECT_MEMBER.exec(sent)![1]!
  throw errors.malformedJson(
    `The parameter ${shown(sent)} is not supported: send '${name.slice(0, 60)}' as JSON text, such as ${name.slice(0, 60)}={"key":"value"}.`,
  )
}

/**
 * Parses the body of a form.
 * @throws ApiError 107
 */
export function parametersOfForm(text: string): Parameters {
  let members = 1
  for (let index = text.indexOf('&'); index >= 0; index = text.indexOf('&', index + 1)) members++
  if (members > MAX_FORM_MEMBERS) throw errors.malformedJson(`The form must have at most ${MAX_FORM_MEMBERS} members.`)
  const parsed = parametersOfText(text)
  const parameters = asTextual({ ...parsed })
  const member = objectMembers.get(parsed)
  if (member !== undefined) objectMembers.set(parameters, member)
  return parameters
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
  const member = objectMembers.get(over) ?? objectMembers.get(under)
  if (member !== undefined) objectMembers.set(merged, member)
  return merged
}

/**
 * Returns the parameters of a call whose body is not the data of an object: those of the URL and of the body. The body
 * takes precedence (protocol/conventions, Parameters).
 * @param body parsed. `""`, `null` and `[]` count as no body, because some SDKs send them with every request.
 * @throws ApiError 107 for a body that is not a JSON object, and for a parameter such as `where[name]`
 */
export function parametersOf(query: Parameters, body: unknown): Parameters {
  const members = body === '' || body === null ? {} : emptyAsObject(body)
  if (!isJsonObject(members)) throw errors.malformedJson('The body must be a JSON object.')
  const parameters = mergedParameters(query, members)
  checkNames(parameters)
  return parameters
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
