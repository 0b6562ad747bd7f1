import { errors } from '../../errors.ts'
import { canonicalDate, DATE_FORM } from '../../values/date.ts'
import { isJsonObject, type Json } from '../../values/json.ts'
import { normalise } from '../../values/typed.ts'
import { countValues, type ParseContext } from './parse-context.ts'
import { type Path, showPath } from './path.ts'
import type { DateValue, Ordered } from './tree.ts'

/** Maximum values of one list. */
const MAX_LIST = 10_000

function isTime(field: string): boolean {
  return field === 'createdAt' || field === 'updatedAt'
}

/**
 * Returns the value that a field is compared with, in stored form: extra members of a Pointer are dropped, and a Pointer to
 * `_File` becomes a File (protocol/storage, Where operators). System fields accept only values of their own type.
 * @throws ApiError 102 for a wrong value of a system field, 106, 107, 111, 121 or 302 for a malformed one
 */
export function operand(path: Path, wire: unknown): Json {
  if (isTime(path[0])) return timeOperand(path, wire)
  const value = normalise(wire, showPath(path))
  if (path[0] === 'objectId' && typeof value !== 'string' && value !== null) {
    throw errors.invalidQuery(`'${showPath(path)}' must be compared with a string.`)
  }
  return value
}

/**
 * Returns a Date for `createdAt` and `updatedAt`, which accept a Date or a plain ISO text (protocol/storage, Where operators).
 */
function timeOperand(path: Path, wire: unknown): DateValue {
  const text = isJsonObject(wire) && wire.__type === 'Date' ? wire.iso : wire
  const iso = typeof text === 'string' ? canonicalDate(text) : null
  if (iso === null) {
    throw errors.invalidQuery(`'${showPath(path)}' must be compared with a Date or a string of the form ${DATE_FORM}.`)
  }
  return { __type: 'Date', iso }
}

/** Returns whether a value is of a type that the system field never has. For times, a text may represent a Date. */
function isOfOtherType(field: string, wire: unknown): boolean {
  if (field === 'objectId') return typeof wire !== 'string'
  return isTime(field) && typeof wire !== 'string' && !(isJsonObject(wire) && wire.__type === 'Date')
}

/** Returns the value of `$lt`, `$lte`, `$gt` or `$gte`. @throws ApiError 102 when it has no order */
export function orderedOperand(path: Path, operator: string, wire: unknown): Ordered {
  const value = operand(path, wire)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (isJsonObject(value) && value.__type === 'Date') return value as DateValue
  throw errors.invalidQuery(`'${operator}' of '${showPath(path)}' must be a number, string, boolean or Date.`)
}

/**
 * Returns the values of `$in`, `$nin` or `$all`. Values of a type that a system field never has are accepted and match no object:
 * clients build such lists from their own objects, including null (protocol/storage, Where operators).
 * @throws ApiError 102 when it is not a list or has more than 10,000 values
 */
export function listOperand(path: Path, operator: string, wire: unknown, context: ParseContext): Json[] {
  if (!Array.isArray(wire)) throw errors.invalidQuery(`'${operator}' of '${showPath(path)}' must be a list of values.`)
  if (wire.length > MAX_LIST) {
    throw errors.invalidQuery(`'${operator}' of '${showPath(path)}' must have at most ${MAX_LIST} values.`)
  }
  countValues(context, wire.length)
  return wire.map((value) => (isOfOtherType(path[0], value) ? normalise(value, showPath(path)) : operand(path, value)))
}
