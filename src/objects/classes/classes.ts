import { coalesce } from '../../database/coalesce.ts'
import { type Decoder, entry, json, jsonOrNull, number, rowDecoder, text } from '../../database/decode-row.ts'
import { MissingClass } from '../../database/faults.ts'
import type { Database, Executor } from '../../database/pool.ts'
import type { Row } from '../../database/row.ts'
import { identifier, raw, type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { FairTurns } from '../../turns/fair-turns.ts'
import { type Party, SERVER } from '../../turns/party.ts'
import { type FieldType, sameType, takes } from '../../values/field-type.ts'
import { isClassName } from '../../values/names.ts'
import type { Acl } from '../access/acl.ts'
import { type ClassPermissions, DEFAULT_PERMISSIONS } from '../access/permissions.ts'
import { geoIndexExpression } from '../where/columns.ts'
import { BUILT_IN_CLASSES, isBuiltIn } from './built-in-classes.ts'
import { BUILT_IN_INDEXES } from './built-in-indexes.ts'
import { type ClassSchema, makeSchema, tableNameOf } from './class-schema.ts'
import { counterOf, counterStatements } from './counters.ts'
import type { Field } from './field.ts'
import { declaredField, type FieldDeclaration, typeConflict } from './field-options.ts'
import { forgetField } from './forget-field.ts'

/** What an administrator wants of a class; what is left out stays as it is. */
export interface ClassChange {
  readonly mustBeNew?: boolean
  readonly permissions?: ClassPermissions | undefined
  /** null: everyone may read and write */
  readonly defaultAcl?: Acl | undefined
  readonly fields?: ReadonlyMap<string, FieldDeclaration> | undefined
}

/** protocol/storage, Limits */
const MAX_CLASSES = 500
export const MAX_FIELDS = 300
/** Fields of a class that are found by search: each is another word to look for. */
const MAX_SEARCHED_FIELDS = 20

/** How many changes of an app's classes wait for each other, and how many milliseconds each. */
const CHANGES = { places: 1, waiting: { atAddress: 1000, ofApp: 3000, inAll: 3000 }, patience: 10_000 }

/** Larger objects are refused with error 116 (protocol/conventions, Codes). */
export const MAX_OBJECT_BYTES = 16 * 1024 * 1024

/**
 * The classes of one app and their fields, held in memory. A field's type never changes once it is registered, so what
 * is known stays true while the class exists; what is not known here may have been added by another node, which `refresh`
 * finds out. Where an administrator removes a field, nodes that have not heard of it take it for what it was. A class that is deleted and made anew gets another table: see `withCurrentClasses`.
 */
export class ClassRegistry {
  readonly #database: Database
  readonly #schema: string
  #classes: ReadonlyMap<string, ClassSchema> = new Map()
  #version = 0
  /** Many look for classes that do not exist at once, if somebody makes up their names; they share what is read then. */
  readonly #refreshTogether = coalesce<string, void>(
    async (names) => {
      await this.refreshIfChanged()
      return names.map(() => ({ result: undefined }))
    },
    { atOnce: 1, size: Number.POSITIVE_INFINITY },
  )
  readonly #changed: () => void
  /**
   * Changes wait for each other here, where they hold no connection. Of a thousand clients that save the first object of
   * a class at once one makes it, and the others find it.
   */
  readonly #changes = new FairTurns(CHANGES)

  /** @param changed called when this node has changed something, and it is committed */
  constructor(database: Database, schema: string, changed: () => void = () => {}) {
    this.#database = database
    this.#schema = schema
    this.#changed = changed
  }

  /** Loads the registry, after making sure that the built-in classes exist with all their fields and indexes. */
  async open(): Promise<void> {
    await this.refresh()
    const missing = Object.entries(BUILT_IN_CLASSES).filter(([name]) => !this.#classes.has(name))
    const indexes = await this.#missingIndexes()
    if (missing.length > 0 || indexes.length > 0) {
      await this.#change(async (transaction) => {
        const present = await this.#names(transaction)
        for (const [name, fields] of missing) {
          // Another node may have made it while this one waited for its turn.
          if (present.includes(name)) continue
          await this.#insertClass(transaction, name)
          for (const [field, type] of Object.entries(fields)) await this.#insertField(transaction, name, field, type)
        }
        for (const index of indexes) {
          const { className, unique, on } = BUILT_IN_INDEXES[index]!
          await transaction.query(sql`
            CREATE ${raw(unique ? 'UNIQUE INDEX' : 'INDEX')} IF NOT EXISTS ${identifier(index)}
            ON ${identifier(this.#schema, tableNameOf(className))} ${on}`)
        }
      })
    }
    for (const [name, fields] of Object.entries(BUILT_IN_CLASSES))
      await this.ensureFields(name, new Map(Object.entries(fields)))
  }

  async #missingIndexes(): Promise<string[]> {
    const rows = await this.#database.query(sql`SELECT indexname FROM pg_indexes WHERE schemaname = ${this.#schema}`)
    const present = new Set(rows.map((row) => row.indexname))
    return Object.keys(BUILT_IN_INDEXES).filter((index) => !present.has(index))
  }

  get(className: string): ClassSchema | undefined {
    return this.#classes.get(className)
  }

  all(): ClassSchema[] {
    return [...this.#classes.values()]
  }

  /** The class, looked up in the database too when it is not known here; undefined when there is none. */
  async lookUp(className: string): Promise<ClassSchema | undefined> {
    const known = this.#classes.get(className)
    if (known) return known
    await this.#refreshTogether(className)
    return this.#classes.get(className)
  }

  /** The class, as `lookUp` finds it. @throws ApiError 101 */
  async find(className: string): Promise<ClassSchema> {
    const found = await this.lookUp(className)
    if (!found) throw errors.classMissing(className)
    return found
  }

  /**
   * Makes the class when it does not exist.
   * @param admit asked before one is made, on whatever node it was asked for first; throws to refuse it
   * @param party who asks for it
   * @throws ApiError 103, or 154 beyond the limit of classes; 429, 503 when too many changes wait
   */
  async ensureClass(className: string, admit?: () => Promise<void> | void, party?: Party): Promise<ClassSchema> {
    const known = this.#classes.get(className)
    if (known) return known
    checkMayExist(className)
    await this.#change(
      async (transaction) => {
        await this.#ensureRow(transaction, className, admit)
      },
      { party, isMade: () => this.#classes.has(className) },
    )
    return this.#classes.get(className)!
  }

  /**
   * Registers the types of fields that the class does not have yet. Of two first writes at once one decides the type.
   * @param admit asked before so many are added; throws to refuse it
   * @param party who asks for them
   * @throws ApiError 111 when a field has another type, 154 beyond the limit of fields; 429, 503 when too many changes wait;
   * MissingClass when there is no such class any more
   */
  async ensureFields(
    className: string,
    types: ReadonlyMap<string, FieldType>,
    admit?: (count: number) => Promise<void> | void,
    party?: Party,
  ): Promise<ClassSchema> {
    const isMade = () => {
      const known = this.#classes.get(className)
      return known !== undefined && missingFields(known, types).length === 0
    }
    if (isMade()) return this.#classes.get(className)!
    await this.#change(
      async (transaction) => {
        await this.#tableOf(transaction, className)
        const present = await this.#fields(transaction, className)
        const added = [...types].filter(([name, type]) => {
          const existing = present.get(name)?.type
          if (existing && !takes(existing, type)) throw typeConflict(name, existing, type)
          return !existing
        })
        if (added.length === 0) return
        checkFieldCount(present.size + added.length)
        await admit?.(added.length)
        for (const [name, type] of added) await this.#insertField(transaction, className, name, type)
      },
      { party, isMade },
    )
    return this.#classes.get(className)!
  }

  /**
   * Changes what an administrator may change of a class, all of it or nothing; makes the class when it does not exist.
   * @throws ApiError 1, 103, 105, 111 with the name of the field, 154
   */
  async configure(className: string, change: ClassChange): Promise<ClassSchema> {
    checkMayExist(className)
    await this.#change(async (transaction) => {
      const isNew = await this.#ensureRow(transaction, className)
      if (change.mustBeNew && !isNew) throw errors.badArgument(`The class '${className}' exists already.`)
      if (change.permissions) {
        await transaction.query(sql`
          UPDATE ${this.#own('$classes')}
          SET permissions = permissions || ${JSON.stringify(change.permissions)}::jsonb
          WHERE name = ${className}`)
      }
      if (change.defaultAcl !== undefined) {
        const acl = change.defaultAcl === null ? null : JSON.stringify(change.defaultAcl)
        await transaction.query(
          sql`UPDATE ${this.#own('$classes')} SET default_acl = ${acl}::jsonb WHERE name = ${className}`,
        )
      }
      if (change.fields) await this.#declareFields(transaction, className, change.fields)
    })
    return this.#classes.get(className)!
  }

  async #declareFields(
    transaction: Executor,
    className: string,
    declarations: ReadonlyMap<string, FieldDeclaration>,
  ): Promise<void> {
    const present = await this.#fields(transaction, className)
    const added = [...declarations.keys()].filter((name) => !present.has(name))
    checkFieldCount(present.size + added.length)
    const isSearched = (name: string) => declarations.get(name)?.searchable ?? present.get(name)?.options.searchable
    if ([...new Set([...present.keys(), ...added])].filter(isSearched).length > MAX_SEARCHED_FIELDS)
      throw errors.thresholdExceeded(`A class may have ${MAX_SEARCHED_FIELDS} fields that are 'searchable'.`)
    for (const [name, declaration] of declarations) {
      const current = present.get(name)
      const { type, options } = declaredField(className, name, current, declaration)
      if (!current) await this.#insertField(transaction, className, name, type)
      else if (!sameType(current.type, type)) await this.#widenField(transaction, className, name, type)
      await transaction.query(sql`
        UPDATE ${this.#own('$fields')} SET options = ${JSON.stringify(options)}::jsonb
        WHERE class_name = ${className} AND name = ${name}`)
      if (options.autoIncrement && !current?.options.autoIncrement) {
        const tableName = await this.#tableOf(transaction, className)
        const counter = counterOf(this.#schema, tableName, name)
        for (const statement of counterStatements(this.#own(tableName), counter)) await transaction.query(statement)
      }
    }
  }

  /** Removes a field whose values are gone, with the indexes that hold it. A field of that name may have another type then. */
  async removeField(className: string, field: string): Promise<void> {
    await this.#change(async (transaction) => {
      const tableName = await this.#tableOf(transaction, className)
      await forgetField(transaction, { schema: this.#schema, className, tableName, field })
    })
  }

  /** Removes a class with its objects and relations. */
  async drop(className: string): Promise<void> {
    await this.#change(async (transaction) => {
      const [row] = await transaction.query(
        sql`DELETE FROM ${this.#own('$classes')} WHERE name = ${className} RETURNING table_name`,
      )
      if (!row) return
      await transaction.query(sql`DELETE FROM ${this.#own('$relations')} WHERE owner_class = ${className}`)
      await transaction.query(sql`DROP TABLE ${this.#own(text('table_name')(row))}`)
      await transaction.query(sql`
        INSERT INTO ${this.#own('$dropped_classes')} AS dropped (name, times)
        VALUES (${className}, 1)
        ON CONFLICT (name) DO UPDATE SET times = dropped.times + 1`)
    })
  }

  /** Grows with each change that is known here. */
  get version(): number {
    return this.#version
  }

  /** Reads the registry anew if another node has changed it. */
  async refreshIfChanged(): Promise<void> {
    const [row] = await this.#database.query(sql`SELECT version FROM ${this.#own('$registry')}`)
    if (number('version')(row!) !== this.#version) await this.refresh()
  }

  async refresh(): Promise<void> {
    // The version first: if something changes in between, what is read is newer than its number, never older.
    const [row] = await this.#database.query(sql`SELECT version FROM ${this.#own('$registry')}`)
    const version = number('version')(row!)
    const [classes, fields] = await Promise.all([
      this.#database.query(
        sql`SELECT name, table_name, permissions, default_acl FROM ${this.#own('$classes')} ORDER BY name`,
      ),
      this.#database.query(sql`
        SELECT class_name, name, type, target_class, options FROM ${this.#own('$fields')} ORDER BY created_at, name`),
    ])
    if (version < this.#version) return
    const byClass = new Map<string, Map<string, Field>>()
    for (const field of fields) {
      const className = text('class_name')(field)
      const decoded = rowField(field)
      if (!byClass.has(className)) byClass.set(className, new Map())
      byClass.get(className)!.set(decoded.name, decoded)
    }
    this.#classes = new Map(
      classes.map((row) => {
        const stored = rowClass(row)
        const { name } = stored
        const previous = this.#classes.get(name)
        const next = makeSchema(this.#schema, stored, byClass.get(name) ?? new Map())
        // Statements that are already prepared on the connections stay in use.
        return [name, previous?.tableName === next.tableName ? { ...next, statements: previous.statements } : next]
      }),
    )
    this.#version = version
  }

  /**
   * One change of the registry at a time, for all nodes; afterwards this node knows the outcome.
   * @param isMade whether there is nothing left to do when its turn has come
   */
  async #change(
    work: (transaction: Executor) => Promise<void>,
    { party = SERVER, isMade = () => false }: { party?: Party | undefined; isMade?: () => boolean } = {},
  ): Promise<void> {
    await this.#changes.perform(party, async () => {
      if (isMade()) return
      await this.#database.transaction(async (transaction) => {
        await transaction.query(sql`UPDATE ${this.#own('$registry')} SET version = version + 1`)
        await work(transaction)
      }, party)
      this.#changed()
      await this.refresh()
    })
  }

  async #names(transaction: Executor): Promise<string[]> {
    const rows = await transaction.query(sql`SELECT name FROM ${this.#own('$classes')}`)
    return rows.map(text('name'))
  }

  /** Makes the class when it does not exist. @returns whether it did not. @throws ApiError 154 */
  async #ensureRow(transaction: Executor, className: string, admit?: () => Promise<void> | void): Promise<boolean> {
    const present = await this.#names(transaction)
    if (present.includes(className)) return false
    if (present.filter((name) => !name.startsWith('_')).length >= MAX_CLASSES)
      throw errors.thresholdExceeded(`An app may have ${MAX_CLASSES} classes.`)
    await admit?.()
    await this.#insertClass(transaction, className)
    return true
  }

  async #fields(transaction: Executor, className: string): Promise<Map<string, Field>> {
    const rows = await transaction.query(sql`
      SELECT name, type, target_class, options FROM ${this.#own('$fields')} WHERE class_name = ${className}`)
    return new Map(rows.map(entry(text('name'), rowField)))
  }

  async #insertClass(transaction: Executor, className: string): Promise<void> {
    const tableName = await this.#newTableName(transaction, className)
    const permissions = JSON.stringify(DEFAULT_PERMISSIONS.get(className) ?? {})
    await transaction.query(sql`
      INSERT INTO ${this.#own('$classes')} (name, table_name, permissions)
      VALUES (${className}, ${tableName}, ${permissions}::jsonb)`)
    // fillfactor: room for a changed row on its own page, so that an update need not touch the indexes.
    await transaction.query(sql`
      CREATE TABLE ${identifier(this.#schema, tableName)} (
        id text COLLATE "C" PRIMARY KEY,
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        acl jsonb,
        readers text[],
        writers text[],
        data jsonb NOT NULL CONSTRAINT object_size CHECK (pg_column_size(data) <= ${raw(String(MAX_OBJECT_BYTES))})
      ) WITH (fillfactor = 90)`)
  }

  async #insertField(transaction: Executor, className: string, name: string, type: FieldType): Promise<void> {
    const target = 'className' in type ? type.className : null
    // Fields stand in the order in which they were made: those of one object are made within a millisecond, so that each
    // is given one of its own.
    await transaction.query(sql`
      INSERT INTO ${this.#own('$fields')} (class_name, name, type, target_class, created_at)
      SELECT ${className}, ${name}, ${type.type}, ${target},
        GREATEST(clock_timestamp(), max(created_at) + interval '1 ms')
      FROM ${this.#own('$fields')}
      WHERE class_name = ${className}`)
    if (type.type !== 'GeoPoint') return
    const table = this.#own(await this.#tableOf(transaction, className))
    await transaction.query(sql`CREATE INDEX ON ${table} USING gist (${geoIndexExpression(name)})`)
  }

  async #widenField(transaction: Executor, className: string, name: string, type: FieldType): Promise<void> {
    await transaction.query(sql`
      UPDATE ${this.#own('$fields')} SET type = ${type.type}, target_class = NULL
      WHERE class_name = ${className} AND name = ${name}`)
  }

  /** @throws MissingClass */
  async #tableOf(transaction: Executor, className: string): Promise<string> {
    const [row] = await transaction.query(
      sql`SELECT table_name FROM ${this.#own('$classes')} WHERE name = ${className}`,
    )
    if (!row) throw new MissingClass(`There is no class '${className}'.`)
    return text('table_name')(row)
  }

  /** A table of this name has never been: who still knows one of a class that was deleted meets none. */
  async #newTableName(transaction: Executor, className: string): Promise<string> {
    const [dropped] = await transaction.query(
      sql`SELECT times FROM ${this.#own('$dropped_classes')} WHERE name = ${className}`,
    )
    return dropped ? `${tableNameOf(className)}$${dropped.times}` : tableNameOf(className)
  }

  #own(table: string): Sql {
    return identifier(this.#schema, table)
  }
}

