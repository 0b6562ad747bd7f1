import { createHash } from 'node:crypto'
import { identifier, type Sql, toQuery } from '../../database/sql.ts'
import { Statement } from '../../database/statement.ts'
import type { FieldType } from '../../values/typed.ts'
import type { Acl } from '../access/acl.ts'
import type { ClassPermissions } from '../access/permissions.ts'
import { PRIVATE_FIELDS } from './built-in-classes.ts'
import { type Counter, counterOf } from './counters.ts'
import type { Field } from './field.ts'

/** A class as held in memory: its table, fields and permissions. Immutable; a change replaces it. */
export interface ClassSchema {
  readonly name: string
  readonly table: Sql
  readonly tableName: string
  readonly fields: ReadonlyMap<string, Field>
  readonly permissions: ClassPermissions
  readonly defaultAcl: Acl
  /** Text of the Relation members that every object of the class shows, such as `"likes":{…},`. */
  readonly relationText: string
  readonly relationFields: readonly Field[]
  readonly fileFields: readonly string[]
  readonly geoFields: readonly string[]
  readonly requiredFields: readonly Field[]
  /** Fields that clients cannot write, including counters. */
  readonly readOnlyFields: readonly Field[]
  readonly counters: readonly Counter[]
  /** Fields that are hidden from clients or have a default value. */
  readonly adornedFields: readonly Field[]
  /** Fields that only the object's own user and the master key see. */
  readonly privateFields: readonly string[]
  /** Whether objects are sent as the stored text, because no field needs processing. */
  readonly isPlain: boolean
  readonly statements: ClassStatements
}

/** The statements that make up most of an app's traffic, as fixed texts. */
interface ClassStatements {
  readonly insert: Statement
  readonly insertMany: Statement
  /** Returns `data` as null when it is huge; then `readHuge` returns it. */
  readonly read: Statement
  /**
   * Returns `data` as null when it is large, because hundreds of such rows would be too much at once; those are `read`
   * individually.
   */
  readonly readMany: Statement
  readonly readHuge: Statement
}

/** Bytes as stored. Compressed, they may hold about a hundred times as many. */
const LARGE_ROW = 8192
const HUGE_ROW = 65_536

const MAX_TABLE_NAME = 48

/** Returns the table name of a class: its name, shortened with a hash where PostgreSQL would truncate it (63 bytes). */
export function tableNameOf(className: string): string {
  if (className.length <= MAX_TABLE_NAME) return className
  return `${className.slice(0, MAX_TABLE_NAME - 13)}$${createHash('sha256').update(className).digest('hex').slice(0, 12)}`
}

export function makeSchema(
  schemaName: string,
  row: {
    readonly name: string
    readonly tableName: string
    readonly permissions: ClassPermissions
    readonly defaultAcl: Acl
  },
  fields: ReadonlyMap<string, Field>,
): ClassSchema {
  const table = identifier(schemaName, row.tableName)
  const all = [...fields.values()]
  const relationFields = all.filter((field) => field.type.type === 'Relation')
  const namesOf = (type: FieldType['type']) =>
    all.filter((field) => field.type.type === type).map((field) => field.name)
  const fileFields = namesOf('File')
  const adornedFields = all.filter(({ options }) => options.hidden || options.default !== undefined)
  return {
    ...row,
    table,
    fields,
    relationFields,
    relationText: relationFields
      .map((field) => `${JSON.stringify(field.name)}:${JSON.stringify(relationValue(field))},`)
      .join(''),
    fileFields,
    geoFields: namesOf('GeoPoint'),
    requiredFields: all.filter(({ options }) => options.required),
    readOnlyFields: all.filter(({ options }) => options.readOnly || options.autoIncrement),
    counters: all
      .filter(({ options }) => options.autoIncrement)
      .map(({ name }) => counterOf(schemaName, row.tableName, name)),
    adornedFields,
    privateFields: [
      ...(PRIVATE_FIELDS.get(row.name) ?? []),
      ...all.filter(({ options }) => options.userPrivate).map(({ name }) => name),
    ],
    isPlain: fileFields.length === 0 && adornedFields.length === 0,
    statements: statementsOf(toQuery(table).text),
  }
}

/** Returns the value of a relation field when an object is read. */
export function relationValue(field: Field): { __type: string; className: string } {
  return { __type: 'Relation', className: 'className' in field.type ? field.type.className : '' }
}

function statementsOf(table: string): ClassStatements {
  return {
    insert: new Statement(
      `INSERT INTO ${table} (id, created_at, updated_at, acl, readers, writers, data) VALUES ($1, $2, $2, $3, $4, $5, $6)`,
    ),
    // A null list stands for that many nulls.
    insertMany: new Statement(
      `INSERT INTO ${table} (id, created_at, updated_at, acl, readers, writers, data)
       SELECT id, at, at, acl::jsonb, readers::text[], writers::text[], data
       FROM ROWS FROM (
         unnest($1::text[]), unnest($2::timestamptz[]), unnest($3::text[]), unnest($4::text[]), unnest($5::text[]),
         jsonb_array_elements($6::jsonb)
       ) AS new (id, at, acl, readers, writers, data)`,
    ),
    read: new Statement(`
      SELECT id, created_at, updated_at, acl, readers, ${dataBelow(HUGE_ROW)} FROM ${table} WHERE id = $1`),
    readMany: new Statement(`
      SELECT id, created_at, updated_at, acl, readers, ${dataBelow(LARGE_ROW)} FROM ${table} WHERE id = ANY($1::text[])`),
    readHuge: new Statement(`SELECT id, created_at, updated_at, acl, readers, data FROM ${table} WHERE id = $1`),
  }
}

function dataBelow(size: number): string {
  return `CASE WHEN pg_column_size(data) < ${size} THEN data END AS data`
}
