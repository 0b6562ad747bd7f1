import { errors } from '../errors.ts'
import { canonicalDate, DATE_FORM } from './date.ts'
import { isJsonObject, type Json, type JsonObject, MAX_DEPTH, shown } from './json.ts'
import { isClassName, isObjectId } from './names.ts'
import { storableText } from './storable-text.ts'

/** The length has to be a multiple of four besides: an expression that says so would need a stack as long as the text. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/**
 * Brings a value of a request into the form in which it is stored: typed values (protocol/storage, Typed values) are
 * checked and reduced to their own members, dates become canonical, nested keys are checked. Plain values come back as
 * they are.
 * @example
 * // { __type: 'Date', iso: '2026-01-02T03:04:05.000Z' }
 * normalise({ __type: 'Date', iso: '2026-01-02T03:04:05Z' }, 'startsAt')
 * @param where names the place in error texts, for example `profile.city`
 * @throws ApiError 106, 107, 111, 121 or 302
 */
export function normalise(value: unknown, where: string, depth = 0): Json {
  switch (typeof value) {
    case 'string':
      return storableText(value)
    case 'number':
      if (!Number.isFinite(value)) throw errors.incorrectType(`The number of '${where}' is out of range.`)
      return value
    case 'boolean':
      return value
    default:
      break
  }
  if (value === null) return null
  if (depth >= MAX_DEPTH)
    throw errors.malformedJson(`'${where.slice(0, 60)}…' is nested deeper than ${MAX_DEPTH} levels.`)
  if (Array.isArray(value)) return value.map((item, index) => normalise(item, `${where}[${index}]`, depth + 1))
  if (!isJsonObject(value)) throw errors.malformedJson(`'${where}' is no JSON value.`)
  if (Object.hasOwn(value, '__type')) return normaliseTyped(value, where)
  return normaliseMembers(value, where, depth)
}

function normaliseMembers(value: JsonObject, where: string, depth: number): JsonObject {
  const entries: [string, Json][] = []
  for (const key of Object.keys(value)) {
    if (key.includes('$') || key.includes('.')) throw errors.nestedKeyName(key)
    entries.push([storableText(key), normalise(value[key], `${where}.${key}`, depth + 1)])
  }
  return Object.fromEntries(entries)
}

function normaliseTyped(value: JsonObject, where: string): JsonObject {
  switch (value.__type) {
    case 'Date':
      return dateValue(value, where)
    case 'Bytes':
      return bytesValue(value, where)
    case 'Pointer':
    case 'Object':
      return value.className === '_File' ? fileValue(value, where) : pointerValue(value, where)
    case 'File':
      return fileValue(value, where)
    case 'GeoPoint':
      return geoPointValue(value, where)
    case 'Relation':
      if (typeof value.className !== 'string' || !isClassName(value.className)) {
        throw errors.invalidRelation(`The Relation of '${where}' needs a 'className'.`)
      }
      return { __type: 'Relation', className: value.className }
    default:
      throw errors.incorrectType(
        `'${where}' has the unknown __type ${shown(value.__type)}; it may be Date, Bytes, Pointer, Relation, File or GeoPoint.`,
      )
  }
}

function dateValue(value: JsonObject, where: string): JsonObject {
  const iso = typeof value.iso === 'string' ? canonicalDate(value.iso) : null
  if (iso === null) throw errors.incorrectType(`The Date of '${where}' needs 'iso' in the form ${DATE_FORM}.`)
  return { __type: 'Date', iso }
}

function bytesValue(value: JsonObject, where: string): JsonObject {
  if (typeof value.base64 !== 'string' || value.base64.length % 4 !== 0 || !BASE64.test(value.base64)) {
    throw errors.incorrectType(`The Bytes of '${where}' need 'base64', standard base64 without white space.`)
  }
  return { __type: 'Bytes', base64: value.base64 }
}

function pointerValue(value: JsonObject, where: string): JsonObject {
  if (typeof value.className !== 'string' || !isClassName(value.className) || !isObjectId(value.objectId)) {
    throw errors.malformedPointer(`The Pointer of '${where}' needs 'className' and 'objectId'.`)
  }
  return { __type: 'Pointer', className: value.className, objectId: value.objectId }
}

/**
 * A File names its record by `id`; some SDKs send `objectId`, or a Pointer to `_File` (protocol/storage, Column types).
 */
function fileValue(value: JsonObject, where: string): JsonObject {
  const id = value.id ?? value.objectId
  if (!isObjectId(id)) throw errors.incorrectType(`The File of '${where}' needs 'id', the objectId of a file record.`)
  return { __type: 'File', id }
}

function geoPointValue(value: JsonObject, where: string): JsonObject {
  const { latitude, longitude } = value
  if (typeof latitude !== 'number' || typeof longitude !== 'number') {
    throw errors.invalidGeoPoint(`The GeoPoint of '${where}' needs 'latitude' and 'longitude' as numbers.`)
  }
  if (!(Math.abs(latitude) <= 90))
    throw errors.invalidGeoPoint(`The latitude of '${where}' must be from -90.0 to 90.0.`)
  if (!(Math.abs(longitude) <= 180))
    throw errors.invalidGeoPoint(`The longitude of '${where}' must be from -180.0 to 180.0.`)
  return { __type: 'GeoPoint', latitude, longitude }
}

/** The id of the record that a stored File value or Pointer refers to. */
export function targetId(value: JsonObject): string {
  return String(value.__type === 'File' ? value.id : value.objectId)
}
