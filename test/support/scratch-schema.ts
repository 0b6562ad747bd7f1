import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { identifier, type Sql, sql, toQuery } from '../../src/database/sql.ts'
import type { StoredObject } from '../../src/objects/where/matches.ts'
import type { WhereContext } from '../../src/objects/where/where-context.ts'
import type { FieldType } from '../../src/values/typed.ts'

/** A separate schema for one test file, with class tables as created by the object store. */
export interface ScratchSchema {
  table(className: string): Sql
  readonly relations: Sql
  createClass(className: string): Promise<void>
  insert(className: string, objects: readonly StoredObject[]): Promise<void>
  run(statement: Sql): Promise<Record<string, unknown>[]>
  /** Returns the ids of the objects that meet a condition, in order. */
  ids(className: string, condition: Sql): Promise<string[]>
  close(): Promise<void>
}

export async function openScratchSchema(): Promise<ScratchSchema> {
  // The types of global setup values are declared under test/, outside the build of src/.
  const provided = (inject as (key: string) => string)('databaseUrl')
  const client = new pg.Client({ connectionString: process.env.HOMEPORT_TEST_DATABASE_URL ?? provided })
  await client.connect()
  const schema = `where_${randomBytes(6).toString('hex')}`
  const run = async (statement: Sql) => (await client.query(toQuery(statement))).rows as Record<string, unknown>[]
  const table = (className: string) => identifier(schema, className)
  const relations = identifier(schema, '$relations')
  await installGeo(client)
  await run(sql`CREATE SCHEMA ${identifier(schema)}`)
  await run(sql`CREATE TABLE ${relations} (
    owner_class text COLLATE "C", field text COLLATE "C", owner_id text COLLATE "C", related_id text COLLATE "C")`)
  return {
    table,
    relations,
    run,
    async createClass(className) {
      await run(sql`
        CREATE TABLE ${table(className)} (
          id text COLLATE "C" PRIMARY KEY,
          created_at timestamptz(3) NOT NULL,
          updated_at timestamptz(3) NOT NULL,
          acl jsonb, readers text[], writers text[],
          data jsonb NOT NULL
        )`)
    },
    async insert(className, objects) {
      await run(sql`
        INSERT INTO ${table(className)} (id, created_at, updated_at, data)
        SELECT object->>'id', (object->>'createdAt')::timestamptz, (object->>'updatedAt')::timestamptz, object->'data'
        FROM jsonb_array_elements(${JSON.stringify(objects)}::jsonb) AS object`)
    },
    async ids(className, condition) {
      const rows = await run(sql`SELECT id FROM ${table(className)} WHERE ${condition} ORDER BY id`)
      return rows.map((row) => String(row.id))
    },
    async close() {
      await run(sql`DROP SCHEMA ${identifier(schema)} CASCADE`)
      await client.end()
    },
  }
}

/** Applies the migration of the geo functions if the database lacks it; concurrent test files wait for each other. */
async function installGeo(client: pg.Client): Promise<void> {
  const migration = await readFile(new URL('../../src/database/migrations/0002_geo.sql', import.meta.url), 'utf8')
  await client.query('SET search_path = homeport, public')
  await client.query('BEGIN')
  await client.query('SELECT pg_advisory_xact_lock(20261120)')
  const { rows } = await client.query("SELECT to_regproc('homeport.geo_point') IS NULL AS missing")
  if (rows[0].missing) await client.query(`CREATE SCHEMA IF NOT EXISTS homeport; ${migration}`)
  await client.query('COMMIT')
}

/** Returns a context over a scratch schema in which every row is visible; `types` lists the known fields by class. */
export function contextOf(
  schema: ScratchSchema,
  types: Readonly<Record<string, Readonly<Record<string, FieldType>>>>,
): WhereContext {
  return {
    typeOf: (className, field) => types[className]?.[field],
    table: (className) => (Object.hasOwn(types, className) ? schema.table(className) : null),
    relations: schema.relations,
    visible: () => sql`TRUE`,
  }
}
