import { type Json, MAX_VALUES, MAX_WIRE_DEPTH, parseJson } from '../../values/json.ts'

/** Values and names that a record may have, with those within others: as many as an object of 16 MB that an app stores. */
export const MAX_RECORD_VALUES = 10 * MAX_VALUES

/** How deep they may lie; an object that is stored may have fewer levels. */
export const MAX_RECORD_DEPTH = MAX_WIRE_DEPTH

/**
 * Parses JSON of a file. A text of empty lists takes fifty times its size as values, so what has too many is refused unparsed.
 * @throws Error when it is no JSON, is nested too deeply or has too many values
 */
export function jsonOfFile(text: string): Json {
  return parseJson(text, 'The text', MAX_RECORD_VALUES) as Json
}
