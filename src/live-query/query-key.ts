import type { StoredObject } from '../objects/where/matches.ts'
import type { Where } from '../objects/where/tree.ts'
import { canonicalJson, type Json, member } from '../values/json.ts'

/** What an object must have to meet a condition: in this field one of these values, or an array that holds one. */
export interface QueryKey {
  readonly field: string
  readonly values: readonly string[]
}

/** A list of more values than this is no key: each would need an entry of its own. */
const MAX_VALUES = 100

/**
 * The keys that a condition could be found by: its equalities, alone or beside others. Those with null are none, for
 * objects without the field meet them; times that every write changes are none either.
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

/** The values by which conditions on a field of an object may be found; see `QueryKey`. */
export function valuesOf(object: StoredObject, field: string): ReadonlySet<string> {
  const value = field === 'objectId' ? object.id : member(object.data, field)
  if (value === undefined || value === null) return NONE
  const values = new Set([canonicalJson(value)])
  if (Array.isArray(value)) for (const element of value) values.add(canonicalJson(element))
  return values
}

const NONE: ReadonlySet<string> = new Set()
