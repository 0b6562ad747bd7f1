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
import { checkAskable } from './classes/field-options.ts'
import type { LargeResults } from './large-results.ts'
import type { Changes } from './operations/operation.ts'
import type { CoalescedStatements } from './statements/coalesced-statements.ts'
import type { CoalescedUpdates } from './statements/coalesced-updates.ts'
import type { ObjectWatch } from './statements/watch.ts'
import { matches, type StoredObject } from './where/matches.ts'
import { whereToSql } from './where/to-sql.ts'
import type { Where } from './where/tree.ts'
import type { WhereContext } from './where/where-context.ts'

/** An object as it goes out, before its members are chosen. */
export type PresentedObject = Record<string, Json>

/**
 * What a built-in class does differently. Each rule belongs to the part that owns the class (roles, files, accounts);
 * the object store only calls it.
 */
export interface ClassRules {
  /** Checks or completes a create; throws to refuse it. */
  create?(changes: Changes, caller: Caller): Changes
  /** Checks an update; throws to refuse it. */
  update?(changes: Changes): void
  /**
   * What a caller without the master key may read of the class, besides what the ACLs of its objects say; null: everything.
   * The condition asks about no other objects.
   */
  readable?(caller: Caller): Where | null
  /**
   * Whether the caller may update this object even where the class permission `update` is closed to it. All other checks
   * stay: `write`, `addField`, read-only fields, hooks.
   */
  updatesOwn?(id: string, caller: Caller): boolean
  /** Says in place of the ACL who may change or delete an object; throws to refuse it. */
  write?(id: string, caller: Caller): void
  /** Called after objects of the class were written or deleted. */
  changed?(): void
  /** What lines of an export hold besides the fields: an SQL expression over the row, and the members that it stands for. */
  readonly exported?: { readonly value: Sql; members(value: Json): JsonObject }
  /**
   * The data of an object as the master key reads it by its id or by a query of its class, an SQL expression over the row.
   * Included pointers, scans, hooks and live queries show what is stored.
   */
  readonly shownToMaster?: Sql
  /**
   * Adds to an object what is made when it is shown. Scans, which give out what is stored, do without.
   * @param object changed in place
   */
  show?(object: PresentedObject, caller: Caller): void
  /** The answer to reading an object that does not exist, in place of `{}`. */
  missing?(): ApiError
}

interface StorageSettings {
  /** Whether `returnACL=true` has an effect (protocol/storage, Object). */
  readonly returnAclInQueries: boolean
  /** Whether clients make a class by saving its first object. */
  readonly clientClassCreation: boolean
}

/** The objects of one app: what every function of the object store works on. */
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
  /** What large answers of all apps hold in memory, and their queue. */
  readonly results: LargeResults
  readonly relations: Sql
  readonly scans: Sql
  /** When this process last wrote to a class, by class name, as an ISO date; `openedAt` for those it has not written to. */
  readonly lastWrites: Map<string, string>
  readonly openedAt: string
  /** Called after objects of a class were written or deleted; must not throw. */
  readonly wrote?: (className: string) => void
  settings(): StorageSettings
}

/** What stands for the data of rows that the caller asks for; see `ClassRules`. */
export function shownData(store: ObjectStore, className: string, caller: Caller): Sql | undefined {
  return seesSecrets(caller) ? store.rules.get(className)?.shownToMaster : undefined
}

/** To be called after objects of a class were written or deleted. */
export function noteWrite(store: ObjectStore, className: string): void {
  store.lastWrites.set(className, new Date().toISOString())
  store.rules.get(className)?.changed?.()
  store.wrote?.(className)
}

/** The rows of a class that the caller may read, as an SQL condition over them. */
export function readableRows(store: ObjectStore, className: string, caller: Caller): Sql {
  const rule = readRule(store, className, caller)
  if (!rule) return readableBy(caller)
  return sql`${readableBy(caller)} AND ${whereToSql(rule, className, whereContext(store, MASTER))}`
}

/** What `readableRows` says in SQL, of one row. @param row with `readers` and the stored `data` */
export function mayReadRow(store: ObjectStore, className: string, row: Row, caller: Caller): boolean {
  return mayRead(row, caller) && existsFor(store, className, row, caller)
}

/** Whether an object exists for the caller, by what its class asks besides ACLs. @param row with the stored `data` */
export function existsFor(store: ObjectStore, className: string, row: Row, caller: Caller): boolean {
  const rule = readRule(store, className, caller)
  return !rule || matches(rule, storedObject(row))
}

/** What the class asks besides ACLs of those who read; null: nothing. */
export function readRule(store: ObjectStore, className: string, caller: Caller): Where | null {
  return caller.master ? null : (store.rules.get(className)?.readable?.(caller) ?? null)
}

/** A row with its fields read. */
export const storedObject: Decoder<StoredObject> = rowDecoder({
  id: text('id'),
  createdAt: date('created_at'),
  updatedAt: date('updated_at'),
  data: json<JsonObject>('data'),
})

/** What a `where` needs to know of the app, seen with the caller's permissions. */
export function whereContext(store: ObjectStore, caller: Caller): WhereContext {
  return {
    typeOf: (className, field) => {
      const schema = store.classes.get(className)
      if (schema) checkAskable(schema, field, caller)
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
 * The condition of a conditional write. It may ask only what the caller could read: otherwise whether the write takes place
 * would tell it.
 * @throws ApiError 403 when the class is closed to the caller for `get`, and those of `whereToSql`
 */
export function writeCondition(store: ObjectStore, schema: ClassSchema, where: Where, caller: Caller): Sql {
  checkPermission(schema.name, schema.permissions, 'get', caller)
  return sql`${whereToSql(where, schema.name, whereContext(store, caller))} AND ${readableRows(store, schema.name, caller)}`
}

/** Checks that the caller may write the object. @returns the caller whose ACL grants decide the rest */
export function writerOf(store: ObjectStore, className: string, id: string, caller: Caller): Caller {
  const rule = store.rules.get(className)?.write
  if (!rule) return caller
  rule(id, caller)
  return MASTER
}
