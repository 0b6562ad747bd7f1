import { errors } from '../../errors.ts'
import { isJsonObject } from '../../values/json.ts'
import { checkClassName } from '../../values/names.ts'
import { parseOrder } from './order.ts'
import { insideSubQuery, type ParseContext } from './parse-context.ts'
import { type Path, parsePath, showPath } from './path.ts'
import type { SubQuery, Where } from './tree.ts'

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000
const INTEGER = /^\d{1,9}$/

/** Parses `$inQuery`: without `className`, the class is that of the pointer field (protocol/storage, Where operators). */
export function parseInQuery(path: Path, operator: string, wire: unknown, context: ParseContext): Where {
  return { kind: 'inQuery', path, query: parseSubQuery(path, operator, wire, context) }
}

/** Parses `$select`: a `query`, and the `key` whose values it returns (protocol/storage, Where operators). */
export function parseSelect(path: Path, operator: string, wire: unknown, context: ParseContext): Where {
  if (!isJsonObject(wire) || typeof wire.key !== 'string') {
    throw errors.invalidQuery(`'${operator}' of '${showPath(path)}' needs 'query', an inner query, and 'key', a field.`)
  }
  const query = parseSubQuery(path, operator, wire.query, context)
  if (query.className === null) {
    throw errors.invalidQuery(`The 'query' of '${operator}' of '${showPath(path)}' needs a 'className'.`)
  }
  const key = parsePath(wire.key)
  if (key[0] === 'ACL') throw errors.invalidQuery(`'${operator}' of '${showPath(path)}' must not have 'ACL' as 'key'.`)
  return { kind: 'select', path, query, key }
}

/**
 * Parses an inner query. Members that do not select objects (`keys`, `include`, `returnACL`, …) are ignored, as in an outer
 * query.
 */
function parseSubQuery(path: Path, operator: string, wire: unknown, context: ParseContext): SubQuery {
  if (!isJsonObject(wire)) {
    throw errors.invalidQuery(`'${operator}' of '${showPath(path)}' must be an inner query of 'className' and 'where'.`)
  }
  const { className, order } = wire
  if (order !== undefined && order !== null && typeof order !== 'string') {
    throw errors.invalidQuery(
      `The 'order' of '${operator}' of '${showPath(path)}' must be a string such as 'name,-createdAt'.`,
    )
  }
  return {
    className: className === undefined || className === null ? null : checkClassName(className),
    where: context.parseQuery(wire.where, insideSubQuery(context)),
    order: parseOrder(order ?? ''),
    limit: subQueryLimit(wire.limit),
    skip: subQuerySkip(wire.skip, `'${operator}' of '${showPath(path)}'`),
  }
}

/** Returns the limit: default 100; values outside 1–1000 become 100 (protocol/storage, Query parameters: limit). */
function subQueryLimit(wire: unknown): number {
  const limit = integerOf(wire)
  return limit !== null && limit >= 1 && limit <= MAX_LIMIT ? limit : DEFAULT_LIMIT
}

function subQuerySkip(wire: unknown, path: string): number {
  if (wire === undefined || wire === null) return 0
  const skip = integerOf(wire)
  if (skip === null) throw errors.invalidQuery(`The 'skip' of ${path} must be an integer of 0 or more.`)
  return skip
}

/** Returns a whole number, which may be a text as in a URL; null otherwise. */
function integerOf(wire: unknown): number | null {
  const text = typeof wire === 'number' ? String(wire) : wire
  return typeof text === 'string' && INTEGER.test(text) ? Number(text) : null
}
