import { setImmediate as nextTurn } from 'node:timers/promises'
import { isMissingTable } from '../../database/faults.ts'
import type { Row } from '../../database/row.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { mayRead } from '../access/acl.ts'
import type { Caller } from '../access/caller.ts'
import { checkPermission } from '../access/permissions.ts'
import type { ClassSchema } from '../classes/class-schema.ts'
import { LARGE } from '../large-results.ts'
import type { View } from '../query-parameters.ts'
import { existsFor, type ObjectStore, shownData } from '../store.ts'
import { presentRows } from './present.ts'
import { dataOf, updatedAtOf } from './present-row.ts'

export interface ReadObject {
  /** The object as JSON text. */
  readonly text: string
  readonly updatedAt: string
}

/**
 * Reads one object.
 * @returns null when it does not exist
 * @throws ApiError 101 when the class does not exist, 403 when the class or the object's ACL forbids it
 */
export async function readObject(
  store: ObjectStore,
  className: string,
  id: string,
  view: View,
  caller: Caller,
): Promise<ReadObject | null> {
  const schema = store.classes.get(className) ?? (await store.classes.find(className))
  checkPermission(className, schema.permissions, 'get', caller)
  const row = await readRow(store, schema, id, caller).catch(async (error: unknown) => {
    if (!isMissingTable(error)) throw error
    await store.classes.refresh()
    // The class was deleted and created again; a retry finds it.
    if (store.classes.get(className)) throw error
    throw errors.classMissing(className)
  })
  // Objects that their class hides do not exist for the caller, whatever their ACL allows (docs/messaging.md, Private
  // conversations).
  if (!row || !existsFor(store, className, row, caller)) {
    const missing = store.rules.get(className)?.missing?.()
    if (missing) throw missing
    return null
  }
  if (!mayRead(row, caller)) throw errors.readForbidden()
  if (dataOf(row).length >= LARGE) await nextTurn()
  const [text] = await presentRows(store, schema, [row], view, caller)
  return { text: text!, updatedAt: updatedAtOf(row) }
}

/** Reads a row including `readers`; undefined when it does not exist. */
async function readRow(store: ObjectStore, schema: ClassSchema, id: string, caller: Caller): Promise<Row | undefined> {
  const shown = shownData(store, schema.name, caller)
  if (!shown) return store.coalesced.read(schema, id, caller.origin?.principal)
  const [row] = await store.database.query(sql`
    SELECT id, created_at, updated_at, acl, readers, ${shown} AS data
    FROM ${schema.table}
    WHERE id = ${id}`)
  return row
}
