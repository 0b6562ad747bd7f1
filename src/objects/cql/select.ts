import { checkClassName } from '../../values/names.ts'
import { classOfPath } from '../classes/built-in-classes.ts'
import type { Parameters } from '../query-parameters.ts'
import { readCondition } from './conditions.ts'
import type { Cursor } from './cursor.ts'
import { readOrder } from './order.ts'
import type { Select } from './selection.ts'
import { readNumber } from './values.ts'

/** Returns the parameters of the equivalent class query. */
export function parametersOf({ where, keys, include, order, limit, skip, count, objects }: Select): Parameters {
  return {
    where,
    keys: keys.join(','),
    include: include.join(','),
    order: order.join(','),
    limit: objects ? limit : 0,
    skip,
    count,
  }
}

/** Parses the text after `select`. @throws ApiError 103, 300 */
export function readSelect(cursor: Cursor): Select {
  const selected = readSelected(cursor)
  cursor.expect('from')
  const className = readClassName(cursor)
  const where = cursor.takes('where') ? readCondition(cursor, readSelect) : {}
  let order: string[] = []
  let page: Pick<Select, 'limit' | 'skip'> = { limit: null, skip: 0 }
  for (;;) {
    if (cursor.takesAll('order', 'by')) order = readOrder(cursor)
    else if (cursor.takes('limit')) page = readPage(cursor)
    else return { kind: 'select', ...selected, className, where, order, ...page }
  }
}

/** Parses the name of a class. @throws ApiError 103, 300 */
export function readClassName(cursor: Cursor): string {
  return checkClassName(classOfPath(cursor.name('the name of a class')))
}

/** Parses `*`, fields, `include` with a pointer, and `count(…)`, separated by commas. */
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

/** Parses `limit 10`, or `limit 20, 10` with the number of objects to skip first. */
function readPage(cursor: Cursor): Pick<Select, 'limit' | 'skip'> {
  const first = readNumber(cursor, 'a number')
  if (!cursor.takes(',')) return { limit: first, skip: 0 }
  return { limit: readNumber(cursor, 'a number'), skip: first }
}
