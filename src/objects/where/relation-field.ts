import { type Sql, sql } from '../../database/sql.ts'
import { isJsonObject, type Json } from '../../values/json.ts'
import { targetId } from '../../values/typed.ts'
import { FALSE, type FieldSql, NO_FIELD, TRUE } from './field-sql.ts'
import { refersTo } from './reference-field.ts'

/**
 * Returns the SQL for a Relation field. It equals each Pointer that it contains, passed as the Pointer or as `{"members":
 * Pointer}` (protocol/storage, Where operators). Its members are in the relation table; every object of the class has the field.
 */
export function relationField(relations: Sql, owner: string, field: string, className: string): FieldSql {
  const contains = (condition: Sql) => sql`id IN (
    SELECT owner_id
    FROM ${relations}
    WHERE owner_class = ${owner}::text AND field = ${field}::text AND related_id ${condition})`
  const memberIds = (values: readonly Json[]) =>
    values
      .map(memberOf)
      .filter((value) => refersTo({ type: 'Pointer', className }, value))
      .map(targetId)
  const containsOneOf = (ids: readonly string[]) => (ids.length === 0 ? FALSE : contains(sql`= ANY(${ids}::text[])`))
  return {
    ...NO_FIELD,
    equal: (value) => containsOneOf(memberIds([value])),
    oneOf: (values) => containsOneOf(memberIds(values)),
    exists: () => TRUE,
    pointsTo: (target, ids) => (target === className ? contains(sql`IN (${ids})`) : FALSE),
  }
}

function memberOf(value: Json): Json {
  return isJsonObject(value) && isJsonObject(value.members) ? value.members : value
}
