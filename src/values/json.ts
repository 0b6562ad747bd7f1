import { setImmediate as nextTurn } from 'node:timers/promises'
import { errors } from '../errors.ts'
import { type Notice, notice } from '../notices/notice.ts'
import { type Extent, extentOf } from './json-extent.ts'
import { type Text, TextInPieces } from './text-in-pieces.ts'

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** Maximum nesting depth of a value; recursion over deeper values would exhaust the stack. */
export const MAX_DEPTH = 100

/** Maximum nesting depth of a request: enough for values of `MAX_DEPTH` in conditions and batches. */
export const MAX_WIRE_DEPTH = 1000

/**
 * Maximum number of values and names in a text: parsing them takes 50 ms at worst. A batch of the recommended 100 objects has
 * 1000 for each.
 */
export const MAX_VALUES = 150_000

/**
 * Parses JSON from outside.
 * @param what names the text in error texts, for example `The body`
 * @param maxValues maximum values: strings, numbers, lists, objects and so on at any depth, and names of members
 * @param extent of the text, if it was already counted with a depth of MAX_WIRE_DEPTH as the text arrived
 * @throws ApiError 107 when it is not JSON, is nested so deeply that recursion would exhaust the stack, or has too many values
 */
export function parseJson(text: string, what: string | Notice, maxValues = MAX_VALUES, extent?: Extent): unknown {
  // Each level needs a bracket, and each value a character and a comma.
  if (text.length > Math.min(MAX_WIRE_DEPTH, 2 * maxValues)) checkExtent(text, what, maxValues, extent)
  try {
    return JSON.parse(text)
  } catch {
    throw errors.malformedJson(notice('invalidJson', { what }))
  }
}

function checkExtent(
  text: string,
  what: string | Notice,
  maxValues: number,
  extent = extentOf(text, MAX_WIRE_DEPTH, maxValues),
): void {
  const { tooDeep, tooMany, values } = extent
  if (tooDeep) throw errors.malformedJson(notice('jsonNestedTooDeep', { what, maximum: MAX_WIRE_DEPTH }))
  if (tooMany || values > maxValues)
    throw errors.malformedJson(notice('jsonTooManyValues', { what, maximum: maxValues }))
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Returns the object that a value represents: PHP writes an object without members as an empty list (protocol/conventions,
 * Requests).
 * @returns `{}` for `[]`, any other value unchanged
 */
export function emptyAsObject(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? {} : value
}

/**
 * Returns a number, or the number in a text; NaN for any other value, because `Number` throws for objects that cannot be
 * converted.
 */
export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : typeof value === 'string' ? Number(value) : Number.NaN
}

/** Returns whether `key` is an own member: `in` would also find inherited ones. */
export function has(object: object, key: string): boolean {
  return Object.hasOwn(object, key)
}

/** Returns the own member of a JSON object, undefined when absent (also for names such as `constructor`). */
export function member(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/**
 * Returns the own member of a table by name: names that clients choose may equal those of inherited members, such as
 * `constructor`.
 */
export function ownMember<Value>(table: { readonly [name: string]: Value }, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}

/** Returns whether two JSON values are equal: numbers by value, objects regardless of the order of their keys. */
export function equalJson(a: Json, b: Json): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((item, index) => equalJson(item, b[index] as Json))
  }
  const left = a as JsonObject
  const right = b as JsonObject
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => has(right, key) && equalJson(left[key] as Json, right[key] as Json))
}

/** Returns a JSON value as text, with the members of objects sorted by name: equal values (`equalJson`) have equal texts. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name]!)}`)
  return `{${members.join(',')}}`
}

/** Returns a value for error texts: as JSON, truncated when long. */
export function shown(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

/** Compares two strings by code point, as the database does (JavaScript compares UTF-16 units). */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left === right) continue
    const leftSurrogate = left >= 0xd800 && left <= 0xdfff
    const rightSurrogate = right >= 0xd800 && right <= 0xdfff
    if (leftSurrogate !== rightSurrogate) return leftSurrogate ? 1 : -1
    return left < right ? -1 : 1
  }
  return a.length === b.length ? 0 : a.length < b.length ? -1 : 1
}

/** Replaces characters that the database cannot store: U+FFFD, as decoders write for invalid bytes. */
const REPLACEMENT = '\ufffd'

/** Returns whether PostgreSQL can store a text: it stores neither NUL characters nor unpaired surrogates, in jsonb or text. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/**
 * Replaces each NUL character and each unpaired surrogate by U+FFFD (protocol/storage, Texts). Used for names and contents. Texts
 * that identify a user or an object are checked with `isStorableText` and rejected instead, because two different ids must not
 * become equal.
 * @example
 * storableText('party 🎉'.slice(0, 7)) // 'party \ufffd'
 */
