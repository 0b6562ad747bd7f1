import type { Executor } from '../../database/pool.ts'
import type { Row } from '../../database/row.ts'
import { raw, type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { writableBy } from '../access/acl.ts'
import type { Caller } from '../access/caller.ts'
import { hasHook, isObserved } from '../access/hooks.ts'
import { checkPermission } from '../access/permissions.ts'
import type { ClassSchema } from '../classes/class-schema.ts'
import { withCurrentClasses } from '../classes/classes.ts'
import { noteWrite, type ObjectStore, writeCondition, writerOf } from '../store.ts'
import type { Where } from '../where/tree.ts'
import { callBeforeDelete, notifyWritten, OBSERVED_COLUMNS } from './hooked-writes.ts'

/**
 * Deletes an object and its relations, if the ACL allows it and the condition is met. Deleting an object that does not exist
 * succeeds (protocol/storage, Objects), but fails if there is a condition.
 * @param transaction makes the delete part of it; its owner has called the before hooks
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
  return withCurrentClasses(store, () => remove(store, className, id, where, caller, transaction), transaction)
}

async function remove(
  store: ObjectStore,
  className: string,
  id: string,
  where: Where | null,
  caller: Caller,
  transaction: Executor | undefined,
): Promise<void> {
  const schema = await store.classes.lookUp(className)
  if (!schema) {
    if (where) throw errors.noEffect()
    return
  }
  checkPermission(className, schema.permissions, 'delete', caller)
  const writable = writableBy(writerOf(store, className, id, caller))
  const condition = where && writeCondition(store, schema, where, caller)
  if (!transaction) await callBeforeDelete(store, schema, id, writable, caller)
  const executor = transaction ?? store.database
  const observed = isObserved(store, 'afterDelete', className, caller)
  const statement = deleteStatement(store, schema, id, writable, condition, observed ? OBSERVED_COLUMNS : raw('id'))
  const row = observed
    ? await deleteObserved(store, schema, statement, caller, transaction)
    : (await executor.query(statement, caller.origin?.principal))[0]
  if (row) noteWrite(store, className)
  else await explainNoEffect(executor, schema, id, writable, where !== null)
}

/**
 * Calls `beforeDelete` before a transaction that will delete the object; as `updateWithHook`.
 * @throws ApiError 141, 142, and those of `deleteObject` that forbid it to the caller
 */
export async function deleteWithHook(store: ObjectStore, className: string, id: string, caller: Caller): Promise<void> {
  if (!hasHook(store, 'beforeDelete', className, caller)) return
  const schema = await store.classes.lookUp(className)
  if (!schema) return
  checkPermission(className, schema.permissions, 'delete', caller)
  await callBeforeDelete(store, schema, id, writableBy(writerOf(store, className, id, caller)), caller)
}

function deleteStatement(
  store: ObjectStore,
  schema: ClassSchema,
  id: string,
  writable: Sql,
  condition: Sql | null,
  columns: Sql,
): Sql {
  const remove = sql`
    DELETE FROM ${schema.table}
    WHERE id = ${id} AND ${writable} ${condition ? sql`AND ${condition}` : raw('')}
    RETURNING ${columns}`
  if (schema.relationFields.length === 0) return remove
  return sql`
    WITH object AS (${remove}), members AS (
      DELETE FROM ${store.relations} AS relation
      USING object
      WHERE relation.owner_class = ${schema.name}
        AND relation.field = ANY(${schema.relationFields.map((field) => field.name)}::text[])
        AND relation.owner_id = object.id
    )
    SELECT * FROM object`
}

/** Deletes the object and notifies live queries and afterDelete hooks. */
async function deleteObserved(
  store: ObjectStore,
  schema: ClassSchema,
  statement: Sql,
  caller: Caller,
  transaction: Executor | undefined,
): Promise<Row | undefined> {
  const work = async (executor: Executor) => {
    const [row] = await executor.query(statement)
    if (row)
      await notifyWritten(store, 'afterDelete', schema, { before: row, after: null, updatedKeys: [] }, caller, executor)
    return row
  }
  return transaction ? work(transaction) : store.database.transaction(work, caller.origin?.principal)
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
