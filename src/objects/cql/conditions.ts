import type { Json, JsonObject } from '../../values/json.ts'
import type { Cursor } from './cursor.ts'
import { readNear } from './near.ts'
import type { Select } from './selection.ts'
import { readList, readNumber, readPoint, readValue } from './values.ts'

/** Parses a `select` in parentheses. It is passed in, because the parsers of statements and conditions need each other. */
export type ReadSelect = (cursor: Cursor) => Select

const COMPARISONS: { readonly [sign: string]: string } = {
  '=': '$eq',
  '!=': '$ne',
  '<>': '$ne',
  '<': '$lt',
  '<=': '$lte',
  '>': '$gt',
  '>=': '$gte',
}

/** Parses the condition after `where` into the `where` of a class query. @throws ApiError 300 */
export function readCondition(cursor: Cursor, select: ReadSelect): JsonObject {
  const parts: JsonObject[] = []
  do parts.push(readConjunction(cursor, select))
  while (cursor.takes('or'))
  return parts.length === 1 ? parts[0]! : { $or: parts }
}

function readConjunction(cursor: Cursor, select: ReadSelect): JsonObject {
  const parts: JsonObject[] = []
  do parts.push(readPart(cursor, select))
  while (cursor.takes('and'))
  return allOf(parts)
}

/**
 * Joins conditions with AND: as keys of one object, because `$nearSphere` must not be below `$and`; a repeated key needs `$and`
 * anyway.
 */
function allOf(parts: readonly JsonObject[]): JsonObject {
  const merged = new Map<string, Json>()
  const others: JsonObject[] = []
  for (const part of parts) {
    if (Object.keys(part).some((key) => merged.has(key))) others.push(part)
    else for (const [key, test] of Object.entries(part)) merged.set(key, test)
  }
  const one = Object.fromEntries(merged)
  return others.length === 0 ? one : { $and: [one, ...others] }
}

function readPart(cursor: Cursor, select: ReadSelect): JsonObject {
  if (cursor.takes('(')) {
    const condition = cursor.inside(() => readCondition(cursor, select))
    cursor.expect(')')
    return condition
  }
  // A field may be named `related`.
  if (cursor.isAt('to', 2) && cursor.takes('related')) {
    const key = cursor.name('the name of a relation')
    cursor.expect('to')
    return { $relatedTo: { object: readValue(cursor), key } }
  }
  if (cursor.isAt('(', 1) && cursor.takes('size')) return readSize(cursor)
  const field = cursor.name('a field')
  return { [field]: readTest(cursor, select) }
}

function readTest(cursor: Cursor, select: ReadSelect): JsonObject {
  const comparison = COMPARISONS[cursor.token.text]
  if (comparison && cursor.token.kind === 'sign') {
    cursor.take()
    if ((comparison === '$eq' || comparison === '$ne') && cursor.isAt('(') && cursor.isAt('select', 1))
      return readIn(cursor, select, comparison === '$ne')
    return { [comparison]: readValue(cursor) }
  }
  if (cursor.takes('in')) return readIn(cursor, select, false)
  if (cursor.takesAll('not', 'in')) return readIn(cursor, select, true)
  if (cursor.takes('like')) return { $regex: patternOf(readText(cursor)) }
  if (cursor.takesAll('not', 'like')) return { $not: { $regex: patternOf(readText(cursor)) } }
  if (cursor.takes('regexp')) return { $regex: readText(cursor) }
  if (cursor.takesAll('not', 'regexp')) return { $not: { $regex: readText(cursor) } }
  if (cursor.takes('all')) return { $all: readValues(cursor) }
  if (cursor.takes('is')) return readPresence(cursor)
  if (cursor.takes('near')) return readNear(cursor)
  if (cursor.takes('within')) {
    const southwest = readPoint(cursor)
    cursor.expect('and')
    return { $within: { $box: [southwest, readPoint(cursor)] } }
  }
  return cursor.fail('a comparison')
}

/** Parses `size(<field>) = 2`, a condition on the number of elements of an array. */
function readSize(cursor: Cursor): JsonObject {
  cursor.expect('(')
  const field = cursor.name('a field')
  cursor.expect(')')
  cursor.expect('=')
  return { [field]: { $size: readNumber(cursor, 'a number of elements') } }
}

/** Parses `in (1, 2)`, `in ?`, or `in (select …)`, which compares with the values of one field or with the objects. */
function readIn(cursor: Cursor, select: ReadSelect, not: boolean): JsonObject {
  if (!cursor.takesAll('(', 'select')) return { [not ? '$nin' : '$in']: readValues(cursor) }
  const { className, where, order, limit, skip, keys, count } = cursor.inside(() => select(cursor))
  if (count || keys.length > 1) cursor.fail("'*' or one field in the inner select")
  cursor.expect(')')
  const query = { className, where, order: order.join(','), skip, ...(limit !== null && { limit }) }
  const [key] = keys
  return key === undefined
    ? { [not ? '$notInQuery' : '$inQuery']: query }
    : { [not ? '$dontSelect' : '$select']: { query, key } }
}

function readValues(cursor: Cursor): Json {
  return cursor.isAt('?') || cursor.isAt('[') ? readValue(cursor) : readList(cursor, '(', ')')
}

function readText(cursor: Cursor): string {
  const value = cursor.isAt('?') || cursor.token.kind === 'text' ? readValue(cursor) : null
  return typeof value === 'string' ? value : cursor.fail('a string')
}

/** Parses `exists`, `not exists`, and, as in SQL, `null` and `not null`. */
function readPresence(cursor: Cursor): JsonObject {
  const not = cursor.takes('not')
  if (cursor.takes('exists')) return { $exists: !not }
  cursor.expect('null')
  return { $exists: not }
}

/** Converts a LIKE pattern: `%` matches any text, `_` any character. */
function patternOf(like: string): string {
  const pattern = like
    .replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replaceAll('%', '[\\s\\S]*')
    .replaceAll('_', '[\\s\\S]')
  return `^${pattern}$`
}