/** The fields of `types` that the class lacks. @throws ApiError 111 when it has one with another type */
export function missingFields(schema: ClassSchema, types: ReadonlyMap<string, FieldType>): string[] {
  const missing: string[] = []
  for (const [name, type] of types) {
    const field = schema.fields.get(name)
    if (!field) missing.push(name)
    else if (!takes(field.type, type)) throw typeConflict(name, field.type, type)
  }
  return missing
}

function checkMayExist(className: string): void {
  if (!isClassName(className) || (className.startsWith('_') && !isBuiltIn(className)))
    throw errors.invalidClassName(className)
}

function checkFieldCount(count: number): void {
  if (count > MAX_FIELDS) throw errors.thresholdExceeded(`A class may have ${MAX_FIELDS} fields.`)
}

function rowType(row: Row): FieldType {
  const { type, targetClass } = decodeType(row)
  return (type === 'Pointer' || type === 'Relation' ? { type, className: targetClass } : { type }) as FieldType
}

const decodeType = rowDecoder({ type: text('type'), targetClass: text.orNull('target_class') })

const rowField: Decoder<Field> = rowDecoder({
  name: text('name'),
  type: rowType,
  options: json<Field['options']>('options'),
})

const rowClass = rowDecoder({
  name: text('name'),
  tableName: text('table_name'),
  permissions: json<ClassPermissions>('permissions'),
  defaultAcl: jsonOrNull<Acl>('default_acl'),
})
