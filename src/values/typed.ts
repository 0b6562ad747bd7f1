import { errors } from '../errors.ts'
import { notice } from '../notices/notice.ts'
import { canonicalDate, DATE_FORM } from './date.ts'
import { isJsonObject, type Json, type JsonObject, MAX_DEPTH, shown, storableText } from './json.ts'
import { isClassName, isObjectId } from './names.ts'

/** The length must also be a multiple of four: an expression that checks this would need a stack as deep as the text is long. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/**
 * Converts a value of a request to its stored form: typed values (protocol/storage, Typed values) are checked and reduced to
 * their own members, dates become canonical, and nested keys are checked. Plain values are returned unchanged.
 * @example
 * // { __type: 'Date', iso: '2026-01-02T03:04:05.000Z' }
 * normalise({ __type: 'Date', iso: '2026-01-02T03:04:05Z' }, 'startsAt')
 * @param where names the position in error texts, for example `profile.city`
 * @throws ApiError 106, 107, 111, 121 or 302
 */
export function normalise(value: unknown, where: string, depth = 0): Json {
  switch (typeof value) {
    case 'string':
      return storableText(value)
    case 'number':
      if (!Number.isFinite(value)) throw errors.incorrectType(notice('numberOutOfRange', { path: where }))
      return value
    case 'boolean':
      return value
    default:
      break
  }
  if (value === null) return null
  if (depth >= MAX_DEPTH)
    throw errors.malformedJson(notice('valueNestedTooDeep', { path: where.slice(0, 60), maximum: MAX_DEPTH }))
  if (Array.isArray(value)) return value.map((item, index) => normalise(item, `${where}[${index}]`, depth + 1))
  if (!isJsonObject(value)) throw errors.malformedJson(notice('notJsonValue', { path: where }))
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
        throw errors.invalidRelation(notice('relationWithoutClassName', { path: where }))
      }
      return { __type: 'Relation', className: value.className }
    default:
      throw errors.incorrectType(notice('unknownType', { path: where, type: shown(value.__type) }))
  }
}

function dateValue(value: JsonObject, where: string): JsonObject {
  const iso = typeof value.iso === 'string' ? canonicalDate(value.iso) : null
  if (iso === null) throw errors.incorrectType(notice('dateWithoutIso', { path: where, form: DATE_FORM }))
  return { __type: 'Date', iso }
}

function bytesValue(value: JsonObject, where: string): JsonObject {
  if (typeof value.base64 !== 'string' || value.base64.length % 4 !== 0 || !BASE64.test(value.base64)) {
    throw errors.incorrectType(notice('bytesInvalid', { path: where }))
  }
  return { __type: 'Bytes', base64: value.base64 }
}

function pointerValue(value: JsonObject, where: string): JsonObject {
  if (typeof value.className !== 'string' || !isClassName(value.className) || !isObjectId(value.objectId)) {
    throw errors.malformedPointer(notice('pointerInvalid', { path: where }))
  }
  return { __type: 'Pointer', className: value.className, objectId: value.objectId }
}

/**
 * Converts a File, which names its record by `id`; some SDKs send `objectId`, or a Pointer to `_File` (protocol/storage, Column
 * types).
 */
function fileValue(value: JsonObject, where: string): JsonObject {
  const id = value.id ?? value.objectId
  if (!isObjectId(id)) throw errors.incorrectType(notice('fileInvalid', { path: where }))
  return { __type: 'File', id }
}

function geoPointValue(value: JsonObject, where: string): JsonObject {
  const { latitude, longitude } = value
  if (typeof latitude !== 'number' || typeof longitude !== 'number') {
    throw errors.invalidGeoPoint(notice('geoPointInvalid', { path: where }))
  }
  if (!(Math.abs(latitude) <= 90)) throw errors.invalidGeoPoint(notice('latitudeOutOfRange', { path: where }))
  if (!(Math.abs(longitude) <= 180)) throw errors.invalidGeoPoint(notice('longitudeOutOfRange', { path: where }))
  return { __type: 'GeoPoint', latitude, longitude }
}

/** Returns the id of the record that a stored File value or Pointer refers to. */
export function targetId(value: JsonObject): string {
  return String(value.__type === 'File' ? value.id : value.objectId)
}

/** The type that a field gets on its first write (protocol/storage, Column types). */
export type FieldType =
  | {
      readonly type:
        | 'String'
        | 'Number'
        | 'Boolean'
        | 'Object'
        | 'Array'
        | 'Date'
        | 'Bytes'
        | 'File'
        | 'GeoPoint'
        | 'ACL'
        /** Accepts values of every type (protocol/storage, Column types); only declared, never set by a first write. */
        | 'Any'
    }
  | { readonly type: 'Pointer' | 'Relation'; readonly className: string }

const STRING: FieldType = { type: 'String' }
const NUMBER: FieldType = { type: 'Number' }
const BOOLEAN: FieldType = { type: 'Boolean' }
const ARRAY: FieldType = { type: 'Array' }
const OBJECT: FieldType = { type: 'Object' }

/** Returns the type of a normalized value, or null for null, which fits every field. */
export function typeOfValue(value: Json): FieldType | null {
  switch (typeof value) {
    case 'string':
      return STRING
    case 'number':
      return NUMBER
    case 'boolean':
      return BOOLEAN
    default:
      break
  }
  if (value === null) return null
  if (Array.isArray(value)) return ARRAY
  if (!isJsonObject(value)) return null
  switch (value.__type) {
    case 'Date':
    case 'Bytes':
    case 'File':
    case 'GeoPoint':
      return { type: value.__type }
    case 'Pointer':
    case 'Relation':
      return { type: value.__type, className: String(value.className) }
    default:
      return OBJECT
  }
}

export function sameType(a: FieldType, b: FieldType): boolean {
  if (a === b) return true
  if (a.type !== b.type) return false
  return !('className' in a) || !('className' in b) || a.className === b.className
}

/** Returns whether a field accepts values of a type. Members of a relation are not values. */
export function takes(field: FieldType, value: FieldType): boolean {
  return field.type === 'Any' ? value.type !== 'Relation' : sameType(field, value)
}

/** Returns a type for error texts, for example `{:type "Pointer", :className "Post"}`. */
export function showType(type: FieldType): string {
  return 'className' in type ? `{:type "${type.type}", :className "${type.className}"}` : `{:type "${type.type}"}`
}
