import type { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { schemaOf } from './apps.ts'

/** How much an app holds, as far as PostgreSQL knows without counting. */
export interface AppFigures {
  readonly classes: number
  /** Of all classes, the built-in ones among them */
  readonly objects: number
  readonly users: number
  readonly devices: number
  readonly conversations: number
  readonly messages: number
  readonly files: number
  /** What all of it takes in the database, with its indexes; bytes of files lie elsewhere */
  readonly bytes: number
}

/** Figures of an app. They come a little late, and cost the same whatever the app holds. */
export async function figuresOf(database: Database, appId: string): Promise<AppFigures> {
  const rows = await database.query(sql`
    SELECT stat.relname AS name, greatest(stat.n_live_tup, class.reltuples::bigint, 0) AS rows,
      pg_total_relation_size(stat.relid) AS bytes
    FROM pg_stat_user_tables AS stat
    JOIN pg_class AS class ON class.oid = stat.relid
    WHERE stat.schemaname = ${schemaOf(appId)}`)
  const tables = rows.map(({ name, rows, bytes }) => ({ name: String(name), rows: Number(rows), bytes: Number(bytes) }))
  // Tables of our own, which hold no objects, begin with `$` (docs/architecture.md, Data).
  const classes = tables.filter(({ name }) => !name.startsWith('$'))
  const rowsOf = (table: string) => tables.find(({ name }) => name === table)?.rows ?? 0
  return {
    classes: classes.length,
    objects: classes.reduce((sum, table) => sum + table.rows, 0),
    users: rowsOf('_User'),
    devices: rowsOf('_Installation'),
    conversations: rowsOf('_Conversation'),
    messages: rowsOf('$messages'),
    files: rowsOf('_File'),
    bytes: tables.reduce((sum, table) => sum + table.bytes, 0),
  }
}
