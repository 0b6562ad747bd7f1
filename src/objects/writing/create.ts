import type { Outcome } from '../../database/coalesce.ts'
import { isMissingTable } from '../../database/faults.ts'
import type { Executor } from '../../database/pool.ts'
import { join, raw, type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { type JsonObject, jsonOf, member } from '../../values/json.ts'
import { newObjectId } from '../../values/names.ts'
import { type AclColumns, aclColumns, aclFromTemplate } from '../access/acl.ts'
import type { Caller } from '../access/caller.ts'
import { countCaller, countRelations } from '../access/count-caller.ts'
import { hasHook, isObserved, withIgnoredHooks } from '../access/hooks.ts'
import { checkPermission } from '../access/permissions.ts'
import type { ClassSchema } from '../classes/class-schema.ts'
import { looksOutdated, missingFields, wasOutdated, withCurrentClasses } from '../classes/classes.ts'
import { NO_COUNTS, nextCounts } from '../classes/counters.ts'
import { checkReadOnly, checkRequired } from '../classes/field-options.ts'
import { MAX_OBJECT_BYTES } from '../classes/stored-classes.ts'
import { applyChanges } from '../operations/apply.ts'
import type { Changes, RelationChange } from '../operations/operation.ts'
import { parseChanges } from '../operations/parse.ts'
import { noteWrite, type ObjectStore } from '../store.ts'
import { callBeforeSave, notifyWritten, withAuthority } from './hooked-writes.ts'
import { checkMayCreate, checkMayMakeClass, mayMakeClass } from './may-create.ts'
import { type Created, rowOfCreated } from './present-created.ts'

export interface NewObjectOptions {
  /** The id of the object; generated when omitted. */
  readonly id?: string
  /** The transaction in which the object is created. Its owner has called the before hooks. */
  readonly transaction?: Executor
  /** The user who is the owner in the default ACL of the class; the caller when omitted. */
  readonly owner?: string
  /** The creation time in ISO 8601; now when omitted. */
  readonly createdAt?: string
}

/** An object that has passed all checks and is not stored yet. */
export interface NewObject extends Created {
  readonly columns: AclColumns
  readonly relations: readonly RelationChange[]
}

/**
 * Creates an object (protocol/storage, Objects). Its class and fields are created with it if they do not exist.
 * @throws ApiError 103, 105, 111 and the others of `parseChanges`; 113; 116; 137; 141 and 142 of hooks; 403 when the class is
 * closed
 */
export async function createObject(
  store: ObjectStore,
  className: string,
  body: unknown,
  sender: Caller,
  within: NewObjectOptions = {},
): Promise<Created> {
  const caller = withIgnoredHooks(store, className, body, sender)
  const create = async () => {
    const object = await prepareObject(store, className, body, caller, within)
    await insertObject(store, object, caller, within.transaction)
    return object
  }
  const object = await withCurrentClasses(store, create, within.transaction)
  noteWrite(store, className)
  return object
}

/**
 * Creates many objects of one class with one statement. An object that fails a check fails alone; if the statement fails, for
 * example because of a duplicate value, each object is inserted individually.
 * @returns for each body the created object, or its error
 */
export async function createObjects(
  store: ObjectStore,
  className: string,
  bodies: readonly unknown[],
  caller: Caller,
): Promise<Outcome<Created>[]> {
  if (isHooked(store, className, caller)) return createQueued(store, className, bodies, caller)
  const now = momentNow()
  const { version } = store.classes
  const outcomes: Outcome<NewObject>[] = []
  for (const body of bodies) {
    try {
      const changes = checkChanges(store, className, parseChanges(body, false), caller)
      const known = knownSchema(store, className, changes) ?? (await schemaFor(store, className, changes, caller))
      const counts = known.counters.length > 0 ? await nextCounts(store.database, known, changes) : NO_COUNTS
      outcomes.push({ result: await newObject(known, changes, caller, now, counts) })
    } catch (error) {
      outcomes.push({ error })
    }
  }
  const schema = store.classes.get(className)
  if (!schema) return outcomes
  const plain = outcomes.flatMap((outcome, index) =>
    'result' in outcome && outcome.result.relations.length === 0 ? [index] : [],
  )
  const objectAt = (index: number) => (outcomes[index] as { result: NewObject }).result
  const inserted = await store.coalesced
    .insertMany(schema, plain.map(objectAt), caller.origin?.principal)
    .catch((error: unknown): Outcome<void>[] => {
      if (!isMissingTable(error)) throw error
      return plain.map(() => ({ error }))
    })
  inserted.forEach((outcome, position) => {
    if ('error' in outcome) outcomes[plain[position]!] = outcome
  })
  for (const [index, outcome] of outcomes.entries()) {
    if ('error' in outcome || outcome.result.relations.length === 0) continue
    outcomes[index] = await outcomeOf(insertWithRelations(store, outcome.result, caller).then(() => outcome.result))
  }
  noteWrite(store, className)
  return againIfOutdated(store, version, outcomes, (index) => createObject(store, className, bodies[index], caller))
}

/** Retries objects that failed because another node deleted the class, or deleted and created it again. */
async function againIfOutdated(
  store: ObjectStore,
  version: number,
  outcomes: readonly Outcome<Created>[],
  create: (index: number) => Promise<Created>,
): Promise<Outcome<Created>[]> {
  const again = new Set(outcomes.filter((outcome) => 'error' in outcome && looksOutdated(outcome.error)))
  const [first] = again
  if (!first || !('error' in first) || !(await wasOutdated(store, version, first.error))) return [...outcomes]
  return Promise.all(outcomes.map((outcome, index) => (again.has(outcome) ? outcomeOf(create(index)) : outcome)))
}

/**
 * Creates objects one after the other: the hooks of one run before those of the next (protocol/cloud-code, When they run, rule
 * 9).
 */
async function createQueued(
  store: ObjectStore,
  className: string,
  bodies: readonly unknown[],
  caller: Caller,
): Promise<Outcome<Created>[]> {
  const outcomes: Outcome<Created>[] = []
  for (const body of bodies) outcomes.push(await outcomeOf(createObject(store, className, body, caller)))
  return outcomes
}

function isHooked(store: ObjectStore, className: string, caller: Caller): boolean {
  return hasHook(store, 'beforeSave', className, caller) || isObserved(store, 'afterSave', className, caller)
}

async function outcomeOf<Result>(work: Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { result: await work }
  } catch (error) {
    return { error }
  }
}

