import { number, rowDecoder, text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { RETENTION_DAYS } from './history-table.ts'

/** Hours between two measurements. They are rare because PostgreSQL reads the size of each table from the file system. */
const PAUSE_HOURS = 6
/** Maximum number of apps that are shown, the largest first. */
const MAX_APPS = 100

/** The size of an app in the database, in bytes. */
export interface AppSize {
  readonly appId: string
  readonly bytes: number
  /** The first size in the history, and when it was measured (ISO); null when there is only one measurement. */
  readonly before: { readonly at: string; readonly bytes: number } | null
}

/** Measures all apps, unless a node has measured them within the last `PAUSE_HOURS`. */
export async function measureApps(database: Database): Promise<void> {
  const [recent] = await database.query(sql`
    SELECT 1 FROM homeport.app_sizes WHERE at > now() - ${`${PAUSE_HOURS} hours`}::interval LIMIT 1`)
  if (recent) return
  await database.search(sql`
    INSERT INTO homeport.app_sizes (at, app, bytes)
    SELECT now(), apps.id, coalesce(sum(pg_total_relation_size(tables.oid)), 0)
    FROM homeport.apps
    LEFT JOIN pg_namespace AS schemas ON schemas.nspname = 'app_' || apps.id
    LEFT JOIN pg_class AS tables ON tables.relnamespace = schemas.oid AND tables.relkind IN ('r', 'm', 'p')
    GROUP BY apps.id
    ON CONFLICT DO NOTHING`)
  await database.query(sql`
    DELETE FROM homeport.app_sizes WHERE at < now() - ${`${RETENTION_DAYS} days`}::interval`)
}

/** @returns the latest measured sizes, the largest first */
export async function readAppSizes(database: Database): Promise<AppSize[]> {
  const { rows } = await database.search(sql`
    SELECT last.app, last.bytes, to_json(first.at AT TIME ZONE 'UTC') #>> '{}' AS first_at, first.bytes AS first_bytes
    FROM (SELECT DISTINCT ON (app) app, at, bytes FROM homeport.app_sizes ORDER BY app, at DESC) AS last
    JOIN homeport.apps ON apps.id = last.app
    LEFT JOIN LATERAL (
      SELECT at, bytes FROM homeport.app_sizes WHERE app = last.app AND at < last.at ORDER BY at LIMIT 1
    ) AS first ON true
    ORDER BY last.bytes DESC, last.app
    LIMIT ${MAX_APPS}`)
  return rows.map(decodeSize).map(({ appId, bytes, firstAt, firstBytes }) => ({
    appId,
    bytes,
    before: firstAt === null || firstBytes === null ? null : { at: `${firstAt}Z`, bytes: firstBytes },
  }))
}

const decodeSize = rowDecoder({
  appId: text('app'),
  bytes: number('bytes'),
  firstAt: text.orNull('first_at'),
  firstBytes: number.orNull('first_bytes'),
})
