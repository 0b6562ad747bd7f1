import { errors } from '../../errors.ts'
import { compareText, equalJson, isJsonObject, type Json, type JsonObject, member } from '../../values/json.ts'
import { chordBetween, inBox, longestChord, shortestChord } from './geo.ts'
import type { Path } from './path.ts'
import { foundIn } from './patterns/pattern.ts'
import type { Comparison, GeoPoint, Near, Ordered, Where } from './tree.ts'

/** An object as stored; times are canonical ISO texts, `data` holds the other fields. */
export interface StoredObject {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly data: JsonObject
}

/**
 * Returns whether an object meets a condition: `whereToSql` in memory, for live queries.
 * @example
 * matches(parseWhere({ tags: 'new' }), { ...object, data: { tags: ['new', 'hot'] } }) // true
 * @throws ApiError 102 for conditions on other objects (inner queries, `$relatedTo`), and for regular expressions that cannot run
 * in linear time
 */
export function matches(where: Where, object: StoredObject): boolean {
  switch (where.kind) {
    case 'and':
      return where.of.every((part) => matches(part, object))
    case 'or':
      return where.of.some((part) => matches(part, object))
    case 'not':
      return !matches(where.of, object)
    case 'relatedTo':
      throw unavailable('$relatedTo')
    case 'inQuery':
      throw unavailable('$inQuery')
    case 'select':
      throw unavailable('$select')
    default:
      return meets(where, reach(object, where.path))
  }
}

function unavailable(operator: string) {
  return errors.invalidQuery(`'${operator}' and its negation are not available in live queries.`)
}

/** Returns the values that a condition on a path compares, see `Where`. */
export function compared(object: StoredObject, path: Path): readonly Json[] {
  return candidatesOf(reach(object, path))
}

function candidatesOf(reached: readonly Json[]): readonly Json[] {
  return reached.flatMap((value) => (Array.isArray(value) ? [value, ...value] : [value]))
}

type ValueCondition = Exclude<Where, { of: unknown } | { kind: 'relatedTo' | 'inQuery' | 'select' }>

function meets(where: ValueCondition, reached: readonly Json[]): boolean {
  const candidates = candidatesOf(reached)
  switch (where.kind) {
    case 'equal':
      return equals(where.value, reached, candidates)
    case 'oneOf':
      return where.values.some((value) => equals(value, reached, candidates))
    case 'compare':
      return candidates.some((candidate) => compares(candidate, where.operator, where.value))
    case 'exists':
      return reached.length > 0
    case 'size':
      return reached.some((value) => Array.isArray(value) && value.length === where.size)
    case 'pattern':
      return candidates.some((candidate) => typeof candidate === 'string' && foundIn(where.pattern, candidate))
    case 'near':
      return candidates.some((candidate) => isGeoPoint(candidate) && isNear(where, candidate))
    case 'box':
      return candidates.some((candidate) => isGeoPoint(candidate) && inBox(where, candidate))
  }
}

/**
 * Returns the values that a path reaches: in an array, the members of its direct elements (protocol/storage, Where operators).
 */
function reach(object: StoredObject, [field, ...inner]: Path): readonly Json[] {
  const first = topLevel(object, field)
  return inner.reduce<readonly Json[]>(
    (values, segment) =>
      values
        .flatMap((value) => (Array.isArray(value) ? (value as readonly Json[]) : [value]))
        .flatMap((value) => (isJsonObject(value) ? present(member(value, segment)) : [])),
    // A system field has no members.
    inner.length > 0 ? present(member(object.data, field)) : present(first),
  )
}

function topLevel(object: StoredObject, field: string): Json | undefined {
  switch (field) {
    case 'objectId':
      return object.id
    case 'createdAt':
    case 'updatedAt':
      return { __type: 'Date', iso: object[field] }
    default:
      return member(object.data, field)
  }
}

function present(value: Json | undefined): readonly Json[] {
  return value === undefined ? [] : [value]
}

function equals(value: Json, reached: readonly Json[], candidates: readonly Json[]): boolean {
  if (value === null && reached.length === 0) return true
  return candidates.some((candidate) => equalJson(candidate, value))
}

/** Compares a value; values of another type than the operand's never match. */
function compares(candidate: Json, operator: Comparison, value: Ordered): boolean {
  const order = orderOf(candidate, value)
  if (order === null) return false
  switch (operator) {
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
}

function orderOf(candidate: Json, value: Ordered): number | null {
  if (typeof value === 'string') return typeof candidate === 'string' ? compareText(candidate, value) : null
  if (typeof value === 'object') {
    return isJsonObject(candidate) && candidate.__type === 'Date' ? compareText(String(candidate.iso), value.iso) : null
  }
  return typeof candidate === typeof value ? Number(candidate) - Number(value) : null
}

function isGeoPoint(value: Json): value is JsonObject & GeoPoint {
  return isJsonObject(value) && value.__type === 'GeoPoint'
}

function isNear(near: Near, point: GeoPoint): boolean {
  const distance = chordBetween(near.centre, point)
  return distance <= (longestChord(near) ?? Number.POSITIVE_INFINITY) && distance >= (shortestChord(near) ?? 0)
}
