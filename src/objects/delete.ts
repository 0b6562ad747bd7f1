import type { Executor } from '../database/pool.ts'
import { raw, type Sql, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import { writableBy } from './acl.ts'
import type { Caller } from './caller.ts'
import type { ClassSchema } from './class-schema.ts'
import { checkPermission } from './permissions.ts'
import { noteWrite, type ObjectStore, whereContext, writerOf } from './store.ts'
import { whereToSql } from './where/to-sql.ts'
import type { Where } from './where/tree.ts'

/**
 * Deletes an object, with its relations, if the ACL allows it and the condition is met. Deleting what does not exist
 * succeeds (spec/rest-details, 5), unless there is a condition, which then fails.
 * @param transaction the delete becomes part of it
 * @throws ApiError 305 when the condition fails, 403
 */
export async function deleteObject(
  store: ObjectStore,
  className: string,
  id: string,
  where: Where | null,
  caller: Caller,
  transaction?: Executor,
): Promise<void> {
  const schema = await store.classes.lookUp(className)
  if (!schema) {
    if (where) throw errors.noEffect()
    return
  }
  checkPermission(className, schema.permissions, 'delete', caller)
  const writable = writableBy(writerOf(store, className, id, caller))
  const condition = where && whereToSql(where, className, whereContext(store, caller))
  const executor = transaction ?? store.database
  const [row] = await executor.query(deleteStatement(store, schema, id, writable, condition))
  if (row) noteWrite(store, className)
  else await explainNoEffect(executor, schema, id, writable, where !== null)
}

function deleteStatement(
  store: ObjectStore,
  schema: ClassSchema,
  id: string,
  writable: Sql,
  condition: Sql | null,
): Sql {
  const remove = sql`
    DELETE FROM ${schema.table}
    WHERE id = ${id} AND ${writable} ${condition ? sql`AND ${condition}` : raw('')}
    RETURNING id`
  if (schema.relationFields.length === 0) return remove
  return sql`
    WITH object AS (${remove}), members AS (
      DELETE FROM ${store.relations} AS relation
      USING object
      WHERE relation.owner_class = ${schema.name}
        AND relation.field = ANY(${schema.relationFields.map((field) => field.name)}::text[])
        AND relation.owner_id = object.id
    )
    SELECT id FROM object`
}

async function explainNoEffect(
  executor: Executor,
  schema: ClassSchema,
  id: string,
  writable: Sql,
  conditional: boolean,
): Promise<void> {
  const [row] = await executor.query(sql`SELECT ${writable} AS writable FROM ${schema.table} WHERE id = ${id}`)
  if (row && !row.writable) throw errors.writeForbidden(id)
  if (conditional) throw errors.noEffect()
}
