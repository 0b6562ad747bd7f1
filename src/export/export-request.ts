import { errors } from '../errors.ts'
import { isMailAddress } from '../mail/address.ts'
import { classOfPath } from '../objects/classes/built-in-classes.ts'
import { canonicalDate, isDatabaseTime } from '../values/date.ts'
import { isJsonObject, type Json, member } from '../values/json.ts'
import { isClassName } from '../values/names.ts'

/** The contents of an export, and the address to notify when it is done. */
export interface ExportRequest {
  /** null: all classes */
  readonly classes: readonly string[] | null
  /** Bounds of `updatedAt`, both inclusive, as canonical dates. */
  readonly from: string | null
  readonly to: string | null
  readonly schemaOnly: boolean
  readonly email: string | null
}

/**
 * Parses the body of an export request (protocol/storage, Export). Members that are absent or null have no effect.
 * @throws ApiError 1 that names the member, 107 when the body is not an object, 125 when `email` is not an address
 */
export function parseExportRequest(body: unknown): ExportRequest {
  if (!isJsonObject(body)) throw errors.malformedJson()
  const from = dateOf(member(body, 'from_date'), 'from_date')
  const to = dateOf(member(body, 'to_date'), 'to_date')
  if (from !== null && to !== null && from > to)
    throw errors.badArgument("'from_date' must not be later than 'to_date'.")
  return {
    classes: classesOf(member(body, 'classes')),
    from,
    to,
    schemaOnly: flagOf(member(body, 'only-schema')),
    email: emailOf(member(body, 'email')),
  }
}

function dateOf(value: Json | undefined, name: string): string | null {
  if (value === undefined || value === null) return null
  const text = isJsonObject(value) && value.__type === 'Date' ? value.iso : value
  const date = typeof text === 'string' ? canonicalDate(text) : null
  if (date === null || !isDatabaseTime(date))
    throw errors.badArgument(`'${name}' must be a date such as '2026-01-31T00:00:00.000Z'.`)
  return date
}

/** Parses comma-separated names. An empty list counts as absent. */
function classesOf(value: Json | undefined): string[] | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string')
    throw errors.badArgument("'classes' must be a string of class names separated by commas.")
  const names = value.split(',').map((name) => classOfPath(name.trim()))
  const wrong = names.find((name) => name !== '' && !isClassName(name))
  if (wrong !== undefined)
    throw errors.badArgument(`'classes' contains '${wrong.slice(0, 128)}', which is not a valid class name.`)
  const unique = [...new Set(names.filter((name) => name !== ''))]
  return unique.length > 0 ? unique : null
}

function flagOf(value: Json | undefined): boolean {
  if (value === true || value === 'true') return true
  if (value === undefined || value === null || value === false || value === 'false') return false
  throw errors.badArgument("'only-schema' must be 'true' or 'false'.")
}

function emailOf(value: Json | undefined): string | null {
  if (value === undefined || value === null) return null
  if (!isMailAddress(value)) throw errors.invalidEmail()
  return value
}
