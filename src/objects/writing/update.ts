import type { Executor, Row } from '../../database/pool.ts'
import { join, literal, raw, type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { dateFromDatabase } from '../../values/date.ts'
import { type AclColumns, aclAfter, aclColumns, writableBy } from '../access/acl.ts'
import type { Caller } from '../access/caller.ts'
import { hasHook, withIgnoredHooks } from '../access/hooks.ts'
import { checkPermission, mayDo } from '../access/permissions.ts'
import type { ClassSchema } from '../classes/class-schema.ts'
import { missingFields } from '../classes/classes.ts'
import { checkReadOnly, checkStaysPresent } from '../classes/field-options.ts'
import type { Changes, RelationChange } from '../operations/operation.ts'
import { parseChanges } from '../operations/parse.ts'
import { changedData } from '../operations/to-sql.ts'
import { presentRow } from '../reading/present-row.ts'
import { mayReadRow, noteWrite, type ObjectStore, type PresentedObject, writeCondition, writerOf } from '../store.ts'
import type { Where } from '../where/tree.ts'
import { schemaFor } from './create.ts'
import { withCurrentClasses } from './current-classes.ts'
import { askBeforeUpdate, isObserved, lockedRow, namesOf, tellWritten } from './hooked-writes.ts'

export interface UpdateOptions {
  /** The update takes place only if the object meets this condition (error 305). */
  readonly where: Where | null
  /** Whether the changed fields come back (`fetchWhenSave`). */
  readonly fetch: boolean
  /** The update becomes part of this transaction, before which whoever has opened it has asked the hooks. */
  readonly transaction?: Executor | undefined
  /** The fields that hooks are told of, where the body names others than the request did. */
  readonly updatedKeys?: readonly string[]
}

/**
 * Changes an object in one statement that also checks the ACL and the condition (protocol/storage, Objects;
 * protocol/storage, Field operations).
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
  return withCurrentClasses(store, () => update(store, className, id, body, options, sender), options.transaction)
}

async function update(
  store: ObjectStore,
  className: string,
  id: string,
  body: unknown,
  options: UpdateOptions,
  sender: Caller,
): Promise<PresentedObject> {
  const caller = withIgnoredHooks(store, className, body, sender)
  const changes = parseChanges(body, true)
  const asked: Update = { changes, updatedKeys: options.updatedKeys ?? namesOf(changes) }
  const known = await store.classes.lookUp(className)
  if (!known) throw options.where ? errors.noEffect() : errors.objectMissing(id, className)
  const writer = checkMayUpdate(store, known, id, changes, caller)
  const writable = writableBy(writer)
  if (!options.transaction) await askHook(store, known, id, asked, writable, caller)
  const schema =
    missingFields(known, changes.types).length === 0 ? known : await schemaFor(store, className, changes, caller)
  checkReadOnly(changes, schema, caller)
  checkStaysPresent(schema, changes)
  const conditions: Conditions = {
    writable,
    where: options.where && writeCondition(store, schema, options.where, caller),
    geo: oneGeoPoint(schema, changes),
  }
  const acl = aclAfter(changes.acl, schema.defaultAcl, caller)
  const { updatedKeys } = asked
  const settled: SettledUpdate = { changes, updatedKeys, acl: acl === undefined ? undefined : aclColumns(acl) }
  const row = isObserved(store, 'afterUpdate', className, caller)
    ? await writeObserved(store, schema, id, settled, conditions, options.transaction, caller)
    : await write(store, schema, id, settled, conditions, options, writer, caller)
  if (!row) throw await reasonForNoEffect(options.transaction ?? store.database, schema, id, conditions)
  noteWrite(store, className)
  const system = { objectId: id, updatedAt: dateFromDatabase(row.updated_at as string) }
  return options.fetch && mayShow(store, schema, row, caller)
    ? { ...system, ...changedFields(schema, row, changes, caller) }
    : system
}

/** A caller that may write an object without reading it learns nothing of what is in it. */
function mayShow(store: ObjectStore, schema: ClassSchema, row: Row, caller: Caller): boolean {
  return mayDo(schema.permissions, 'get', caller) && mayReadRow(store, schema.name, row, caller)
}

/**
 * Asks `beforeUpdate` about an update that is going to be made in a transaction, before that begins. An object that does
 * not exist, or that the caller may not change, has no hook.
 * @param updatedKeys the fields that the request named
 * @throws ApiError 141, 142, and those of `updateObject` that forbid it to the caller
 */
export async function askUpdate(
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
  if (!schema) return
  const writer = checkMayUpdate(store, schema, id, changes, caller)
  await askHook(store, schema, id, { changes, updatedKeys }, writableBy(writer), caller)
}

interface Update {
  readonly changes: Changes
  readonly updatedKeys: readonly string[]
}

interface SettledUpdate extends Update {
  /** undefined: the ACL stays as it is */
  readonly acl: AclColumns | undefined
}

/** Checks what needs no look at the object. @returns the caller whose ACL grants decide the rest */
function checkMayUpdate(store: ObjectStore, schema: ClassSchema, id: string, changes: Changes, caller: Caller): Caller {
  checkPermission(schema.name, schema.permissions, 'update', caller)
  store.rules.get(schema.name)?.update?.(changes)
  return writerOf(store, schema.name, id, caller)
}

/** Nothing is changed before the hook agrees: neither the object nor the fields of its class. */
async function askHook(
  store: ObjectStore,
  schema: ClassSchema,
  id: string,
  { changes, updatedKeys }: Update,
  writable: Sql,
  caller: Caller,
): Promise<void> {
  if (!hasHook(store, 'beforeUpdate', schema.name, caller)) return
  checkReadOnly(changes, schema, caller)
  checkStaysPresent(schema, changes)
  if (missingFields(schema, changes.types).length > 0)
    checkPermission(schema.name, schema.permissions, 'addField', caller)
  await askBeforeUpdate(store, schema, id, changes, writable, updatedKeys, caller)
}

/** Most updates change fields and nothing else; those that arrive together are written together. */
async function write(
  store: ObjectStore,
  schema: ClassSchema,
  id: string,
  update: SettledUpdate,
  conditions: Conditions,
  { fetch, transaction }: UpdateOptions,
  writer: Caller,
  caller: Caller,
): Promise<Row | undefined> {
  const { changes, acl } = update
  const isPlain =
    !fetch && !transaction && !acl && changes.relations.length === 0 && !conditions.where && !conditions.geo
  const coalesced = isPlain
    ? store.updates.update(schema, {
        id,
        at: new Date().toISOString(),
        data: changedData(changes.fields),
        caller: writer,
        party: caller.origin?.party,
      })
    : null
  if (coalesced) return coalesced
  const statement = updateStatement(store, schema, id, update, conditions, fetch)
  const [row] = await (transaction ?? store.database).query(statement, caller.origin?.party)
  return row
}

/** Writes the object by itself, and lets those know who want to. */
async function writeObserved(
  store: ObjectStore,
  schema: ClassSchema,
  id: string,
  update: SettledUpdate,
  conditions: Conditions,
  transaction: Executor | undefined,
  caller: Caller,
): Promise<Row | undefined> {
  const work = async (executor: Executor) => {
    const before = await lockedRow(executor, schema, id)
    const [row] = await executor.query(updateStatement(store, schema, id, update, conditions, true))
    if (!row) return undefined
    const change = { before, after: row, updatedKeys: update.updatedKeys }
    await tellWritten(store, 'afterUpdate', schema, change, caller, executor)
    return row
  }
  return transaction ? work(transaction) : store.database.transaction(work, caller.origin?.party)
}

interface Conditions {
  readonly writable: Sql
  readonly where: Sql | null
  readonly geo: Sql | null
}

/** protocol/storage, Limits: setting a GeoPoint is refused while another field of the object holds one. */
function oneGeoPoint(schema: ClassSchema, changes: Changes): Sql | null {
  if (schema.geoFields.length < 2) return null
  const isGeo = (name: string) => schema.geoFields.includes(name)
  const setting = changes.fields.filter((change) => isGeo(change.path[0]!) && change.operations.at(-1)?.kind === 'Set')
  if (setting.length === 0) return null
  if (setting.length > 1) throw errors.invalidGeoPoint('An object may have one GeoPoint, not two.')
  const others = schema.geoFields.filter((name) => !changes.keys.includes(name))
  if (others.length === 0) return null
  return join(
    others.map((name) => sql`COALESCE(data->${literal(name)}, 'null'::jsonb) = 'null'::jsonb`),
    ' AND ',
  )
}

function updateStatement(
  store: ObjectStore,
  schema: ClassSchema,
  id: string,
  { changes, acl: columns }: SettledUpdate,
  conditions: Conditions,
  fetch: boolean,
): Sql {
  const assignments = [
    sql`data = ${changedData(changes.fields)}`,
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
      AND ${conditions.writable}
      ${conditions.where ? sql`AND ${conditions.where}` : raw('')}
      ${conditions.geo ? sql`AND ${conditions.geo}` : raw('')}
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

/** Finds out why a write changed nothing; only then is the object read. */
async function reasonForNoEffect(
  executor: Executor,
  schema: ClassSchema,
  id: string,
  conditions: Conditions,
): Promise<Error> {
  const [row] = await executor.query(sql`
    SELECT ${conditions.writable} AS writable, ${conditions.where ?? raw('TRUE')} AS matching, ${conditions.geo ?? raw('TRUE')} AS geo
    FROM ${schema.table}
    WHERE id = ${id}`)
  if (!row) return conditions.where ? errors.noEffect() : errors.objectMissing(id, schema.name)
  if (!row.writable) return errors.writeForbidden(id)
  if (conditions.where && !row.matching) return errors.noEffect()
  if (!row.geo) return errors.invalidGeoPoint('An object may have one GeoPoint; delete the other field first.')
  return errors.noEffect()
}

function changedFields(schema: ClassSchema, row: Row, changes: Changes, caller: Caller): PresentedObject {
  const object = presentRow(schema, row, caller, false)
  const names = [...changes.keys, ...schema.relationFields.map((field) => field.name)]
  return Object.fromEntries(names.filter((name) => Object.hasOwn(object, name)).map((name) => [name, object[name]!]))
}
