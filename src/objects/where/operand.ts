import { errors } from '../../errors.ts'
import { canonicalDate, DATE_FORM } from '../../values/date.ts'
import { isJsonObject, type Json } from '../../values/json.ts'
import { normalise } from '../../values/typed.ts'
import { countValues, type ParseContext } from './parse-context.ts'
import { type Path, showPath } from './path.ts'
import type { DateValue, Ordered } from './tree.ts'

/** One list takes at most this many values. */
const MAX_LIST = 10_000

function isTime(field: string): boolean {
  return field === 'createdAt' || field === 'updatedAt'
}

/**
 * The value that a field is compared with, in the form in which values are stored: extra members of a Pointer are
 * dropped, a Pointer to `_File` is a File (protocol/storage, Where operators). The system fields take values of their
 * own type.
 * @throws ApiError 102 for a wrong value of a system field, 106, 107, 111, 121 or 302 for a malformed one
 */
export function operand(path: Path, wire: unknown): Json {
  if (isTime(path[0])) return timeOperand(path, wire)
  const value = normalise(wire, showPath(path))
  if (path[0] === 'objectId' && typeof value !== 'string' && value !== null) {
    throw errors.invalidQuery(`'${showPath(path)}' is compared with a string.`)
  }
  return value
}

/** `createdAt` and `updatedAt` take a Date or a plain ISO text (protocol/storage, Where operators). */
function timeOperand(path: Path, wire: unknown): DateValue {
  const text = isJsonObject(wire) && wire.__type === 'Date' ? wire.iso : wire
  const iso = typeof text === 'string' ? canonicalDate(text) : null
  if (iso === null) {
    throw errors.invalidQuery(`'${showPath(path)}' is compared with a Date or with a text of the form ${DATE_FORM}.`)
  }
  return { __type: 'Date', iso }
}

/** Whether a value is of a type that no object has in this system field. A text may be meant for a Date. */
function isOfOtherType(field: string, wire: unknown): boolean {
  if (field === 'objectId') return typeof wire !== 'string'
  return isTime(field) && typeof wire !== 'string' && !(isJsonObject(wire) && wire.__type === 'Date')
}

/** The value of `$lt`, `$lte`, `$gt` or `$gte`. @throws ApiError 102 when it has no order */
export function orderedOperand(path: Path, operator: string, wire: unknown): Ordered {
  const value = operand(path, wire)
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  if (isJsonObject(value) && value.__type === 'Date') return value as DateValue
  throw errors.invalidQuery(`'${operator}' of '${showPath(path)}' compares with a number, string, boolean or Date.`)
}

/**
 * The values of `$in`, `$nin` or `$all`. Values of a type that a system field never has are taken, and match no object:
 * clients make such lists of what their own objects hold, null among it (protocol/storage, Where operators).
 * @throws ApiError 102 when it is no list or has more than 10 000 values
 */
export function listOperand(path: Path, operator: string, wire: unknown, context: ParseContext): Json[] {
  if (!Array.isArray(wire)) throw errors.invalidQuery(`'${operator}' of '${showPath(path)}' needs a list of values.`)
  if (wire.length > MAX_LIST) {
    throw errors.invalidQuery(`'${operator}' of '${showPath(path)}' has more than ${MAX_LIST} values.`)
  }
  countValues(context, wire.length)
  return wire.map((value) => (isOfOtherType(path[0], value) ? normalise(value, showPath(path)) : operand(path, value)))
}
