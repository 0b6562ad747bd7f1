import { type Sql, sql } from '../../database/sql.ts'
import { isJsonObject, type Json } from '../../values/json.ts'
import { targetId } from '../../values/typed.ts'
import { referenceExpression, valueExpression } from './columns.ts'
import { FALSE, type FieldSql, NO_FIELD } from './field-sql.ts'

/** The class whose records File values refer to. */
const FILE_CLASS = '_File'

/** The type of a reference. The field's type already determines it, so only the id is compared. */
export interface ReferenceType {
  readonly type: 'Pointer' | 'File'
  readonly className: string
}

export function fileType(): ReferenceType {
  return { type: 'File', className: FILE_CLASS }
}

/** Returns the SQL for a Pointer or File field. */
export function referenceField(field: string, type: ReferenceType): FieldSql {
  const id = referenceExpression(field, type.type)
  return {
    ...NO_FIELD,
    equal: (value) => (refersTo(type, value) ? sql`${id} = ${targetId(value)}::text` : FALSE),
    isNull: () => sql`${id} IS NULL`,
    oneOf: (values) => oneOf(id, values.filter((value) => refersTo(type, value)).map(targetId)),
    exists: () => sql`${valueExpression(field)} IS NOT NULL`,
    pointsTo: (className, ids) => (className === type.className ? isAmong(id, ids) : FALSE),
    among: (values) => sql`${id} IN (${idsAmong(values, type)})`,
  }
}

function oneOf(id: Sql, ids: readonly string[]): Sql {
  return ids.length === 0 ? FALSE : sql`${id} = ANY(${ids}::text[])`
}

/** The column `id` has the collation "C". A comparison by it could not use the index, which has the default collation. */
function isAmong(id: Sql, ids: Sql): Sql {
  return sql`${id} IN (SELECT found.id COLLATE "default" FROM (${ids}) AS found(id))`
}

/** Returns whether a value is a reference of this type. A Pointer to another class is not. */
export function refersTo(type: ReferenceType, value: Json): value is { readonly [key: string]: Json } {
  if (!isJsonObject(value) || value.__type !== type.type) return false
  return type.type === 'File' || value.className === type.className
}

/** Returns the ids of those values that are references of this type. */
function idsAmong(values: Sql, type: ReferenceType): Sql {
  return type.type === 'File'
    ? sql`SELECT given.value->>'id' FROM (${values}) AS given(value) WHERE given.value->>'__type' = 'File'`
    : sql`
      SELECT given.value->>'objectId'
      FROM (${values}) AS given(value)
      WHERE given.value->>'__type' = 'Pointer' AND given.value->>'className' = ${type.className}::text`
}
