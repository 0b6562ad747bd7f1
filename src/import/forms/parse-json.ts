import { type Json, MAX_VALUES, MAX_WIRE_DEPTH, parseJson } from '../../values/json.ts'

/** Maximum values and names in a record, nested ones included: as many as an object of 16 MB that an app stores. */
export const MAX_RECORD_VALUES = 10 * MAX_VALUES

/** Maximum nesting of a record. A stored object has a lower maximum. */
export const MAX_RECORD_DEPTH = MAX_WIRE_DEPTH

/**
 * Parses JSON of a file. A text of empty lists takes fifty times its size when parsed, so one with too many values is rejected
 * before parsing.
 * @throws Error when it is not JSON, is nested too deeply or has too many values
 */
export function jsonOfFile(text: string): Json {
  return parseJson(text, 'The text', MAX_RECORD_VALUES) as Json
}

/** Returns whether a text is JSON that `jsonOfFile` accepts. */
export function isJsonOfFile(text: string): boolean {
  try {
    jsonOfFile(text)
    return true
  } catch {
    return false
  }
}
