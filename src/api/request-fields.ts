import { errors } from '../errors.ts'
import { isClientId } from '../messaging/client-ids.ts'
import type { Parameters } from '../objects/query-parameters.ts'
import { isJsonObject, type Json, type JsonObject, member, parseJson, shown, storableText } from '../values/json.ts'
import { isFromText } from './parameters.ts'

/*
 * Functions that read one parameter from a URL, form or JSON body. In URLs and forms all values are texts, which are
 * parsed as the expected type. For an invalid value the error is code 1, with the name of the parameter and what it
 * must be.
 */

/** Maximum number of clients per request; larger changes need several requests. */
const MAX_CLIENTS = 1000

/**
 * Returns the members of a body that is data.
 * @throws ApiError 107
 */
export function fieldsOf(body: unknown): JsonObject {
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  return body
}

/**
 * Returns a text. Characters that the database cannot store are replaced.
 * @returns undefined when it is absent
 */
export function textIn(fields: Parameters, name: string): string | undefined {
  const value = given(fields, name)
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw wrong(name, 'a string', value)
  return storableText(value)
}

export function requiredText(fields: Parameters, name: string): string {
  const text = textIn(fields, name)
  if (!text) throw missing(name, 'a non-empty string')
  return text
}

export function requiredClient(fields: Parameters, name: string): string {
  requiredText(fields, name)
  // Reads the id as sent, because `requiredText` replaces characters.
  const id = given(fields, name)!
  if (!isClientId(id)) throw wrong(name, 'a client id of 1 to 64 characters', id)
  return id
}

/** Returns a flag; false when it is absent. */
export function flagIn(fields: Parameters, name: string): boolean {
  const value = given(fields, name)
  if (value === undefined || value === false || value === 'false' || value === 0 || value === '0') return false
  if (value === true || value === 'true' || value === 1 || value === '1') return true
  throw wrong(name, 'true or false', value)
}

/**
 * Returns a whole number of 0 or more, in a URL also as its digits.
 * @returns undefined when it is absent
 */
export function numberIn(fields: Parameters, name: string): number | undefined {
  const value = given(fields, name)
  if (value === undefined || value === '') return undefined
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0)
    throw wrong(name, 'a whole number of 0 or more', value)
  return number
}

export function requiredNumber(fields: Parameters, name: string, what: string): number {
  const number = numberIn(fields, name)
  if (number === undefined) throw missing(name, what)
  return number
}

/** Returns the time at which a message was sent. */
export function requiredTime(fields: Parameters, name: string): number {
  return requiredNumber(fields, name, 'a time in milliseconds')
}

/** Returns a list of clients; in URLs and forms also from its JSON text, or from a single client. Empty when it is absent. */
export function clientsIn(fields: Parameters, name: string, max = MAX_CLIENTS): string[] {
  const value = given(fields, name)
  const list = typeof value === 'string' && isFromText(fields, name) ? listOfText(name, value) : value
  if (list === undefined) return []
  if (!Array.isArray(list) || !list.every(isClientId)) throw wrong(name, 'a list of client ids', list)
  if (list.length > max)
    throw errors.badArgument(`'${name}' must contain at most ${max} clients; it contains ${list.length}.`)
  return list
}

export function requiredClients(fields: Parameters, name: string, max = MAX_CLIENTS): string[] {
  const list = clientsIn(fields, name, max)
  if (list.length === 0) throw missing(name, 'a list of client ids')
  return list
}

/** The types as which texts of parameters are parsed. */
export type ParameterType = 'json' | 'list' | 'number' | 'flag'

/**
 * Returns parameters for a function that expects JSON values. Texts of URLs and forms are parsed as the type in
 * `types`; a text that does not parse stays a text, which that function rejects.
 * @throws ApiError 107 for invalid JSON
 */
export function typedFields(
  parameters: Parameters,
  types: { readonly [name: string]: ParameterType } = {},
): JsonObject {
  const fields: { [name: string]: Json } = {}
  for (const name of Object.keys(parameters)) {
    const value = member(parameters as JsonObject, name)
    if (value === undefined) continue
    const type = Object.hasOwn(types, name) ? types[name] : undefined
    // A plain assignment would lose a member named `__proto__`.
    Object.defineProperty(fields, name, {
      value: type !== undefined && isFromText(parameters, name) ? valueOfText(name, value as string, type) : value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return fields
}

function valueOfText(name: string, text: string, type: ParameterType): Json {
  switch (type) {
    case 'json':
      return /^\s*[{[]/.test(text) ? jsonOf(name, text) : text
    case 'list':
      return text === '' ? text : listOfText(name, text)
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
    case 'flag':
      return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text
  }
}

/** Returns a list; a text that does not begin like a list is its only member. */
function listOfText(name: string, text: string): Json {
  return text.startsWith('[') ? jsonOf(name, text) : [text]
}

function jsonOf(name: string, text: string): Json {
  return parseJson(text, `The parameter '${name}'`) as Json
}

/** Returns a parameter; null counts as absent. */
function given(fields: Parameters, name: string): Json | undefined {
  return member(fields as JsonObject, name) ?? undefined
}

function missing(name: string, what: string) {
  return errors.badArgument(`'${name}' is missing; it must be ${what}.`)
}

function wrong(name: string, what: string, value: Json) {
  return errors.badArgument(`'${name}' must be ${what}, not ${shown(value)}.`)
}
