import { errors } from '../../errors.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import { checkClassName, checkKeyName, isObjectId } from '../../values/names.ts'
import { operand } from './operand.ts'
import { count, deeper, outermost, type ParseContext } from './parse-context.ts'
import { parseOperators } from './parse-operators.ts'
import { parsePath } from './path.ts'
import { allOf, type Where } from './tree.ts'

/**
 * Parses a condition from decoded JSON (protocol/storage, Query parameters: where; Where operators). A list of conditions is
 * joined by AND; undefined and null mean no condition.
 * @example
 * parseWhere({ score: { $gt: 10 } }) // { kind: 'compare', path: ['score'], operator: '>', value: 10 }
 * @throws ApiError, mostly 102, that names the invalid field and what is allowed
 */
export function parseWhere(wire: unknown): Where {
  return parseQuery(wire, outermost(parseQuery))
}

/** Parses the condition of a whole query, outer or inner: an object, or a list of them. */
function parseQuery(wire: unknown, context: ParseContext): Where {
  if (wire === undefined || wire === null) return allOf([])
  const conditions = Array.isArray(wire) ? wire : [wire]
  const where = allOf(conditions.map((condition) => parseCondition(condition, context)))
  if (countNear(where) > 1) throw errors.invalidQuery("A query must have at most one '$nearSphere'.")
  return where
}

function parseCondition(wire: unknown, context: ParseContext): Where {
  if (!isJsonObject(wire)) throw errors.invalidQuery("'where' must be a JSON object of keys and values.")
  return allOf(Object.keys(wire).map((key) => parseEntry(key, wire[key], deeper(context))))
}

function parseEntry(key: string, value: unknown, context: ParseContext): Where {
  count(context, 1)
  switch (key) {
    case '$or':
      return { kind: 'or', of: parseMembers(key, value, context) }
    case '$and':
      return allOf(parseMembers(key, value, context))
    case '$relatedTo':
      return parseRelatedTo(value)
    default:
      return key.startsWith('$') ? refuseKey(key) : parseField(key, value, context)
  }
}

function refuseKey(key: string): never {
  throw errors.invalidQuery(
    `'${key.slice(0, 40)}' cannot be used in place of a field; only '$or', '$and' and '$relatedTo' can.`,
  )
}

function parseMembers(key: string, value: unknown, context: ParseContext): Where[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw errors.invalidQuery(`'${key}' must be a list of at least one condition.`)
  }
  const inside: ParseContext = { ...context, nearSphere: false }
  return value.map((condition) => parseCondition(condition, inside))
}

/**
 * Parses the condition on a field: a plain value means equality, an object of `$` keys is a set of operators (protocol/storage,
 * Query parameters: where).
 */
function parseField(key: string, value: unknown, context: ParseContext): Where {
  const path = parsePath(key)
  if (path[0] === 'ACL') throw errors.invalidQuery("The field 'ACL' cannot be queried.")
  if (isJsonObject(value) && hasOperators(value, key)) return parseOperators(path, value, context)
  return { kind: 'equal', path, value: operand(path, value) }
}

function hasOperators(value: JsonObject, key: string): boolean {
  const keys = Object.keys(value)
  const operators = keys.filter((name) => name.startsWith('$'))
  if (operators.length > 0 && operators.length < keys.length) {
    throw errors.invalidQuery(`The condition on '${key}' mixes operators such as '${operators[0]}' with plain keys.`)
  }
  return operators.length > 0
}

/** Parses a condition on membership in a relation (protocol/storage, Where operators: `$relatedTo`). */
function parseRelatedTo(value: unknown): Where {
  const object = isJsonObject(value) ? value.object : undefined
  if (!isJsonObject(value) || !isJsonObject(object) || typeof value.key !== 'string' || !isObjectId(object.objectId)) {
    throw errors.invalidQuery("'$relatedTo' needs 'object', a Pointer, and 'key', the name of a relation field.")
  }
  return {
    kind: 'relatedTo',
    className: checkClassName(object.className),
    objectId: object.objectId,
    field: checkKeyName(value.key),
  }
}

function countNear(where: Where): number {
  if (where.kind === 'near') return 1
  return where.kind === 'and' ? where.of.reduce((count, part) => count + countNear(part), 0) : 0
}
