import { literal, raw, type Sql, sql } from '../../database/sql.ts'
import type { FieldType } from '../../values/typed.ts'
import type { Path } from './path.ts'

/**
 * Which SQL expression stands for a field. Conditions, ORDER BY and indexes all take theirs from here, because
 * PostgreSQL uses an index on an expression only for that very expression. Columns are not qualified, so these
 * expressions speak of the innermost class table around them.
 */

/**
 * A b-tree entry has to stay below 2 700 bytes, so String fields are indexed and compared by this many characters
 * first, at most 4 bytes each.
 */
export const KEY_LENGTH = 200

/** The column of a system field, null for other fields. */
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

/** The value of a top-level field as jsonb; NULL when the object lacks it. */
export function valueExpression(field: string): Sql {
  return sql`(data->${literal(field)})`
}

/** The value of a String field as text; NULL when it is null or missing. */
export function textExpression(field: string): Sql {
  return sql`(data->>${literal(field)})`
}

/** The first 200 characters of a String field: its key in a b-tree index. */
export function textKeyExpression(field: string): Sql {
  return sql`left(data->>${literal(field)}, ${raw(String(KEY_LENGTH))})`
}

/** The id that a Pointer or File field refers to, as text. */
export function referenceExpression(field: string, type: 'Pointer' | 'File'): Sql {
  return sql`(data->${literal(field)}->>${literal(type === 'File' ? 'id' : 'objectId')})`
}

/**
 * What a path reaches, as a literal of type jsonpath, in lax mode: of an array, the members of its direct elements
 * (protocol/storage, Where operators: dotted keys).
 * @param elements true to take apart the arrays that are reached
 */
export function jsonPath(path: Path, elements: boolean): Sql {
  return literal(`$${path.map((segment) => `.${JSON.stringify(segment)}`).join('')}${elements ? '[*]' : ''}`)
}

/** The array of all values and elements that a path reaches; contains what equals the path by `@>`. */
export function containmentExpression(path: Path, type: FieldType | undefined): Sql {
  if (path.length === 1 && type?.type === 'Array') return valueExpression(path[0])
  return sql`jsonb_path_query_array(data, ${jsonPath(path, true)})`
}

/** The place of a GeoPoint field on the unit sphere. */
export function geoIndexExpression(field: string): Sql {
  return sql`homeport.geo_point(data->${literal(field)})`
}

/** What a b-tree index on a top-level field holds. */
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
 * The items of ORDER BY for a field or dotted path. Objects without the field come before all others when ascending
 * and after them when descending, so that one index serves both directions.
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
 * How a field is sorted, in ORDER BY and in indexes alike. System fields are never missing, and the index of the primary
 * key has no word on missing values: an order that had one could not use it.
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

/** What follows `CREATE INDEX … ON table` for equality, ranges and order of a top-level field. */
export function sortedIndex(field: string, type: FieldType | undefined): Sql {
  return sql`USING btree ((${keyExpression(field, type)}) ${sortDirection(field, false)})`
}

/** What follows `CREATE INDEX … ON table` for equality with elements of an Array field or along a dotted path. */
export function containmentIndex(path: Path, type: FieldType | undefined): Sql {
  return sql`USING gin ((${containmentExpression(path, type)}) jsonb_path_ops)`
}

/** What follows `CREATE INDEX … ON table` for `$nearSphere` and `$within`. */
export function geoIndex(field: string): Sql {
  return sql`USING gist ((${geoIndexExpression(field)}))`
}
