import { isJsonObject, type Json } from '../../values/json.ts'
import type { Cursor } from './cursor.ts'
import { readArguments, readValue } from './values.ts'

/**
 * Parses a field of a write, which may be named once; it may be a path into an Object value: `profile.city`. @throws ApiError 300
 */
export function readField(cursor: Cursor, earlier: readonly string[]): string {
  const { token } = cursor
  const field = cursor.name('a field')
  return earlier.includes(field) ? cursor.refuse(token, `the field '${field.slice(0, 40)}' occurs twice`) : field
}

/**
 * Parses what a field is set to: a value, or `op('<name>', {<parameters>})`, an operation on its current value. @throws ApiError
 * 300
 */
export function readAssigned(cursor: Cursor): Json {
  if (!cursor.isAt('op') || !cursor.isAt('(', 1)) return readValue(cursor)
  const { token } = cursor
  const [name, parameters = {}] = readArguments(cursor, 1, 2)
  if (typeof name !== 'string' || !isJsonObject(parameters))
    return cursor.refuse(
      token,
      "'op(…)' must have the name of an operation and, optionally, an object of its parameters",
    )
  return { ...parameters, __op: name }
}
