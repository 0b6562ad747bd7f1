import { text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import type { Row } from '../../database/row.ts'
import { raw, type Sql, sql } from '../../database/sql.ts'
import { withFileIdsIn } from '../../values/file-references.ts'
import { isJsonObject, type Json, type JsonObject, member } from '../../values/json.ts'
import { aclAfter } from '../access/acl.ts'
import { type Caller, MASTER } from '../access/caller.ts'
import { type AfterHook, hasHook } from '../access/hooks.ts'
import type { ClassSchema } from '../classes/class-schema.ts'
import { applyChanges } from '../operations/apply.ts'
import type { Changes } from '../operations/operation.ts'
import { parseChanges } from '../operations/parse.ts'
import { expandFiles } from '../reading/include.ts'
import { presentRow } from '../reading/present-row.ts'
import type { ObjectStore, PresentedObject } from '../store.ts'

/** Members of a response that are not fields to store (protocol/cloud-code, Answer of beforeSave, rule 2). */
const NOT_STORED = new Set([
  'objectId',
  'createdAt',
  'updatedAt',
  '__type',
  'className',
  '_updatedKeys',
  '__before',
  '__after',
  '__ignore_hooks',
])

/**
 * Calls `beforeSave` and returns the changes to store for a new object (protocol/cloud-code, Request body; protocol/cloud-code,
 * Answer of beforeSave): the response replaces the fields. Relations are not passed to the hook and are added to the resulting
 * object.
 * @returns null when the app has no hook of this name, or the hook leaves the object unchanged
 * @throws ApiError 142, 141, and those of `parseChanges` for the response
 */
export async function callBeforeSave(
  store: ObjectStore,
  className: string,
  changes: Changes,
  caller: Caller,
): Promise<Changes | null> {
  const fields = await fieldsOfBeforeSave(store, className, changes, caller)
  if (!fields) return null
  const changed = parseChanges(fields, false)
  const relations = [...changes.types].filter(([, { type }]) => type === 'Relation')
  return {
    ...changed,
    relations: changes.relations,
    types: new Map([...changed.types, ...relations]),
    keys: [...new Set([...changed.keys, ...changes.relations.map(({ field }) => field)])],
  }
}

/** Calls `beforeSave` and returns the resulting body, without relations; null as `callBeforeSave`. @throws ApiError 142, 141 */
export async function fieldsOfBeforeSave(
  store: ObjectStore,
  className: string,
  changes: Changes,
  caller: Caller,
): Promise<JsonObject | null> {
  if (!hasHook(store, 'beforeSave', className, caller)) return null
  const fields = applyChanges({}, changes.fields)
  const object: PresentedObject = { ...withFileIdsIn(fields), ...(changes.acl && { ACL: changes.acl }) }
  await expandFiles(store, [object], MASTER)
  const answer = await store.hooks.invoke('beforeSave', className, object, caller)
  const kept = storedFields(answer, className)
  return isUnchanged(answer, kept, object) ? null : restored(kept, fields)
}

/**
 * Returns the caller with the rights of cloud code, which may set what its caller may not: read-only fields, or new ones. The
 * caller's own request was checked before.
 */
export function withAuthority(caller: Caller): Caller {
  return { ...caller, master: true }
}

/**
 * Calls `beforeUpdate` with the object as it would be after the update (protocol/cloud-code, Request body). The hook does not run
 * for an object that does not exist or that the caller may not write.
 * @param writable the condition over the row under which the caller may write it
 * @param updatedKeys the fields that the request named
 * @throws ApiError 111, 142, 141
 */
export async function callBeforeUpdate(
  store: ObjectStore,
  schema: ClassSchema,
  id: string,
  changes: Changes,
  writable: Sql,
  updatedKeys: readonly string[],
  caller: Caller,
): Promise<void> {
  if (!hasHook(store, 'beforeUpdate', schema.name, caller)) return
  const row = await rowOf(store.database, schema, id, writable)
  if (!row) return
  const data = JSON.stringify(applyChanges(JSON.parse(text('data')(row)), changes.fields))
  const object = await shown(store, schema, { ...row, data })
  const acl = aclAfter(changes.acl, schema.defaultAcl, caller)
  if (acl) object.ACL = acl
  if (acl === null) delete object.ACL
  await store.hooks.invoke('beforeUpdate', schema.name, { ...object, _updatedKeys: [...updatedKeys] }, caller)
}

/** Returns the names of the fields of an update, for hooks (protocol/cloud-code, Request body). */
export function namesOf({ keys, acl }: Changes): readonly string[] {
  return acl === undefined ? keys : [...keys, 'ACL']
}

/** Calls `beforeDelete`, as `callBeforeUpdate` does. @throws ApiError 142, 141 */
export async function callBeforeDelete(
  store: ObjectStore,
  schema: ClassSchema,
  id: string,
  writable: Sql,
  caller: Caller,
): Promise<void> {
  if (!hasHook(store, 'beforeDelete', schema.name, caller)) return
  const row = await rowOf(store.database, schema, id, writable)
  if (row) await store.hooks.invoke('beforeDelete', schema.name, await shown(store, schema, row), caller)
}

/** A completed write; see `Written`. */
interface Change {
  readonly before: Row | null
  readonly after: Row | null
  readonly updatedKeys: readonly string[]
}

/** Notifies live queries and after hooks of a write, once its transaction is committed. */
export async function notifyWritten(
  store: ObjectStore,
  hook: AfterHook,
  schema: ClassSchema,
  change: Change,
  caller: Caller,
  transaction: Executor,
): Promise<void> {
  if (store.watch.isWatched(schema.name)) transaction.afterCommit(() => store.watch.written({ schema, ...change }))
  if (!hasHook(store, hook, schema.name, caller)) return
  const object = await shown(store, schema, (change.after ?? change.before)!)
  const updated = hook === 'afterUpdate' && { _updatedKeys: [...change.updatedKeys] }
  await store.hooks.notify(hook, schema.name, { ...object, ...updated }, caller, transaction)
}

/** The columns of a row that hooks and live queries get. */
export const OBSERVED_COLUMNS = raw('id, created_at, updated_at, acl, data')

/** Returns the row, locked in a transaction, so that it is the one this transaction changes. */
export async function lockedRow(transaction: Executor, schema: ClassSchema, id: string): Promise<Row | null> {
  const [row] = await transaction.query(sql`
    SELECT ${OBSERVED_COLUMNS} FROM ${schema.table} WHERE id = ${id} FOR UPDATE`)
  return row ?? null
}

async function rowOf(executor: Executor, schema: ClassSchema, id: string, writable: Sql): Promise<Row | null> {
  const [row] = await executor.query(sql`
    SELECT ${OBSERVED_COLUMNS} FROM ${schema.table} WHERE id = ${id} AND ${writable}`)
  return row ?? null
}

/**
 * Returns the object as passed to hooks: with all fields, its ACL if it has one, and files expanded (protocol/cloud-code,
 * Bodies).
 */
async function shown(store: ObjectStore, schema: ClassSchema, row: Row): Promise<PresentedObject> {
  const object = presentRow(store, schema, row, MASTER, row.acl !== null)
  await expandFiles(store, [object], MASTER)
  return object
}

function storedFields(answer: JsonObject, className: string): JsonObject {
  const isKept = (name: string) => !NOT_STORED.has(name) && !(className === '_User' && name === 'sessionToken')
  return Object.fromEntries(Object.entries(answer).filter(([name]) => isKept(name)))
}

/**
 * Returns whether a response means "unchanged": some engines send something else when the hook returns nothing
 * (protocol/cloud-code, Answer of beforeSave, rule 7).
 */
function isUnchanged(answer: JsonObject, kept: JsonObject, sent: JsonObject): boolean {
  if (Object.keys(kept).length === 0) return Object.keys(sent).length > 0
  // The response is an echo of the whole request.
  return isJsonObject(answer.object) && Object.keys(kept).every((name) => name === 'object' || name === 'user')
}

/** Restores sent values whose form was lost in the hook's response (protocol/cloud-code, Answer of beforeSave, rules 5 and 6). */
function restored(kept: JsonObject, sent: JsonObject): JsonObject {
  const restore = ([name, value]: [string, Json]): [string, Json] => {
    const before = member(sent, name)
    const isLostBytes = value === null && isJsonObject(before) && before.__type === 'Bytes'
    return [name, isLostBytes ? before : value]
  }
  const isRelation = (value: Json) => isJsonObject(value) && value.__type === 'Relation'
  return Object.fromEntries(
    Object.entries(kept)
      .filter(([, value]) => !isRelation(value))
      .map(restore),
  )
}
