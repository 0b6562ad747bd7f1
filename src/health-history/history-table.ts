import { date, json, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Database, Executor } from '../database/pool.ts'
import type { Row } from '../database/row.ts'
import { join, raw, sql } from '../database/sql.ts'
import { type DatabaseFigures, type HistoryRow, MAX_COUNTED } from './figures.ts'
import { LATENCY_BOUNDS, quantile } from './latency.ts'

/** Days for which a row is kept. */
export const RETENTION_DAYS = 7
/** Maximum number of points in a response. */
const MAX_POINTS = 10_000

/** The figures of a node in a time step. Rates are per second, latencies in milliseconds, sizes in bytes. */
export interface HistoryPoint {
  /** Start of the step (ISO). */
  readonly at: string
  readonly node: string
  readonly requests: number
  readonly refused: number
  readonly failed: number
  /** null when there were no requests */
  readonly p50: number | null
  readonly p99: number | null
  /** Share of pages that the database found in its cache; null when it read none. */
  readonly cacheHits: number | null
  readonly busy: number
  readonly httpConnections: number
  readonly websockets: number
  readonly waiting: number
  readonly dueJobs: number
  readonly failedJobs: number
  readonly memory: number
  readonly databaseSize: number
  readonly diskFree: number
  readonly diskTotal: number
}

/** Adds a row, and deletes expired rows of all nodes. */
export async function addHistory(database: Executor, row: HistoryRow): Promise<void> {
  await database.query(sql`
    INSERT INTO homeport.health_history (at, node, seconds, requests, refused, failed, latency, cache_hits, cache_misses,
      busy, http_connections, websockets, waiting, due_jobs, failed_jobs, memory, database_size, disk_free, disk_total)
    VALUES (now(), ${row.node}, ${row.seconds}, ${row.requests}, ${row.refused}, ${row.failed},
      ${row.latency.map(String)}::text[]::integer[], ${row.cacheHits}, ${row.cacheMisses}, ${row.busy},
      ${row.httpConnections}, ${row.websockets}, ${row.waiting}, ${row.dueJobs}, ${row.failedJobs}, ${row.memory},
      ${row.databaseSize}, ${row.diskFree}, ${row.diskTotal})
    ON CONFLICT DO NOTHING`)
  await database.query(sql`
    DELETE FROM homeport.health_history WHERE at < now() - ${`${RETENTION_DAYS} days`}::interval`)
}

/** @returns the points of all nodes, oldest first; at most `MAX_POINTS` */
export async function readHistory(
  database: Database,
  { from, step }: { readonly from: Date /** Seconds */; readonly step: number },
): Promise<HistoryPoint[]> {
  const groups = Array.from({ length: LATENCY_BOUNDS.length + 1 }, (_, group) => raw(`sum(latency[${group + 1}])`))
  const { rows } = await database.search(sql`
    SELECT to_timestamp(floor(extract(epoch FROM at) / ${step}::integer) * ${step}::integer) AS began, node,
      greatest(sum(seconds), 1) AS seconds,
      sum(requests) AS requests, sum(refused) AS refused, sum(failed) AS failed,
      to_json(ARRAY[${join(groups, ', ')}]) AS latency,
      sum(cache_hits) AS hits, sum(cache_hits) + sum(cache_misses) AS asked,
      avg(busy) AS busy, max(http_connections) AS http_connections, max(websockets) AS websockets,
      max(waiting) AS waiting, max(due_jobs) AS due_jobs, max(failed_jobs) AS failed_jobs, max(memory) AS memory,
      max(database_size) AS database_size, min(disk_free) AS disk_free, max(disk_total) AS disk_total
    FROM homeport.health_history
    WHERE at >= ${from.toISOString()}::timestamptz
    GROUP BY began, node
    ORDER BY began, node
    LIMIT ${MAX_POINTS}`)
  return rows.map(pointOf)
}

/** Returns the current figures of the database. */
export async function readDatabase(database: Database): Promise<DatabaseFigures> {
  const [row] = await database.query(sql`
    SELECT
      (SELECT count(*) FROM (
        SELECT 1 FROM homeport.jobs WHERE run_at <= now() AND worker IS NULL LIMIT ${MAX_COUNTED}) AS due) AS due_jobs,
      (SELECT count(*) FROM homeport.failed_jobs) AS failed_jobs,
      pg_database_size(current_database()) AS size, blks_hit, blks_read
    FROM pg_stat_database
    WHERE datname = current_database()`)
  return decodeFigures(row!)
}

const decodeFigures = rowDecoder({
  dueJobs: number('due_jobs'),
  failedJobs: number('failed_jobs'),
  databaseSize: number('size'),
  cacheHits: number('blks_hit'),
  cacheMisses: number('blks_read'),
})

const decodeSums = rowDecoder({
  at: date('began'),
  node: text('node'),
  seconds: number('seconds'),
  requests: number('requests'),
  refused: number('refused'),
  failed: number('failed'),
  latency: json<readonly number[]>('latency'),
  hits: number('hits'),
  asked: number('asked'),
  busy: number('busy'),
  httpConnections: number('http_connections'),
  websockets: number('websockets'),
  waiting: number('waiting'),
  dueJobs: number('due_jobs'),
  failedJobs: number('failed_jobs'),
  memory: number('memory'),
  databaseSize: number('database_size'),
  diskFree: number('disk_free'),
  diskTotal: number('disk_total'),
})

function pointOf(row: Row): HistoryPoint {
  const { seconds, requests, refused, failed, latency, hits, asked, ...rest } = decodeSums(row)
  return {
    ...rest,
    requests: requests / seconds,
    refused: refused / seconds,
    failed: failed / seconds,
    p50: quantile(latency, 0.5),
    p99: quantile(latency, 0.99),
    cacheHits: asked > 0 ? hits / asked : null,
  }
}
