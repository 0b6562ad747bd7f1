import { type Decoder, date, json, rowDecoder, text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import type { Row } from '../database/row.ts'
import { raw, type Sql, sql } from '../database/sql.ts'
import type { ApiError } from '../errors.ts'
import type { AppLimits } from '../limits/app-limits.ts'
import type { Json, JsonObject } from '../values/json.ts'
import { mayRead, readableBy } from './access/acl.ts'
import { type Caller, MASTER, seesSecrets } from './access/caller.ts'
import type { ObjectHooks } from './access/hooks.ts'
import { checkPermission } from './access/permissions.ts'
import type { AutomaticIndexes } from './classes/automatic-indexes.ts'
import type { ClassSchema } from './classes/class-schema.ts'
import type { ClassRegistry } from './classes/classes.ts'
import { checkQueryable } from './classes/field-options.ts'
import type { LargeResults } from './large-results.ts'
import type { Changes } from './operations/operation.ts'
import type { CoalescedStatements } from './statements/coalesced-statements.ts'
import type { CoalescedUpdates } from './statements/coalesced-updates.ts'
import type { ObjectWatch } from './statements/watch.ts'
import { matches, type StoredObject } from './where/matches.ts'
import { whereToSql } from './where/to-sql.ts'
import type { Where } from './where/tree.ts'
import type { WhereContext } from './where/where-context.ts'

/** An object to be sent, before its members are selected. */
export type PresentedObject = Record<string, Json>

/**
 * Differences of a built-in class. Each rule belongs to the part that owns the class (roles, files, accounts); the object store
 * only calls it.
 */
export interface ClassRules {
  /** Checks or completes a create; throws to reject it. */
  create?(changes: Changes, caller: Caller): Changes
  /** Checks an update; throws to reject it. */
  update?(changes: Changes): void
  /**
   * Returns the condition under which a caller without the master key may read objects of the class, in addition to their ACLs;
   * null for none. It refers to no other objects.
   */
  readable?(caller: Caller): Where | null
  /**
   * Returns whether the caller may update this object even if the class permission `update` excludes it. All other checks still
   * apply: `write`, `addField`, read-only fields, hooks.
   */
  updatesOwn?(id: string, caller: Caller): boolean
  /** Checks, instead of the ACL, whether the caller may change or delete an object; throws to reject it. */
  write?(id: string, caller: Caller): void
  /** Called after objects of the class were written or deleted. */
  changed?(): void
  /**
   * Members that lines of an export have besides the fields: an SQL expression over the row, and the members made of its value.
   */
  readonly exported?: { readonly value: Sql; members(value: Json): JsonObject }
  /**
   * The data of an object for the master key when read by id or by a query of its class, as an SQL expression over the row.
   * Included pointers, scans, hooks and live queries use the stored data.
   */
  readonly shownToMaster?: Sql
  /**
   * Adds members that are computed when an object is presented. Scans, which return stored data, do not call it.
   * @param object changed in place
   */
  show?(object: PresentedObject, caller: Caller): void
  /** Returns the error for reading an object that does not exist, instead of `{}`. */
  missing?(): ApiError
}

interface StorageSettings {
  /** Whether `returnACL=true` has an effect (protocol/storage, Object). */
  readonly returnAclInQueries: boolean
  /** Whether clients may create a class by saving its first object. */
  readonly clientClassCreation: boolean
}

/** The objects of one app, and what all functions of the object store use. */
export interface ObjectStore {
  readonly appId: string
  readonly database: Database
  readonly classes: ClassRegistry
  readonly coalesced: CoalescedStatements
  readonly updates: CoalescedUpdates
  readonly indexes: AutomaticIndexes
  readonly rules: ReadonlyMap<string, ClassRules>
  readonly hooks: ObjectHooks
  readonly watch: ObjectWatch
  readonly limits: AppLimits
  /** Bounds and queues the large responses of all apps. */
  readonly results: LargeResults
  readonly relations: Sql
  readonly scans: Sql
  /**
   * The time of this process's last write to a class, by class name, in ISO 8601; `openedAt` for classes it has not written to.
   */
  readonly lastWrites: Map<string, string>
  readonly openedAt: string
  /** Called after objects of a class were written or deleted; must not throw. */
  readonly wrote?: (className: string) => void
  settings(): StorageSettings
}

/** Returns the expression that replaces the data of rows that the caller reads; see `ClassRules`. */
export function shownData(store: ObjectStore, className: string, caller: Caller): Sql | undefined {
  return seesSecrets(caller) ? store.rules.get(className)?.shownToMaster : undefined
}

/** Records a write; must be called after objects of a class were written or deleted. */
export function noteWrite(store: ObjectStore, className: string): void {
  store.lastWrites.set(className, new Date().toISOString())
  store.rules.get(className)?.changed?.()
  store.wrote?.(className)
}

/** Returns the SQL condition for the rows of a class that the caller may read. */
export function readableRows(store: ObjectStore, className: string, caller: Caller): Sql {
  const rule = readRule(store, className, caller)
  if (!rule) return readableBy(caller)
  return sql`${readableBy(caller)} AND ${whereToSql(rule, className, whereContext(store, MASTER))}`
}

/**
 * Returns whether the caller may read a row: `readableRows` for a row in memory. @param row with `readers` and the stored `data`
 */
export function mayReadRow(store: ObjectStore, className: string, row: Row, caller: Caller): boolean {
  return mayRead(row, caller) && existsFor(store, className, row, caller)
}

/** Returns whether an object exists for the caller, by the rules of its class besides ACLs. @param row with the stored `data` */
export function existsFor(store: ObjectStore, className: string, row: Row, caller: Caller): boolean {
  const rule = readRule(store, className, caller)
  return !rule || matches(rule, storedObject(row))
}

/** Returns the condition of the class for readers, in addition to ACLs; null for none. */
export function readRule(store: ObjectStore, className: string, caller: Caller): Where | null {
  return caller.master ? null : (store.rules.get(className)?.readable?.(caller) ?? null)
}

/** Decodes a row with its fields. */
export const storedObject: Decoder<StoredObject> = rowDecoder({
  id: text('id'),
  createdAt: date('created_at'),
  updatedAt: date('updated_at'),
  data: json<JsonObject>('data'),
})

/** Returns what a `where` needs to know of the app, with the caller's permissions. */
export function whereContext(store: ObjectStore, caller: Caller): WhereContext {
  return {
    typeOf: (className, field) => {
      const schema = store.classes.get(className)
      if (schema) checkQueryable(schema, field, caller)
      return schema?.fields.get(field)?.type
    },
    table: (className) => store.classes.get(className)?.table ?? null,
    relations: store.relations,
    visible: (className, operation) => {
      const schema = store.classes.get(className)
      if (schema) checkPermission(className, schema.permissions, operation, caller)
      return schema ? readableRows(store, className, caller) : raw('FALSE')
    },
  }
}

/**
 * Returns the condition of a conditional write. It may use only what the caller may read: otherwise the outcome of the write
 * would reveal hidden values.
 * @throws ApiError 403 when the caller lacks the class permission `get`, and those of `whereToSql`
 */
export function writeCondition(store: ObjectStore, schema: ClassSchema, where: Where, caller: Caller): Sql {
  checkPermission(schema.name, schema.permissions, 'get', caller)
  return sql`${whereToSql(where, schema.name, whereContext(store, caller))} AND ${readableRows(store, schema.name, caller)}`
}

/** Checks that the caller may write the object. @returns the caller whose ACL grants are checked next */
export function writerOf(store: ObjectStore, className: string, id: string, caller: Caller): Caller {
  const rule = store.rules.get(className)?.write
  if (!rule) return caller
  rule(id, caller)
  return MASTER
}
