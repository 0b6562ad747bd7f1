import { errors } from '../../errors.ts'
import { type Json, parseJson } from '../../values/json.ts'
import { Cursor } from './cursor.ts'
import { readSelect, type Select } from './select.ts'

/** Characters of a CQL text. */
const MAX_LENGTH = 16 * 1024

/**
 * Reads a `select` of CQL (spec/rest-details, 13.6). Words of the language may be large or small. What the specification
 * leaves open is read as SQL has it.
 * @param values what its question marks stand for
 * @throws ApiError 300 with line and column, 103 for what can be no class
 */
export function parseSelect(text: string, values: readonly Json[]): Select {
  const cursor = open(text, values)
  if (!cursor.takes('select')) cursor.fail("'select', the only statement that is possible here,")
  const select = readSelect(cursor)
  if (cursor.token.kind !== 'end') cursor.fail("'where', 'order by', 'limit' or the end")
  return select
}

/** The values for question marks, a list or its JSON text; none when there is none. @throws ApiError 107, 300 */
export function parseValues(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null || value === '') return []
  const values = typeof value === 'string' ? parseJson(value, "The parameter 'pvalues'") : value
  if (!Array.isArray(values)) throw errors.invalidCql("The parameter 'pvalues' must be a list in JSON.")
  return values
}

function open(text: string, values: readonly Json[]): Cursor {
  if (text.length > MAX_LENGTH) throw errors.invalidCql(`It has ${text.length} characters, ${MAX_LENGTH} are allowed.`)
  return new Cursor(text, values)
}
