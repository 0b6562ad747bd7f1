import { literal, raw, type Sql, sql } from '../../database/sql.ts'
import type { FieldType } from '../../values/typed.ts'
import type { Path } from './path.ts'

/**
 * The SQL expressions of fields. Conditions, ORDER BY and indexes all use these, because PostgreSQL uses an index on an
 * expression only for exactly that expression. Columns are not qualified, so they refer to the innermost class table.
 */

/**
 * Characters of a String that are indexed and compared first, at most 4 bytes each: a B-tree entry must stay below 2,700 bytes.
 */
export const KEY_LENGTH = 200

/** Returns the column of a system field, null for other fields. */
export function systemColumn(field: string): Sql | null {
  switch (field) {
    case 'objectId':
      return sql`id`
    case 'createdAt':
      return sql`created_at`
    case 'updatedAt':
      return sql`updated_at`
    default:
      return null
  }
}

/** Returns the value of a top-level field as jsonb; NULL when the object lacks it. */
export function valueExpression(field: string): Sql {
  return sql`(data->${literal(field)})`
}

/** Returns the value of a String field as text; NULL when it is null or missing. */
export function textExpression(field: string): Sql {
  return sql`(data->>${literal(field)})`
}

/** Returns the first 200 characters of a String field: its key in a B-tree index. */
export function textKeyExpression(field: string): Sql {
  return sql`left(data->>${literal(field)}, ${raw(String(KEY_LENGTH))})`
}

/** Returns the id that a Pointer or File field refers to, as text. */
export function referenceExpression(field: string, type: 'Pointer' | 'File'): Sql {
  return sql`(data->${literal(field)}->>${literal(type === 'File' ? 'id' : 'objectId')})`
}

/**
 * Returns a path as a literal of type jsonpath, in lax mode: in an array, it reaches the members of its direct elements
 * (protocol/storage, Where operators: dotted keys).
 * @param elements whether arrays that are reached are replaced by their elements
 */
export function jsonPath(path: Path, elements: boolean): Sql {
  return literal(`$${path.map((segment) => `.${JSON.stringify(segment)}`).join('')}${elements ? '[*]' : ''}`)
}

/** Returns the array of all values and elements that a path reaches; `@>` tests whether one of them equals a value. */
export function containmentExpression(path: Path, type: FieldType | undefined): Sql {
  if (path.length === 1 && type?.type === 'Array') return valueExpression(path[0])
  return sql`jsonb_path_query_array(data, ${jsonPath(path, true)})`
}

/** Returns the location of a GeoPoint field on the unit sphere. */
export function geoIndexExpression(field: string): Sql {
  return sql`homeport.geo_point(data->${literal(field)})`
}

/** Returns the B-tree key of a top-level field. */
export function keyExpression(field: string, type: FieldType | undefined): Sql {
  const column = systemColumn(field)
  if (column !== null) return column
  switch (type?.type) {
    case 'String':
      return textKeyExpression(field)
    case 'Pointer':
    case 'File':
      return referenceExpression(field, type.type)
    default:
      return valueExpression(field)
  }
}

/**
 * Returns the items of ORDER BY for a field or dotted path. Objects without the field are first when ascending and last when
 * descending, so that one index serves both directions.
 */
export function orderExpressions(
  path: readonly string[],
  type: FieldType | undefined,
  direction: 'ascending' | 'descending',
): readonly Sql[] {
  const suffix = sortDirection(path[0]!, direction === 'descending')
  return orderKeys(path as Path, type).map((key) => sql`${key} ${suffix}`)
}

/**
 * Returns the sort direction of a field, for ORDER BY and indexes. System fields are never missing, and the primary key's index
 * has no NULLS clause, so an order with one could not use it.
 */
export function sortDirection(field: string, descending: boolean): Sql {
  if (systemColumn(field) !== null) return raw(descending ? 'DESC' : 'ASC')
  return raw(descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST')
}

function orderKeys(path: Path, type: FieldType | undefined): readonly Sql[] {
  const [field] = path
  if (path.length > 1) return [sql`jsonb_path_query_first(data, ${jsonPath(path, false)})`]
  const key = keyExpression(field, type)
  return type?.type === 'String' && systemColumn(field) === null ? [key, textExpression(field)] : [key]
}

/** Returns the text after `CREATE INDEX … ON table` for equality, ranges and order of a top-level field. */
export function sortedIndex(field: string, type: FieldType | undefined): Sql {
  return sql`USING btree ((${keyExpression(field, type)}) ${sortDirection(field, false)})`
}

/** Returns the text after `CREATE INDEX … ON table` for equality with elements of an Array field or along a dotted path. */
export function containmentIndex(path: Path, type: FieldType | undefined): Sql {
  return sql`USING gin ((${containmentExpression(path, type)}) jsonb_path_ops)`
}

/** Returns the text after `CREATE INDEX … ON table` for `$nearSphere` and `$within`. */
export function geoIndex(field: string): Sql {
  return sql`USING gist ((${geoIndexExpression(field)}))`
}
