import type { Json, JsonObject } from '../../values/json.ts'
import type { Cursor } from './cursor.ts'
import { readAssigned, readField } from './fields.ts'
import { readClassName } from './select.ts'
import { readTarget, type Target } from './target.ts'

/** An `update` of one object in CQL. */
export interface Update extends Target {
  readonly kind: 'update'
  readonly className: string
  /** The body that changes it. */
  readonly body: JsonObject
}

/** Parses the text after `update`. @throws ApiError 103, 104, 300 */
export function readUpdate(cursor: Cursor): Update {
  const className = readClassName(cursor)
  cursor.expect('set')
  const fields: string[] = []
  const values: Json[] = []
  do {
    fields.push(readField(cursor, fields))
    cursor.expect('=')
    values.push(readAssigned(cursor))
  } while (cursor.takes(','))
  const body = Object.fromEntries(fields.map((field, index): [string, Json] => [field, values[index]!]))
  return { kind: 'update', className, body, ...readTarget(cursor) }
}
