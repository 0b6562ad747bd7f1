import { type Decoder, entry, json, jsonOrNull, number, rowDecoder, text } from '../../database/decode-row.ts'
import { MissingClass } from '../../database/faults.ts'
import type { Executor } from '../../database/pool.ts'
import type { Row } from '../../database/row.ts'
import { identifier, raw, type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { type FieldType, sameType } from '../../values/typed.ts'
import type { Acl } from '../access/acl.ts'
import { type ClassPermissions, DEFAULT_PERMISSIONS } from '../access/permissions.ts'
import { geoIndexExpression } from '../where/columns.ts'
import { tableNameOf } from './class-schema.ts'
import { counterOf, counterStatements } from './counters.ts'
import type { Field } from './field.ts'
import { declaredField, type FieldDeclaration } from './field-options.ts'

/** An administrator's changes to a class; omitted members leave it unchanged. */
export interface ClassChange {
  readonly mustBeNew?: boolean
  readonly permissions?: ClassPermissions | undefined
  /** null: everyone may read and write. */
  readonly defaultAcl?: Acl | undefined
  readonly fields?: ReadonlyMap<string, FieldDeclaration> | undefined
}

/** Maximum classes of an app, and maximum fields of a class (protocol/storage, Limits). */
const MAX_CLASSES = 500
export const MAX_FIELDS = 300
/** Maximum searchable fields of a class: each adds a word to look up per search term. */
const MAX_SEARCHED_FIELDS = 20

/** Larger objects are rejected with error 116 (protocol/conventions, Codes). */
export const MAX_OBJECT_BYTES = 16 * 1024 * 1024

/** A class as stored in the registry. */
export interface StoredClass {
  readonly name: string
  readonly tableName: string
  readonly permissions: ClassPermissions
  readonly defaultAcl: Acl
  readonly fields: ReadonlyMap<string, Field>
}

/**
 * The classes of one app in the database: the registry tables, and the tables of the classes. Transactions change them one at a
 * time (`lock`); `ClassRegistry` holds them in memory.
 */
export class StoredClasses {
  /** The app's schema in the database. */
  readonly #schema: string

  constructor(schema: string) {
    this.#schema = schema
  }

  /** Returns the version, which grows with each change. */
  async version(executor: Executor): Promise<number> {
    const [row] = await executor.query(sql`SELECT version FROM ${this.#own('$registry')}`)
    return number('version')(row!)
  }

  /** Locks the registry for changes until the transaction ends, and increments its version. */
  async lock(transaction: Executor): Promise<void> {
    await transaction.query(sql`UPDATE ${this.#own('$registry')} SET version = version + 1`)
  }

  /** Reads all classes, by name. */
  async readAll(executor: Executor): Promise<StoredClass[]> {
    const [classes, fields] = await Promise.all([
      executor.query(
        sql`SELECT name, table_name, permissions, default_acl FROM ${this.#own('$classes')} ORDER BY name`,
      ),
      executor.query(sql`
        SELECT class_name, name, type, target_class, options FROM ${this.#own('$fields')} ORDER BY created_at, name`),
    ])
    const byClass = new Map<string, Map<string, Field>>()
    for (const row of fields) {
      const className = ownerOf(row)
      const field = rowField(row)
      if (!byClass.has(className)) byClass.set(className, new Map())
      byClass.get(className)!.set(field.name, field)
    }
    return classes.map(rowClass).map((stored) => ({ ...stored, fields: byClass.get(stored.name) ?? new Map() }))
  }

  /**
   * Applies an administrator's changes to a class; creates the class if it does not exist.
   * @throws ApiError 1, 105, 111 with the name of the field, 154
   */
  async configure(transaction: Executor, className: string, change: ClassChange): Promise<void> {
    const isNew = await this.ensure(transaction, className)
    if (change.mustBeNew && !isNew) throw errors.badArgument(`The class '${className}' already exists.`)
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
  }

  /** Removes a class with its objects and relations. */
  async drop(transaction: Executor, className: string): Promise<void> {
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
  }

  async #declareFields(
    transaction: Executor,
    className: string,
    declarations: ReadonlyMap<string, FieldDeclaration>,
  ): Promise<void> {
    const present = await this.fields(transaction, className)
    const added = [...declarations.keys()].filter((name) => !present.has(name))
    checkFieldCount(present.size + added.length)
    const isSearched = (name: string) => declarations.get(name)?.searchable ?? present.get(name)?.options.searchable
    if ([...new Set([...present.keys(), ...added])].filter(isSearched).length > MAX_SEARCHED_FIELDS)
      throw errors.thresholdExceeded(`The class has reached its maximum of ${MAX_SEARCHED_FIELDS} 'searchable' fields.`)
    for (const [name, declaration] of declarations) {
      const current = present.get(name)
      const { type, options } = declaredField(className, name, current, declaration)
      if (!current) await this.insertField(transaction, className, name, type)
      else if (!sameType(current.type, type)) await this.#widenField(transaction, className, name, type)
      await transaction.query(sql`
        UPDATE ${this.#own('$fields')} SET options = ${JSON.stringify(options)}::jsonb
        WHERE class_name = ${className} AND name = ${name}`)
      if (options.autoIncrement && !current?.options.autoIncrement) {
        const tableName = await this.tableOf(transaction, className)
        const counter = counterOf(this.#schema, tableName, name)
        for (const statement of counterStatements(this.#own(tableName), counter)) await transaction.query(statement)
      }
    }
  }

  async names(transaction: Executor): Promise<string[]> {
    const rows = await transaction.query(sql`SELECT name FROM ${this.#own('$classes')}`)
    return rows.map(text('name'))
  }

  /** Creates the class if it does not exist. @returns whether it was created. @throws ApiError 154 */
  async ensure(transaction: Executor, className: string, admit?: () => Promise<void> | void): Promise<boolean> {
    const present = await this.names(transaction)
    if (present.includes(className)) return false
    if (present.filter((name) => !name.startsWith('_')).length >= MAX_CLASSES)
      throw errors.thresholdExceeded(`The app has reached its maximum of ${MAX_CLASSES} classes.`)
    await admit?.()
    await this.insertClass(transaction, className)
    return true
  }

  async fields(transaction: Executor, className: string): Promise<Map<string, Field>> {
    const rows = await transaction.query(sql`
      SELECT name, type, target_class, options FROM ${this.#own('$fields')} WHERE class_name = ${className}`)
    return new Map(rows.map(entry(text('name'), rowField)))
  }

  async insertClass(transaction: Executor, className: string): Promise<void> {
    const tableName = await this.#newTableName(transaction, className)
    const permissions = JSON.stringify(DEFAULT_PERMISSIONS.get(className) ?? {})
    await transaction.query(sql`
      INSERT INTO ${this.#own('$classes')} (name, table_name, permissions)
      VALUES (${className}, ${tableName}, ${permissions}::jsonb)`)
    // fillfactor: leaves space on each page for changed rows, so that updates need not touch the indexes.
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

  async insertField(transaction: Executor, className: string, name: string, type: FieldType): Promise<void> {
    const target = 'className' in type ? type.className : null
    // Fields are listed in the order of creation. Those of one object are created within a millisecond, so each gets a distinct
    // one.
    await transaction.query(sql`
      INSERT INTO ${this.#own('$fields')} (class_name, name, type, target_class, created_at)
      SELECT ${className}, ${name}, ${type.type}, ${target},
        GREATEST(clock_timestamp(), max(created_at) + interval '1 ms')
      FROM ${this.#own('$fields')}
      WHERE class_name = ${className}`)
    if (type.type !== 'GeoPoint') return
    const table = this.#own(await this.tableOf(transaction, className))
    await transaction.query(sql`CREATE INDEX ON ${table} USING gist (${geoIndexExpression(name)})`)
  }

  async #widenField(transaction: Executor, className: string, name: string, type: FieldType): Promise<void> {
    await transaction.query(sql`
      UPDATE ${this.#own('$fields')} SET type = ${type.type}, target_class = NULL
      WHERE class_name = ${className} AND name = ${name}`)
  }

  /** Returns the table of a class. @throws MissingClass */
  async tableOf(transaction: Executor, className: string): Promise<string> {
    const [row] = await transaction.query(
      sql`SELECT table_name FROM ${this.#own('$classes')} WHERE name = ${className}`,
    )
    if (!row) throw new MissingClass(`Class '${className}' not found.`)
    return text('table_name')(row)
  }

  /** Returns a table name that was never used, so that nodes that still know a deleted class do not find the new table. */
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

export function checkFieldCount(count: number): void {
  if (count > MAX_FIELDS) throw errors.thresholdExceeded(`The class has reached its maximum of ${MAX_FIELDS} fields.`)
}

const ownerOf = text('class_name')

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