/** Prepares an object for writing: runs the checks and `beforeSave`, and creates its class and fields. */
export async function prepareObject(
  store: ObjectStore,
  className: string,
  body: unknown,
  caller: Caller,
  within: NewObjectOptions = {},
): Promise<NewObject> {
  const parsed = checkChanges(store, className, parseChanges(body, false), caller)
  const answer = within.transaction ? null : await hookedChanges(store, className, parsed, caller)
  const changes = answer ?? parsed
  const writer = answer ? withAuthority(caller) : caller
  const schema = knownSchema(store, className, changes) ?? (await schemaFor(store, className, changes, writer))
  const counts =
    schema.counters.length > 0 ? await nextCounts(within.transaction ?? store.database, schema, changes) : NO_COUNTS
  return newObject(schema, changes, writer, momentOf(within.createdAt), counts, within)
}

/** Runs the checks of a create that need no schema. */
function checkChanges(store: ObjectStore, className: string, changes: Changes, caller: Caller): Changes {
  const known = store.classes.get(className)
  if (known) checkPermission(className, known.permissions, 'create', caller)
  return store.rules.get(className)?.create?.(changes, caller) ?? changes
}

/**
 * Returns the changes after `beforeSave`, for a new object that the caller may create; null when the hook leaves them unchanged.
 */
async function hookedChanges(
  store: ObjectStore,
  className: string,
  changes: Changes,
  caller: Caller,
): Promise<Changes | null> {
  if (!hasHook(store, 'beforeSave', className, caller)) return null
  await checkMayCreate(store, className, changes, caller)
  const answer = await callBeforeSave(store, className, changes, caller)
  return answer && checkChanges(store, className, answer, withAuthority(caller))
}

/** A time in both forms that a new object needs. */
interface Moment {
  /** Milliseconds since the epoch. */
  readonly time: number
  readonly iso: string
}

function momentOf(iso: string | undefined): Moment {
  return iso === undefined ? momentNow() : { time: Date.parse(iso), iso }
}

function momentNow(): Moment {
  const now = new Date()
  return { time: now.getTime(), iso: now.toISOString() }
}

async function newObject(
  schema: ClassSchema,
  changes: Changes,
  caller: Caller,
  now: Moment,
  counts: JsonObject,
  { id = newObjectId(now.time), owner }: Pick<NewObjectOptions, 'id' | 'owner'> = {},
): Promise<NewObject> {
  if (schema.readOnlyFields.length > 0) checkReadOnly(changes, schema, caller)
  const fields = applyChanges(counts, changes.fields)
  if (schema.requiredFields.length > 0) checkRequired(schema, fields)
  checkOneGeoPoint(schema, fields)
  const data = await jsonOf(fields)
  if (data.length > MAX_OBJECT_BYTES) throw errors.objectTooLarge(`The maximum is ${MAX_OBJECT_BYTES} bytes.`)
  const creator = owner === undefined ? caller : { ...caller, userId: owner }
  const columns = aclColumns(changes.acl ?? aclFromTemplate(schema.defaultAcl, creator))
  return {
    id,
    createdAt: now.iso,
    schema,
    data,
    acl: columns.acl,
    columns,
    relations: changes.relations.filter(isAddition),
  }
}

