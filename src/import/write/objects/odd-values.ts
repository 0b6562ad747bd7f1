import { type Notice, notice } from '../../../notices/notice.ts'
import { isJsonObject, type Json, type JsonObject, MAX_DEPTH, storableText } from '../../../values/json.ts'
import { isObjectId } from '../../../values/names.ts'
import { normalise } from '../../../values/typed.ts'
import { REPAIRED_TEXT } from '../../odd-text.ts'
import { extendedValue, plainId } from './extended-json.ts'

/** Notes about changed values, which follow the name of the field. */
const OUT_OF_RANGE = notice('numberOutOfRangeNull')
const UNKNOWN_TYPE = notice('unknownTypeNull')
const TOO_DEEP = notice('nestedTooDeepNull', { maximum: MAX_DEPTH })
const BAD_KEY = notice('keyLeftOut')

/** `--strict` does not reject these: like other numbers beyond 2^53, they only cause a note. */
export const ROUNDED = notice('roundedNumber')

/** Notes about invalid values, by type. The members of a Relation are stored outside of the field. */
const INVALID: ReadonlyMap<string, Notice> = new Map([
  ...['Date', 'Bytes', 'Pointer', 'File', 'GeoPoint'].map(
    (type) => [type, notice('valueInvalidNull', { type })] as const,
  ),
  ['Relation', notice('relationLeftOut')] as const,
])

/** A value in its stored form. */
interface StoredValue {
  readonly value: Json
  /** The changes, each kind once; empty when the value is unchanged. */
  readonly changes: ReadonlySet<Notice>
}

/**
 * Converts a value to its stored form, as `normalise` does, but without rejecting it: null is stored for invalid values, such as
 * a GeoPoint without coordinates, and texts are repaired. The hosted service stores such values, and the rest of the record is
 * worth keeping. Values of MongoDB's extended JSON are converted.
 */
export function withoutOddValues(value: Json): StoredValue {
  const changes = new Set<Notice>()
  return { value: storable(value, 0, changes), changes }
}

function storable(value: Json, depth: number, changes: Set<Notice>): Json {
  if (typeof value === 'string') return repaired(value, changes)
  if (typeof value === 'number') return Number.isFinite(value) ? value : changed(changes, OUT_OF_RANGE)
  if (typeof value === 'boolean' || value === null) return value
  if (depth >= MAX_DEPTH) return changed(changes, TOO_DEEP)
  if (Array.isArray(value)) return value.map((item) => storable(item, depth + 1, changes))
  const object = value as JsonObject
  if (Object.hasOwn(object, '__type')) return typed(object, changes)
  const extended = extendedValue(object)
  if (extended !== undefined) {
    if (typeof extended === 'number' && isRounded(extended, object.$numberLong)) changes.add(ROUNDED)
    return storable(extended, depth + 1, changes)
  }
  const members = Object.keys(object).flatMap((key): [string, Json][] => {
    if (key.includes('$') || key.includes('.')) {
      changes.add(BAD_KEY)
      return []
    }
    return [[repaired(key, changes), storable(object[key]!, depth + 1, changes)]]
  })
  return Object.fromEntries(members)
}

function isRounded(number: number, digits: Json | undefined): boolean {
  return typeof digits === 'string' && /^-?\d{16,19}$/.test(digits) && BigInt(digits) !== BigInt(number)
}

function repaired(text: string, changes: Set<Notice>): string {
  const storableForm = storableText(text)
  if (storableForm !== text) changes.add(REPAIRED_TEXT)
  return storableForm
}

function typed(value: JsonObject, changes: Set<Notice>): Json {
  const type = value.__type === 'Object' ? 'Pointer' : value.__type
  const invalid = typeof type === 'string' ? INVALID.get(type) : undefined
  if (!invalid) return changed(changes, UNKNOWN_TYPE)
  try {
    return normalise(withPlainMembers(value), '')
  } catch {
    return changed(changes, invalid)
  }
}

/** Converts ids and base64 to the form that `normalise` accepts, where this is lossless. */
function withPlainMembers(value: JsonObject): JsonObject {
  switch (value.__type) {
    case 'Pointer':
    case 'Object':
    case 'File': {
      const [id, objectId] = [plainId(value.id), plainId(value.objectId)]
      return { ...value, ...(isObjectId(id) ? { id } : {}), objectId }
    }
    case 'Bytes':
      return { ...value, base64: standardBase64(value.base64) }
    default:
      return value
  }
}

/** Converts base64 with line breaks, in the URL-safe alphabet or without padding to the standard form of the same bytes. */
function standardBase64(value: Json | undefined): Json {
  if (typeof value !== 'string') return value ?? null
  const text = value.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
  return text.includes('=') ? text : text + '='.repeat((4 - (text.length % 4)) % 4)
}

function changed(changes: Set<Notice>, what: Notice): null {
  changes.add(what)
  return null
}

/** Returns whether the value marks its field as a Relation, validly or not. */
export function isRelation(value: Json): boolean {
  return isJsonObject(value) && value.__type === 'Relation'
}
