import { number } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { countClasses, type RowCount } from '../objects/reading/count-rows.ts'
import type { ObjectStore } from '../objects/store.ts'
import { schemaOf } from './apps.ts'

/** The size of an app. */
export interface AppFigures {
  readonly classes: number
  /** Of all classes, including the built-in ones */
  readonly objects: number
  readonly users: number
  readonly devices: number
  readonly conversations: number
  readonly messages: number
  readonly files: number
  /** Size in the database with indexes; bytes of files are stored elsewhere */
  readonly bytes: number
  /** Names of the figures that are estimates of PostgreSQL */
  readonly estimated: readonly (keyof AppFigures)[]
}

const NONE: RowCount = { count: 0, kind: 'exact' }

/** Returns the figures of an app, consistent with the counts of its classes. The cost does not grow with the size of the app. */
export async function figuresOf(database: Database, store: ObjectStore, appId: string): Promise<AppFigures> {
  const counts = await countClasses(store)
  const [tables] = await database.query(sql`
    SELECT coalesce(sum(pg_total_relation_size(stat.relid)), 0) AS bytes,
      coalesce(sum(greatest(stat.n_live_tup, class.reltuples::bigint, 0)) FILTER (WHERE stat.relname = '$messages'), 0)
        AS messages
    FROM pg_stat_user_tables AS stat
    JOIN pg_class AS class ON class.oid = stat.relid
    WHERE stat.schemaname = ${schemaOf(appId)}`)
  const rows: Readonly<Record<string, readonly RowCount[]>> = {
    objects: Object.values(counts),
    users: [counts._User ?? NONE],
    devices: [counts._Installation ?? NONE],
    conversations: [counts._Conversation ?? NONE],
    files: [counts._File ?? NONE],
  }
  const sum = (name: string) => rows[name]!.reduce((total, { count }) => total + count, 0)
  const estimated = Object.keys(rows).filter((name) => rows[name]!.some(({ kind }) => kind !== 'exact'))
  return {
    classes: Object.keys(counts).length,
    objects: sum('objects'),
    users: sum('users'),
    devices: sum('devices'),
    conversations: sum('conversations'),
    files: sum('files'),
    messages: number('messages')(tables!),
    bytes: number('bytes')(tables!),
    estimated: [...estimated, 'messages'] as (keyof AppFigures)[],
  }
}
