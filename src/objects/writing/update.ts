import type { Executor } from '../../database/pool.ts'
import type { Row } from '../../database/row.ts'
import { join, literal, raw, type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { type AclColumns, aclAfter, aclColumns, writableBy } from '../access/acl.ts'
import type { Caller } from '../access/caller.ts'
import { countRelations } from '../access/count-caller.ts'
import { hasHook, isObserved, withIgnoredHooks } from '../access/hooks.ts'
import { checkPermission, mayDo } from '../access/permissions.ts'
import type { ClassSchema } from '../classes/class-schema.ts'
import { missingFields, withCurrentClasses } from '../classes/classes.ts'
import { checkReadOnly, checkStaysPresent } from '../classes/field-options.ts'
import type { Changes, RelationChange } from '../operations/operation.ts'
import { parseChanges } from '../operations/parse.ts'
import { changedData, type LargeTexts, largeTexts } from '../operations/to-sql.ts'
import { presentRow, updatedAtOf } from '../reading/present-row.ts'
import { mayReadRow, noteWrite, type ObjectStore, type PresentedObject, writeCondition, writerOf } from '../store.ts'
import type { Where } from '../where/tree.ts'
import { schemaFor } from './create.ts'
import { callBeforeUpdate, lockedRow, namesOf, notifyWritten } from './hooked-writes.ts'

export interface UpdateOptions {
  /** The update applies only if the object meets this condition (error 305). */
  readonly where: Where | null
  /** Whether the changed fields are returned (`fetchWhenSave`). */
  readonly fetch: boolean
  /** The transaction that the update is part of. Its owner has called the before hooks. */
  readonly transaction?: Executor | undefined
  /** The fields reported to hooks, if they differ from those of the body. */
  readonly updatedKeys?: readonly string[]
}

/**
 * Updates an object in one statement that also checks the ACL and the condition (protocol/storage, Objects; protocol/storage,
 * Field operations).
 * @returns `objectId`, `updatedAt` and with `fetch` the changed fields and all relation fields
 * @throws ApiError 1 when the object does not exist, 305 when the condition fails, 403, and those of `parseChanges`
 */
export async function updateObject(
  store: ObjectStore,
  className: string,
  id: string,
  body: unknown,
  options: UpdateOptions,
  sender: Caller,
): Promise<PresentedObject> {
  const caller = withIgnoredHooks(store, className, body, sender)
  const perform = async () => {
    const update = await prepare(store, className, id, body, options, caller)
    const row = isObserved(store, 'afterUpdate', className, caller) ? await writeObserved(update) : await write(update)
    if (!row) throw await reasonForNoEffect(update)
    noteWrite(store, className)
    const system = { objectId: id, updatedAt: updatedAtOf(row) }
    return options.fetch && mayShow(update, row) ? { ...system, ...changedFields(update, row) } : system
  }
  return withCurrentClasses(store, perform, options.transaction)
}

/**
 * Calls `beforeUpdate` before a transaction that will update the object. The hook does not run for an object that does not exist
 * or that the caller may not change.
 * @param updatedKeys the fields that the request named
 * @throws ApiError 141, 142, and those of `updateObject` that forbid it to the caller
 */
export async function updateWithHook(
  store: ObjectStore,
  className: string,
  id: string,
  body: unknown,
  updatedKeys: readonly string[],
  caller: Caller,
): Promise<void> {
  if (!hasHook(store, 'beforeUpdate', className, caller)) return
  const changes = parseChanges(body, true)
  const schema = await store.classes.lookUp(className)
  if (schema) await callHook(admit({ store, schema, id, changes, updatedKeys, caller }))
}

/** An update as requested. */
interface WantedUpdate {
  readonly store: ObjectStore
  readonly schema: ClassSchema
  readonly id: string
  readonly changes: Changes
  /** The fields reported to hooks. */
  readonly updatedKeys: readonly string[]
  readonly caller: Caller
}

/** An update that has passed the checks that need no read of the object. */
interface AdmittedUpdate extends WantedUpdate {
  /** The caller whose ACL grants are checked against the stored object. */
  readonly writer: Caller
}

/** An update that can be written: its fields are registered. */
interface PreparedUpdate extends AdmittedUpdate, Pick<UpdateOptions, 'fetch' | 'transaction'> {
  readonly where: Sql | null
  readonly geo: Sql | null
  readonly texts: LargeTexts
  /** undefined: the ACL is unchanged */
  readonly acl: AclColumns | undefined
}

async function prepare(
  store: ObjectStore,
  className: string,
  id: string,
  body: unknown,
  { where, fetch, transaction, updatedKeys }: UpdateOptions,
  caller: Caller,
): Promise<PreparedUpdate> {
  const changes = parseChanges(body, true)
  const known = await store.classes.lookUp(className)
  if (!known) throw where ? errors.noEffect() : errors.objectMissing(id, className)
  const wanted = { store, schema: known, id, changes, updatedKeys: updatedKeys ?? namesOf(changes), caller }
  const admitted = admit(wanted)
  if (changes.relations.length > 0) await countRelations(store.limits, changes.relations, caller)
  if (!transaction && hasHook(store, 'beforeUpdate', className, caller)) await callHook(admitted)
  const schema =
    missingFields(known, changes.types).length === 0 ? known : await schemaFor(store, className, changes, caller)
  checkReadOnly(changes, schema, caller)
  checkStaysPresent(schema, changes)
  const condition = where && writeCondition(store, schema, where, caller)
  const geo = oneGeoPoint(schema, changes)
  const acl = aclAfter(changes.acl, schema.defaultAcl, caller)
  return {
    ...admitted,
    schema,
    fetch,
    transaction,
    where: condition,
    geo,
    texts: await largeTexts(changes.fields),
    acl: acl === undefined ? undefined : aclColumns(acl),
  }
}

/** Runs the checks that need no read of the object. */
function admit(update: WantedUpdate): AdmittedUpdate {
  const { store, schema, id, changes, caller } = update
  const rules = store.rules.get(schema.name)
  if (!rules?.updatesOwn?.(id, caller)) checkPermission(schema.name, schema.permissions, 'update', caller)
  rules?.update?.(changes)
  const writer = writerOf(store, schema.name, id, caller)
  return { ...update, writer }
}

/** Calls `beforeUpdate`. Neither the object nor the fields of its class change before the hook accepts. */
async function callHook({ store, schema, id, changes, updatedKeys, writer, caller }: AdmittedUpdate): Promise<void> {
  checkReadOnly(changes, schema, caller)
  checkStaysPresent(schema, changes)
  if (missingFields(schema, changes.types).length > 0)
    checkPermission(schema.name, schema.permissions, 'addField', caller)
  await callBeforeUpdate(store, schema, id, changes, writableBy(writer), updatedKeys, caller)
}

/** Writes the object. Most updates only change fields; those that arrive together are written together. */
async function write(update: PreparedUpdate): Promise<Row | undefined> {
  const { store, schema, id, changes, texts, caller, writer, where, geo, acl, fetch, transaction } = update
  const isSmall = texts.size === 0
  const isPlain = isSmall && !fetch && !transaction && !acl && changes.relations.length === 0 && !where && !geo
  const coalesced = isPlain
    ? store.updates.update(schema, {
        id,
        at: new Date().toISOString(),
        data: changedData(changes.fields, texts),
        caller: writer,
        principal: caller.origin?.principal,
      })
    : null
  if (coalesced) return coalesced
  const [row] = await (transaction ?? store.database).query(updateStatement(update, fetch), caller.origin?.principal)
  return row
}

/** Writes the object in a transaction, and notifies live queries and afterUpdate hooks. */
async function writeObserved(update: PreparedUpdate): Promise<Row | undefined> {
  const { store, schema, id, updatedKeys, caller, transaction } = update
  const work = async (executor: Executor) => {
    const before = await lockedRow(executor, schema, id)
    const [row] = await executor.query(updateStatement(update, true))
    if (!row) return undefined
    await notifyWritten(store, 'afterUpdate', schema, { before, after: row, updatedKeys }, caller, executor)
    return row
  }
  return transaction ? work(transaction) : store.database.transaction(work, caller.origin?.principal)
}

/** Returns whether the fields may be returned: a caller that may write an object but not read it must not see them. */
function mayShow({ store, schema, caller }: PreparedUpdate, row: Row): boolean {
  return mayDo(schema.permissions, 'get', caller) && mayReadRow(store, schema.name, row, caller)
}

/**
 * Returns the condition that no other field of the object holds a GeoPoint when one is set (protocol/storage, Limits); null when
 * none is set. @throws ApiError 302 when two are set
 */
function oneGeoPoint(schema: ClassSchema, changes: Changes): Sql | null {
  if (schema.geoFields.length < 2) return null
  const isGeo = (name: string) => schema.geoFields.includes(name)
  const setting = changes.fields.filter((change) => isGeo(change.path[0]!) && change.operations.at(-1)?.kind === 'Set')
  if (setting.length === 0) return null
  if (setting.length > 1) throw errors.invalidGeoPoint('An object can have only one GeoPoint, not two.')
  const others = schema.geoFields.filter((name) => !changes.keys.includes(name))
  if (others.length === 0) return null
  return join(
    others.map((name) => sql`COALESCE(data->${literal(name)}, 'null'::jsonb) = 'null'::jsonb`),
    ' AND ',
  )
}

function updateStatement(prepared: PreparedUpdate, fetch: boolean): Sql {
  const { store, schema, id, changes, texts, acl: columns, writer, where, geo } = prepared
  const assignments = [
    sql`data = ${changedData(changes.fields, texts)}`,
    sql`updated_at = ${new Date().toISOString()}::timestamptz`,
  ]
  if (columns) {
    const { acl, readers, writers } = columns
    assignments.push(sql`acl = ${acl}::jsonb`, sql`readers = ${readers}::text[]`, sql`writers = ${writers}::text[]`)
  }
  const update = sql`
    UPDATE ${schema.table}
    SET ${join(assignments, ', ')}
    WHERE id = ${id}
      AND ${writableBy(writer)}
      ${where ? sql`AND ${where}` : raw('')}
      ${geo ? sql`AND ${geo}` : raw('')}
    RETURNING id, created_at, updated_at${fetch ? raw(', acl, readers, data') : raw('')}`
  if (changes.relations.length === 0) return update
  const members = changes.relations.map((change, index) => relationStatement(store, schema, change, index))
  return sql`WITH object AS (${update}), ${join(members, ', ')} SELECT * FROM object`
}

function relationStatement(store: ObjectStore, schema: ClassSchema, change: RelationChange, index: number): Sql {
  const name = raw(`relation_${index}`)
  if (change.kind === 'AddRelation') {
    return sql`${name} AS (
      INSERT INTO ${store.relations} (owner_class, field, owner_id, related_id)
      SELECT ${schema.name}, ${change.field}, object.id, member
      FROM object, unnest(${change.ids}::text[]) AS member
      ON CONFLICT DO NOTHING
    )`
  }
  return sql`${name} AS (
    DELETE FROM ${store.relations} AS relation
    USING object
    WHERE relation.owner_class = ${schema.name}
      AND relation.field = ${change.field}
      AND relation.owner_id = object.id
      AND relation.related_id = ANY(${change.ids}::text[])
  )`
}

/** Returns why a write changed nothing; only this reads the object. */
async function reasonForNoEffect(update: PreparedUpdate): Promise<Error> {
  const { store, schema, id, transaction, writer, where, geo } = update
  const [row] = await (transaction ?? store.database).query(sql`
    SELECT ${writableBy(writer)} AS writable, ${where ?? raw('TRUE')} AS matching, ${geo ?? raw('TRUE')} AS geo
    FROM ${schema.table}
    WHERE id = ${id}`)
  if (!row) return where ? errors.noEffect() : errors.objectMissing(id, schema.name)
  if (!row.writable) return errors.writeForbidden(id)
  if (where && !row.matching) return errors.noEffect()
  if (!row.geo) return errors.invalidGeoPoint('An object can have only one GeoPoint; delete the other field first.')
  return errors.noEffect()
}

function changedFields({ store, schema, changes, caller }: PreparedUpdate, row: Row): PresentedObject {
  const object = presentRow(store, schema, row, caller, false)
  const names = [...changes.keys, ...schema.relationFields.map((field) => field.name)]
  return Object.fromEntries(names.filter((name) => Object.hasOwn(object, name)).map((name) => [name, object[name]!]))
}