export function storableText(text: string): string {
  return isStorableText(text) ? text : text.replaceAll('\0', REPLACEMENT).toWellFormed()
}

/** Returns a JSON value with all its texts and keys storable. */
export function storable<T extends Json>(value: T): T
export function storable(value: Json): Json {
  if (typeof value === 'string') return storableText(value)
  if (Array.isArray(value)) return value.map((item: Json) => storable(item))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), storable(item)]))
}

/** Escapes that `JSON.stringify` writes for unstorable characters; it also matches a backslash that is part of a text. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/

/** Returns a value as JSON text that can be stored as jsonb. */
export function storableJson(value: unknown): string {
  const text = JSON.stringify(value)
  return UNSTORABLE_ESCAPE.test(text) ? JSON.stringify(storable(JSON.parse(text) as Json)) : text
}

/** Characters of a value's texts from which on its JSON is made in time slices: below that it takes a millisecond. */
const LARGE = 256 * 1024
/** Characters of a piece, after which the event loop serves other requests. */
const PIECE = 64 * 1024
/** Minimum characters counted for a value: many small ones take time too. */
const MIN_LENGTH = 8

/**
 * Returns the text that `JSON.stringify` makes of a value. The text of a large value is made in pieces, one per iteration of the
 * event loop: 15 MB at once take 40 ms, in which no other request would be served.
 */
export async function jsonOf(value: Json): Promise<Text> {
  if (!isLarge(value)) return JSON.stringify(value)
  const pieces: string[] = []
  let small: string[] = []
  let length = 0
  for (const piece of piecesOf(value)) {
    small.push(piece)
    length += Math.max(piece.length, MIN_LENGTH)
    if (length < PIECE) continue
    pieces.push(small.join(''))
    small = []
    length = 0
    await nextTurn()
  }
  if (small.length > 0) pieces.push(small.join(''))
  return new TextInPieces(pieces)
}

/** Returns whether the text of a value is made in pieces. */
export function isLarge(value: Json): boolean {
  return lengthOf(value, LARGE) >= LARGE
}

/** Returns the approximate number of characters in the texts of a value; stops counting once it reaches `enough`. */
function lengthOf(value: Json, enough: number): number {
  if (typeof value === 'string') return Math.max(value.length, MIN_LENGTH)
  if (typeof value !== 'object' || value === null) return MIN_LENGTH
  let length = MIN_LENGTH
  if (Array.isArray(value)) {
    for (const item of value) {
      length += lengthOf(item, enough - length)
      if (length >= enough) break
    }
    return length
  }
  for (const name in value) {
    length += name.length + lengthOf((value as { [name: string]: Json })[name]!, enough - length)
    if (length >= enough) break
  }
  return length
}

/** A list or an object whose end has not been written. */
interface Open {
  readonly names: readonly string[] | null
  readonly values: readonly Json[]
  written: number
}

/** Yields the pieces of the text without recursion: with nested generators, each value would cost as much as it is deep. */
function* piecesOf(root: Json): Generator<string> {
  const open: Open[] = []
  for (let value: Json | undefined = root; ; ) {
    if (typeof value === 'string') yield* piecesOfText(value)
    else if (Array.isArray(value)) {
      yield '['
      open.push({ names: null, values: value, written: 0 })
    } else if (isJsonObject(value)) {
      yield '{'
      open.push({ names: Object.keys(value), values: Object.values(value), written: 0 })
    } else if (value !== undefined) yield JSON.stringify(value)
    const last = open.at(-1)
    if (!last) return
    const { names, values, written } = last
    if (written === values.length) {
      yield names ? '}' : ']'
      open.pop()
      value = undefined
    } else {
      const comma = written > 0 ? ',' : ''
      if (names) yield `${comma}${JSON.stringify(names[written])}:`
      else if (comma) yield comma
      value = values[written]
      last.written++
    }
  }
}

function* piecesOfText(text: string): Generator<string> {
  if (text.length <= PIECE) {
    yield JSON.stringify(text)
    return
  }
  yield '"'
  for (let start = 0; start < text.length; ) {
    let end = start + PIECE
    // Separated surrogates would be written as escapes.
    if (isFirstHalf(text.charCodeAt(end - 1))) end++
    yield JSON.stringify(text.slice(start, end)).slice(1, -1)
    start = end
  }
  yield '"'
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}