function isAddition(change: RelationChange): boolean {
  return change.kind === 'AddRelation'
}

/** Returns the class, if it exists and has all fields of the changes, as it almost always does. @throws ApiError 111 */
function knownSchema(store: ObjectStore, className: string, changes: Changes): ClassSchema | null {
  const schema = store.classes.get(className)
  return schema && missingFields(schema, changes.types).length === 0 ? schema : null
}

/** Returns the class with all fields that the changes need. @throws ApiError 111, 154, 403, 429 */
export async function schemaFor(
  store: ObjectStore,
  className: string,
  changes: Changes,
  caller: Caller,
): Promise<ClassSchema> {
  const schema = store.classes.get(className) ?? (await newClass(store, className, caller))
  if (missingFields(schema, changes.types).length === 0) return schema
  checkPermission(className, schema.permissions, 'addField', caller)
  return store.classes.ensureFields(
    className,
    changes.types,
    (count) => countCaller(store.limits, 'newFields', caller, count, className),
    caller.origin?.principal,
  )
}

async function newClass(store: ObjectStore, className: string, caller: Caller): Promise<ClassSchema> {
  const made = mayMakeClass(store, caller)
    ? await store.classes.ensureClass(
        className,
        () => countCaller(store.limits, 'newClasses', caller),
        caller.origin?.principal,
      )
    : await store.classes.lookUp(className)
  if (!made) checkMayMakeClass(store, className, caller)
  // Another node may have created the class and restricted its permissions.
  checkPermission(className, made!.permissions, 'create', caller)
  return made!
}

/** Checks that an object has at most one GeoPoint (protocol/storage, Limits). @throws ApiError 302 */
function checkOneGeoPoint(schema: ClassSchema, fields: JsonObject): void {
  const points = schema.geoFields.filter((name) => (member(fields, name) ?? null) !== null)
  if (points.length > 1)
    throw errors.invalidGeoPoint(`An object can have only one GeoPoint, not two: '${points.join("', '")}'.`)
}

/** Writes a prepared object, its relations, and the jobs of its hooks. */
export async function insertObject(
  store: ObjectStore,
  object: NewObject,
  caller: Caller,
  transaction: Executor | undefined,
): Promise<void> {
  if (isObserved(store, 'afterSave', object.schema.name, caller))
    await insertObserved(store, object, caller, transaction)
  else if (object.relations.length > 0 || transaction) await insertWithRelations(store, object, caller, transaction)
  else await store.coalesced.insert(object.schema, object, caller.origin?.principal)
}

/** Inserts the object and notifies live queries and afterSave hooks. */
async function insertObserved(
  store: ObjectStore,
  object: NewObject,
  caller: Caller,
  transaction: Executor | undefined,
): Promise<void> {
  const write = async (executor: Executor) => {
    await insertWithRelations(store, object, caller, executor)
    const after = rowOfCreated(object)
    const keys = Object.keys(JSON.parse(String(object.data)))
    await notifyWritten(store, 'afterSave', object.schema, { before: null, after, updatedKeys: keys }, caller, executor)
  }
  if (transaction) await write(transaction)
  else await store.database.transaction(write, caller.origin?.principal)
}

async function insertWithRelations(
  store: ObjectStore,
  object: NewObject,
  caller: Caller,
  executor: Executor = store.database,
): Promise<void> {
  const { id, createdAt, columns, data, schema } = object
  if (object.relations.length > 0) await countRelations(store.limits, object.relations, caller)
  const members = object.relations.map(
    (change, index): Sql => sql`
      , ${raw(`relation_${index}`)} AS (
        INSERT INTO ${store.relations} (owner_class, field, owner_id, related_id)
        SELECT ${schema.name}, ${change.field}, object.id, member
        FROM object, unnest(${change.ids}::text[]) AS member
        ON CONFLICT DO NOTHING
      )`,
  )
  const statement = sql`
    WITH object AS (
      INSERT INTO ${schema.table} (id, created_at, updated_at, acl, readers, writers, data)
      VALUES (${id}, ${createdAt}, ${createdAt}, ${columns.acl}, ${columns.readers}, ${columns.writers}, ${data})
      RETURNING id
    )${join(members, '')}
    SELECT id FROM object`
  await executor.query(statement, caller.origin?.principal)
}
