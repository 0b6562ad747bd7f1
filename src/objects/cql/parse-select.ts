import { errors } from '../../errors.ts'
import { type Json, parseJson } from '../../values/json.ts'
import { checkClassName } from '../../values/names.ts'
import { readCondition } from './conditions.ts'
import { Cursor } from './cursor.ts'
import type { Select } from './select.ts'
import { readNumber } from './values.ts'

/** Characters of a CQL text. */
const MAX_LENGTH = 16 * 1024

/**
 * Reads a `select` of CQL (spec/rest-details, 13.6). Words of the language may be large or small. What the specification
 * leaves open is read as SQL has it.
 * @param values what its question marks stand for
 * @throws ApiError 300 with line and column
 */
export function parseSelect(text: string, values: readonly Json[]): Select {
  if (text.length > MAX_LENGTH) throw errors.invalidCql(`It has ${text.length} characters, ${MAX_LENGTH} are allowed.`)
  const cursor = new Cursor(text, values)
  if (!cursor.isAt('select')) cursor.fail("'select', the only statement that is available,")
  cursor.take()
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

/** What stands behind the word `select`. */
function readSelect(cursor: Cursor): Select {
  const selected = readSelected(cursor)
  cursor.expect('from')
  const className = checkClassName(cursor.name('the name of a class'))
  const where = cursor.takes('where') ? readCondition(cursor, readSelect) : {}
  let order: string[] = []
  let page: Pick<Select, 'limit' | 'skip'> = { limit: null, skip: 0 }
  for (;;) {
    if (cursor.takesAll('order', 'by')) order = readOrder(cursor)
    else if (cursor.takes('limit')) page = readPage(cursor)
    else return { ...selected, className, where, order, ...page }
  }
}

/** `*`, fields, `include` with a pointer, and `count(…)`, separated by commas. */
function readSelected(cursor: Cursor): Pick<Select, 'keys' | 'include' | 'count' | 'objects'> {
  const keys: string[] = []
  const include: string[] = []
  let all = false
  let count = false
  do {
    if (cursor.takes('*')) all = true
    else if (cursor.takesAll('count', '(')) {
      if (!cursor.takes('*')) cursor.name("'*' or a field")
      cursor.expect(')')
      count = true
    } else if (cursor.takes('include')) include.push(cursor.name('the name of a pointer'))
    else keys.push(cursor.name("'*', a field or count(*)"))
  } while (cursor.takes(','))
  const objects = all || keys.length > 0 || include.length > 0
  return { keys: all ? [] : keys, include, count, objects }
}

function readOrder(cursor: Cursor): string[] {
  const order: string[] = []
  do {
    const field = cursor.name('a field')
    const descends = cursor.takes('desc')
    if (!descends) cursor.takes('asc')
    order.push(descends ? `-${field}` : field)
  } while (cursor.takes(','))
  return order
}

/** `limit 10`, or `limit 20, 10` with what is skipped in front. */
function readPage(cursor: Cursor): Pick<Select, 'limit' | 'skip'> {
  const first = readNumber(cursor, 'a number')
  if (!cursor.takes(',')) return { limit: first, skip: 0 }
  return { limit: readNumber(cursor, 'a number'), skip: first }
}
