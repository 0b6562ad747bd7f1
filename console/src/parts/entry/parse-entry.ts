import { canonicalDate } from '../../../../src/values/date.ts'
/** Why a text is invalid: the name of a text below `parts:entry.rules`, which describes the valid form. */
export type EntryRule =
  | 'number'
  | 'digits'
  | 'integer'
  | 'atLeast'
  | 'between'
  | 'boolean'
  | 'time'
  | 'noSuchTime'
  | 'isoTime'
  | 'geoPoint'
  | 'place'
  | 'objectId'
  | 'base64'
  | 'json'
  | 'object'
  | 'array'

/** A text that is invalid for its type. Editors report it in place of a value. */
export class Unparsed {
  readonly rule: EntryRule
  /** Values for the text of the rule. */
  readonly values: Readonly<Record<string, number>>

  constructor(rule: EntryRule, values: Readonly<Record<string, number>> = {}) {
    this.rule = rule
    this.values = values
  }
}

export interface NumberRange {
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly isInteger?: boolean | undefined
}

export interface TimeValue {
  readonly __type: 'Date'
  /** UTC */
  readonly iso: string
}

export interface GeoPointEntry {
  readonly __type: 'GeoPoint'
  readonly latitude: number
  readonly longitude: number
}

/** Decimal digits with an optional sign, fraction and exponent: the forms of JSON, and `+1`, `.5`, `1.`. */
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/
const INTEGER = /^[+-]?\d+$/
const LOCAL_TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/
const ISO_TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/i
const OBJECT_ID = /^[A-Za-z0-9_-]{1,128}$/
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Parses a number. Integers that a double cannot represent exactly are rejected, because another value would be stored. */
export function parseNumber(text: string, { min, max, isInteger }: NumberRange = {}): number | Unparsed {
  const digits = text.trim()
  const number = NUMBER.test(digits) ? Number(digits) : Number.NaN
  if (!Number.isFinite(number)) return new Unparsed(isInteger ? 'integer' : 'number')
  if (INTEGER.test(digits) && !holds(number, digits.replace('+', ''))) return new Unparsed('digits')
  if (isInteger && !Number.isInteger(number)) return new Unparsed('integer')
  if (min !== undefined && max !== undefined && (number < min || number > max))
    return new Unparsed('between', { min, max })
  if (min !== undefined && number < min) return new Unparsed('atLeast', { min })
  return max !== undefined && number > max ? new Unparsed('between', { min: min ?? -max, max }) : number
}

/** Returns whether a double represents an integer: exactly, or as the double is printed. */
function holds(number: number, digits: string): boolean {
  return BigInt(digits) === BigInt(number) || String(number) === digits
}

/** Parses `true` and `false`, case-insensitively. */
export function parseBoolean(text: string): boolean | Unparsed {
  const word = text.trim().toLowerCase()
  return word === 'true' || word === 'false' ? word === 'true' : new Unparsed('boolean')
}

/** Parses the value of `<input type="datetime-local">`: a time in the browser's time zone. */
export function parseLocalTime(text: string): TimeValue | Unparsed {
  const [, year, month, day, hour, minute, second = '0', fraction = ''] = LOCAL_TIME.exec(text.trim()) ?? []
  if (year === undefined) return new Unparsed('time')
  const parts = [year, month, day, hour, minute, second, fraction.padEnd(3, '0')].map(Number)
  // `new Date(99, …)` would be the year 1999.
  const time = new Date(2000, 0, 1)
  time.setFullYear(parts[0]!, parts[1]! - 1, parts[2]!)
  time.setHours(parts[3]!, parts[4]!, parts[5]!, parts[6]!)
  const held = [
    time.getFullYear(),
    time.getMonth() + 1,
    time.getDate(),
    time.getHours(),
    time.getMinutes(),
    time.getSeconds(),
  ]
  // A day missing in its month, or an hour skipped in spring, would become another one.
  if (held.some((part, at) => part !== parts[at])) return new Unparsed('noSuchTime')
  return timeValue(time)
}

/** Parses an ISO 8601 time: a date, or a date and a time; UTC without a time zone. */
export function parseIsoTime(text: string): TimeValue | Unparsed {
  const iso = canonicalDate(text.trim())
  if (iso !== null) return { __type: 'Date', iso }
  return new Unparsed(ISO_TIME.test(text.trim()) ? 'noSuchTime' : 'isoTime')
}

/** Returns the value of a time. The database sorts times as texts, which have four digits for the year. */
function timeValue(time: Date): TimeValue | Unparsed {
  const year = time.getUTCFullYear()
  return year < 0 || year > 9999 ? new Unparsed('noSuchTime') : { __type: 'Date', iso: time.toISOString() }
}

/** Parses `<longitude> <latitude>`, the format of geo points in CSV cells. */
export function parseGeoPoint(text: string): GeoPointEntry | Unparsed {
  const parts = text.trim().split(/\s+/)
  if (parts.length !== 2) return new Unparsed('geoPoint')
  const longitude = parseNumber(parts[0]!, { min: -180, max: 180 })
  const latitude = parseNumber(parts[1]!, { min: -90, max: 90 })
  if (longitude instanceof Unparsed || latitude instanceof Unparsed) return new Unparsed('geoPoint')
  return { __type: 'GeoPoint', latitude, longitude }
}

export function parseObjectId(text: string): string | Unparsed {
  const id = text.trim()
  return OBJECT_ID.test(id) ? id : new Unparsed('objectId')
}

export function parseBase64(text: string): string | Unparsed {
  const base64 = text.trim()
  return base64.length % 4 === 0 && BASE64.test(base64) ? base64 : new Unparsed('base64')
}

/** The strings of a JSON text, and the numbers between them. */
const STRINGS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

/** Parses JSON of any kind. Rejects numbers that `JSON.parse` would change, or turn into null when they are sent. */
export function parseJson(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown
    for (const [token] of text.matchAll(STRINGS_AND_NUMBERS)) {
      const number = token.startsWith('"') ? undefined : parseNumber(token)
      if (number instanceof Unparsed) return number
    }
    return value
  } catch {
    return new Unparsed('json')
  }
}

export function parseArray(text: string): readonly unknown[] | Unparsed {
  const value = parseJson(text)
  return Array.isArray(value) || isWrongNumber(value) ? value : new Unparsed('array')
}

export function parseObject(text: string): Readonly<Record<string, unknown>> | Unparsed {
  const value = parseJson(text)
  if (isWrongNumber(value)) return value
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Unparsed)
  return isObject ? (value as Readonly<Record<string, unknown>>) : new Unparsed('object')
}

/** Returns whether valid JSON was rejected because of a number. */
function isWrongNumber(value: unknown): value is Unparsed {
  return value instanceof Unparsed && value.rule !== 'json'
}
