import { errors } from '../../errors.ts'
import { type Json, parseJson } from '../../values/json.ts'
import { Cursor } from './cursor.ts'
import { type Delete, readDelete } from './delete.ts'
import { type Insert, readInsert } from './insert.ts'
import { readSelect } from './select.ts'
import type { Select } from './selection.ts'
import { readUpdate, type Update } from './update.ts'

export type Statement = Select | Insert | Update | Delete

/** Maximum characters of a CQL text. */
const MAX_LENGTH = 16 * 1024

/**
 * Parses a CQL statement (protocol/storage, CQL). Keywords are case-insensitive. Where the specification is silent, the grammar
 * follows SQL.
 * @example
 * // { kind: 'select', className: 'Post', keys: ['title'], where: { score: { $gt: 5 } }, limit: 10, … }
 * parseStatement('select title from Post where score > ? limit 10', [5])
 * @param values the values of its question marks
 * @throws ApiError 300 with line and column, 103 for an invalid class name, 104 for an invalid id
 */
export function parseStatement(text: string, values: readonly Json[]): Statement {
  const cursor = open(text, values)
  if (cursor.takes('select')) return ended(cursor, readSelect(cursor))
  if (cursor.takes('insert')) return ended(cursor, readInsert(cursor))
  if (cursor.takes('update')) return ended(cursor, readUpdate(cursor))
  if (cursor.takes('delete')) return ended(cursor, readDelete(cursor))
  return cursor.fail("'select', 'insert', 'update' or 'delete'")
}

/** Parses a CQL statement where only a `select` is allowed. @throws as `parseStatement` */
export function parseSelect(text: string, values: readonly Json[]): Select {
  const cursor = open(text, values)
  if (!cursor.takes('select')) cursor.fail("'select', the only statement that is allowed here")
  return ended(cursor, readSelect(cursor))
}

/** Parses the values of question marks, a list or its JSON text; empty when omitted. @throws ApiError 107, 300 */
export function parseValues(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null || value === '') return []
  // The Python SDK encodes a list twice (protocol/conventions, Requests).
  const values = decoded(decoded(value))
  if (!Array.isArray(values)) throw errors.invalidCql("The parameter 'pvalues' must be a list in JSON.")
  return values
}

function decoded(value: unknown): unknown {
  return typeof value === 'string' ? parseJson(value, "The parameter 'pvalues'") : value
}

function open(text: string, values: readonly Json[]): Cursor {
  if (text.length > MAX_LENGTH)
    throw errors.invalidCql(`The statement has ${text.length} characters; the maximum is ${MAX_LENGTH}.`)
  return new Cursor(text.replace(/[;\s]+$/, ''), values)
}

function ended<Read extends Statement>(cursor: Cursor, statement: Read): Read {
  if (cursor.token.kind === 'end') return statement
  return cursor.fail(statement.kind === 'select' ? "'where', 'order by', 'limit' or the end" : 'the end')
}
