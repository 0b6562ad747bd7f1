import type { Json, JsonObject } from '../../values/json.ts'
import { isBuiltIn } from '../classes/built-in-classes.ts'
import type { Cursor } from './cursor.ts'
import { readAssigned, readField } from './fields.ts'
import { readClassName } from './select.ts'
import { readList } from './values.ts'

/** An `insert` of CQL. */
export interface Insert {
  readonly kind: 'insert'
  readonly className: string
  /** The body of each new object. */
  readonly bodies: readonly JsonObject[]
}

/** Each row is a statement of one transaction, which holds a connection meanwhile. */
const MAX_ROWS = 1000

/** Parses the text after `insert`. @throws ApiError 103, 300 */
export function readInsert(cursor: Cursor): Insert {
  cursor.expect('into')
  const className = readClassName(cursor)
  const columns = readColumns(cursor)
  cursor.expect('values')
  const bodies: JsonObject[] = []
  do {
    // They are created by endpoints of their own, with one commit each.
    if (bodies.length === 1 && isBuiltIn(className))
      cursor.refuse(cursor.token, `objects of ${className} must be inserted one at a time`)
    if (bodies.length === MAX_ROWS) cursor.refuse(cursor.token, `at most ${MAX_ROWS} objects can be inserted at once`)
    bodies.push(readRow(cursor, columns))
  } while (cursor.takes(','))
  return { kind: 'insert', className, bodies }
}

function readColumns(cursor: Cursor): string[] {
  const columns: string[] = []
  cursor.expect('(')
  if (cursor.takes(')')) return columns
  do columns.push(readField(cursor, columns))
  while (cursor.takes(','))
  cursor.expect(')')
  return columns
}

function readRow(cursor: Cursor, columns: readonly string[]): JsonObject {
  const { token } = cursor
  const values = readList(cursor, '(', ')', readAssigned)
  if (values.length !== columns.length)
    cursor.refuse(
      token,
      `the number of values must equal the number of fields; fields: ${columns.length}, values: ${values.length}`,
    )
  return Object.fromEntries(columns.map((column, index): [string, Json] => [column, values[index]!]))
}
