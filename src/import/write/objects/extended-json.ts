import type { Json, JsonObject } from '../../../values/json.ts'

/** Converts a wrapper object of MongoDB's extended JSON, identified by the name of a member, to a value. */
type Reader = (value: Json, wrapper: JsonObject) => Json

/** A Date with an invalid text. The caller stores null for it and counts it. */
const NO_DATE: JsonObject = { __type: 'Date', iso: null }

const READERS: { readonly [member: string]: Reader } = {
  $oid: (value) => value,
  $uuid: (value) => value,
  $symbol: (value) => value,
  $code: (value) => value,
  $date: dateOf,
  $numberInt: numberOf,
  $numberLong: numberOf,
  $numberDouble: numberOf,
  $numberDecimal: numberOf,
  $binary: bytesOf,
  $ref: (className, { $id }) =>
    className === '_File'
      ? { __type: 'File', id: plainId($id) }
      : { __type: 'Pointer', className, objectId: plainId($id) },
  $undefined: () => null,
}

/**
 * Returns the value of an object in MongoDB's extended JSON, canonical or relaxed: the text for `{"$oid":"5f…"}`, a Date for
 * `{"$date":…}`, a number for `{"$numberLong":"5"}`. The result may be invalid, such as a Date with an invalid text.
 * @returns undefined for any other object
 */
export function extendedValue(value: JsonObject): Json | undefined {
  for (const [member, read] of Object.entries(READERS))
    if (Object.hasOwn(value, member)) return read(value[member]!, value)
  return undefined
}

/** Returns an ObjectId in extended JSON or a whole number as a text id; other values unchanged. */
export function plainId(value: Json | undefined): Json {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value ?? null
  const { $oid, $uuid, $numberInt, $numberLong } = value as JsonObject
  return $oid ?? $uuid ?? $numberInt ?? $numberLong ?? value
}

/** Converts milliseconds since 1970, or an ISO 8601 text. */
function dateOf(value: Json): JsonObject {
  if (typeof value === 'string') return { __type: 'Date', iso: value }
  const time = typeof value === 'number' ? value : numberOf(plainId(value))
  const date = typeof time === 'number' ? new Date(time) : null
  return date && !Number.isNaN(date.getTime()) ? { __type: 'Date', iso: date.toISOString() } : NO_DATE
}

/** @returns a number, which may be out of range; the value unchanged when it is not a numeric text */
function numberOf(value: Json): Json {
  if (typeof value !== 'string' || value.trim() === '') return value
  const number = Number(value)
  return Number.isNaN(number) && value !== 'NaN' ? value : number
}

/** Converts `{"$binary":{"base64":…,"subType":…}}`, or `{"$binary":…,"$type":…}` of older versions. */
function bytesOf(value: Json): JsonObject {
  const base64 =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject).base64 : value
  return { __type: 'Bytes', base64: base64 ?? null }
}
