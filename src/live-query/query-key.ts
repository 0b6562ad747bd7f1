import type { StoredObject } from '../objects/where/matches.ts'
import type { Where } from '../objects/where/tree.ts'
import { canonicalJson, type Json, member } from '../values/json.ts'

/** A necessary condition of a query: the field has one of these values, or an array that contains one. */
export interface QueryKey {
  readonly field: string
  readonly values: readonly string[]
}

/** Longer lists are not used as keys, because each value needs an entry of its own. */
const MAX_VALUES = 100

/**
 * Returns the possible keys of a condition: its equalities, alone or in a conjunction. Equalities with null are excluded, because
 * objects without the field match them, and so are times that every write changes.
 */
export function keysOf(where: Where): QueryKey[] {
  switch (where.kind) {
    case 'and':
      return where.of.flatMap(keysOf)
    case 'equal':
      return keyOf(where.path, [where.value])
    case 'oneOf':
      return keyOf(where.path, where.values)
    default:
      return []
  }
}

function keyOf(path: readonly string[], values: readonly Json[]): QueryKey[] {
  const [field] = path
  if (path.length > 1 || field === 'createdAt' || field === 'updatedAt') return []
  if (values.length === 0 || values.length > MAX_VALUES || values.includes(null)) return []
  return [{ field: field!, values: [...new Set(values.map(canonicalJson))] }]
}

/** Returns the values of a field that find conditions on it; see `QueryKey`. */
export function valuesOf(object: StoredObject, field: string): ReadonlySet<string> {
  const value = field === 'objectId' ? object.id : member(object.data, field)
  if (value === undefined || value === null) return NONE
  const values = new Set([canonicalJson(value)])
  if (Array.isArray(value)) for (const element of value) values.add(canonicalJson(element))
  return values
}

const NONE: ReadonlySet<string> = new Set()
