import { type Decoder, date, number, oneOf, rowDecoder, text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { type Sql, sql } from '../database/sql.ts'

/** Jobs are counted no further, for there may be millions. */
const MOST_COUNTED = 100_000
const PAGE = 100

/** `failed`: given up. `retrying`: failed, and tried again later. `waiting`: not due yet or not taken yet. `running`: taken. */
export const JOB_STATES = ['failed', 'retrying', 'running', 'waiting'] as const
export type JobState = (typeof JOB_STATES)[number]

/** A job as administrators see it: what it is to do may hold secrets and is not shown. */
export interface ShownJob {
  readonly id: number
  readonly kind: string
  readonly state: JobState
  /** The app that it is for, where it says so. */
  readonly appId: string | null
  /** How often it failed. */
  readonly attempts: number
  readonly error: string | null
  /** ISO: when it failed for good, or is to run. */
  readonly at: string
}

/** How many jobs of a kind there are. */
export interface JobCount {
  readonly kind: string
  readonly state: JobState
  readonly count: number
}

/** @returns the counts by kind; beyond `MOST_COUNTED` jobs they are a part */
export async function countJobs(database: Database): Promise<JobCount[]> {
  const { rows } = await database.search(sql`
    SELECT kind, state, count(*) AS count
    FROM (
      SELECT kind, ${STATE} AS state FROM (SELECT * FROM homeport.jobs LIMIT ${MOST_COUNTED}) AS jobs
      UNION ALL SELECT kind, 'failed' FROM homeport.failed_jobs
    ) AS known
    GROUP BY kind, state
    ORDER BY kind, state`)
  return rows.map(decodeCount)
}

/**
 * @param before id of a job: only older ones
 * @returns the newest first
 */
export async function listJobs(database: Database, state: JobState, before: number | null): Promise<ShownJob[]> {
  const older = before === null ? sql`true` : sql`id < ${before}`
  const { rows } = await database.search(
    state === 'failed'
      ? sql`
        SELECT id, kind, 'failed' AS state, payload ->> 'appId' AS app, attempts, error, failed_at AS at
        FROM homeport.failed_jobs WHERE ${older} ORDER BY id DESC LIMIT ${PAGE}`
      : sql`
        SELECT id, kind, state, app, attempts, last_error AS error, at
        FROM (
          SELECT id, kind, ${STATE} AS state, payload ->> 'appId' AS app, attempts, last_error,
            date_trunc('milliseconds', run_at) AS at
          FROM homeport.jobs
        ) AS jobs
        WHERE state = ${state} AND ${older} ORDER BY id DESC LIMIT ${PAGE}`,
  )
  return rows.map(shownJob)
}

/** Has a job run at once that failed, for good or not. @returns false when there is no such job any more */
export async function retryJob(database: Database, id: number): Promise<boolean> {
  const [row] = await database.query(sql`
    WITH given_up AS (DELETE FROM homeport.failed_jobs WHERE id = ${id} RETURNING kind, payload),
    begun AS (INSERT INTO homeport.jobs (kind, payload) SELECT kind, payload FROM given_up RETURNING id),
    hastened AS (
      UPDATE homeport.jobs SET run_at = now() WHERE id = ${id} AND worker IS NULL AND attempts > 0 RETURNING id
    )
    SELECT id FROM begun UNION ALL SELECT id FROM hastened`)
  return row !== undefined
}

/** Removes a job that failed and that nobody runs. @returns false when there is no such job any more */
export async function discardJob(database: Database, id: number): Promise<boolean> {
  const [row] = await database.query(sql`
    WITH given_up AS (DELETE FROM homeport.failed_jobs WHERE id = ${id} RETURNING id),
    dropped AS (DELETE FROM homeport.jobs WHERE id = ${id} AND worker IS NULL AND attempts > 0 RETURNING id)
    SELECT id FROM given_up UNION ALL SELECT id FROM dropped`)
  return row !== undefined
}

const STATE: Sql = sql`
  CASE WHEN worker IS NOT NULL THEN 'running' WHEN attempts > 0 THEN 'retrying' ELSE 'waiting' END`

const shownJob: Decoder<ShownJob> = rowDecoder({
  id: number('id'),
  kind: text('kind'),
  state: oneOf('state', JOB_STATES),
  appId: text.orNull('app'),
  attempts: number('attempts'),
  error: text.orNull('error'),
  at: date('at'),
})

const decodeCount: Decoder<JobCount> = rowDecoder({
  kind: text('kind'),
  state: oneOf('state', JOB_STATES),
  count: number('count'),
})
