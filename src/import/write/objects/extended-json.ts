import type { Json, JsonObject } from '../../../values/json.ts'

/** What MongoDB's extended JSON writes around a single value, as the member that says which. */
type Reader = (value: Json, wrapper: JsonObject) => Json

/** A Date whose text is no date: the caller stores null for it and counts it. */
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
 * The value that an object of MongoDB's extended JSON stands for, canonical or relaxed: `{"$oid":"5f…"}` is the text, `{"$date":…}` a
 * Date, `{"$numberLong":"5"}` a number. The result may still be invalid, such as a Date without a date.
 * @returns undefined for any other object
 */
export function extendedValue(value: JsonObject): Json | undefined {
  for (const [member, read] of Object.entries(READERS))
    if (Object.hasOwn(value, member)) return read(value[member]!, value)
  return undefined
}

/** An id as text, also where it is an ObjectId in extended JSON or a whole number; anything else unchanged. */
export function plainId(value: Json | undefined): Json {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? String(value) : value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value ?? null
  const { $oid, $uuid, $numberInt, $numberLong } = value as JsonObject
  return $oid ?? $uuid ?? $numberInt ?? $numberLong ?? value
}

/** Milliseconds since 1970, or a text of ISO 8601. */
function dateOf(value: Json): JsonObject {
  if (typeof value === 'string') return { __type: 'Date', iso: value }
  const time = typeof value === 'number' ? value : numberOf(plainId(value))
  const date = typeof time === 'number' ? new Date(time) : null
  return date && !Number.isNaN(date.getTime()) ? { __type: 'Date', iso: date.toISOString() } : NO_DATE
}

/** @returns a number that may be out of range; the value unchanged where it is no text of a number */
function numberOf(value: Json): Json {
  if (typeof value !== 'string' || value.trim() === '') return value
  const number = Number(value)
  return Number.isNaN(number) && value !== 'NaN' ? value : number
}

/** `{"$binary":{"base64":…,"subType":…}}`, or `{"$binary":…,"$type":…}` of older versions. */
function bytesOf(value: Json): JsonObject {
  const base64 =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject).base64 : value
  return { __type: 'Bytes', base64: base64 ?? null }
}
