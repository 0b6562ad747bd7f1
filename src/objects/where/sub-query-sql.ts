import { join, type Sql, sql } from '../../database/sql.ts'
import { jsonPath, orderExpressions, valueExpression } from './columns.ts'
import { nearOrder } from './geo-sql.ts'
import type { Path } from './path.ts'
import { timeText } from './system-field.ts'
import type { SubQuery } from './tree.ts'
import type { CompileWhere, WhereContext } from './where-context.ts'

/**
 * Returns a SELECT of the ids of the objects that an inner query finds; null when its class does not exist. Inner queries do not
 * refer to the outer one, so PostgreSQL runs each once, with its own limit (protocol/storage, Query parameters: order of
 * evaluation).
 */
export function selectIds(
  query: SubQuery,
  className: string,
  context: WhereContext,
  compile: CompileWhere,
): Sql | null {
  const found = rows(query, className, context, compile)
  return found && sql`SELECT id ${found}`
}

/** Returns a SELECT of the jsonb values that `key` reaches in the objects of an inner query, without nulls. */
export function selectValues(
  query: SubQuery,
  className: string,
  key: Path,
  context: WhereContext,
  compile: CompileWhere,
): Sql | null {
  const found = rows(query, className, context, compile)
  if (found === null) return null
  // Comparing with a field reveals its values as much as returning it would.
  context.typeOf(className, key[0])
  if (key.length === 1) {
    return sql`
      SELECT reached.value
      FROM (SELECT ${topLevelValue(key[0])} ${found}) AS reached(value)
      WHERE reached.value <> 'null'::jsonb`
  }
  return sql`
    SELECT reached.value
    FROM (SELECT data ${found}) AS result, jsonb_path_query(result.data, ${jsonPath(key, false)}) AS reached(value)
    WHERE reached.value <> 'null'::jsonb`
}

/** Returns FROM and the clauses after it; without an order, nearest first or by id. */
function rows(query: SubQuery, className: string, context: WhereContext, compile: CompileWhere): Sql | null {
  const table = context.table(className)
  if (table === null) return null
  return sql`
    FROM ${table}
    WHERE (${context.visible(className, 'find')}) AND ${compile(query.where, className, context)}
    ORDER BY ${order(query, className, context)}
    LIMIT ${query.limit}::bigint OFFSET ${query.skip}::bigint`
}

function order(query: SubQuery, className: string, context: WhereContext): Sql {
  const given = query.order.flatMap(({ path, descending }) =>
    orderExpressions(path, context.typeOf(className, path[0]), descending ? 'descending' : 'ascending'),
  )
  return given.length > 0 ? join([...given, sql`id`], ', ') : (nearOrder(query.where) ?? sql`id`)
}

function topLevelValue(field: string): Sql {
  switch (field) {
    case 'objectId':
      return sql`to_jsonb(id)`
    case 'createdAt':
    case 'updatedAt':
      return sql`jsonb_build_object('__type', 'Date', 'iso', ${timeText(field)})`
    default:
      return valueExpression(field)
  }
}
