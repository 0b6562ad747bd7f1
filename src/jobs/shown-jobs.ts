import { type Decoder, date, number, oneOf, rowDecoder, text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { type Sql, sql } from '../database/sql.ts'

/** Maximum number of jobs counted, because there may be millions. */
const MAX_COUNTED = 100_000
const PAGE = 100

/** `failed`: given up. `retrying`: failed, retried later. `waiting`: not due or not taken yet. `running`: taken by a worker. */
export const JOB_STATES = ['failed', 'retrying', 'running', 'waiting'] as const
export type JobState = (typeof JOB_STATES)[number]

/** A job as shown to administrators. Its payload may hold secrets and is not included. */
export interface ShownJob {
  readonly id: number
  readonly kind: string
  readonly state: JobState
  /** Id of the app the job is for, if the payload has one. */
  readonly appId: string | null
  /** How often it failed. */
  readonly attempts: number
  readonly error: string | null
  /** ISO 8601: when it was given up, or when it is due. */
  readonly at: string
}

/** The number of jobs of one kind in one state. */
export interface JobCount {
  readonly kind: string
  readonly state: JobState
  readonly count: number
}

/** Counts jobs by kind and state. Beyond `MAX_COUNTED` jobs, only part of them is counted. */
export async function countJobs(database: Database): Promise<JobCount[]> {
  const { rows } = await database.search(sql`
    SELECT kind, state, count(*) AS count
    FROM (
      SELECT kind, ${STATE} AS state FROM (SELECT * FROM homeport.jobs LIMIT ${MAX_COUNTED}) AS jobs
      UNION ALL SELECT kind, 'failed' FROM homeport.failed_jobs
    ) AS known
    GROUP BY kind, state
    ORDER BY kind, state`)
  return rows.map(decodeCount)
}

/**
 * Returns a page of jobs in a state, newest first.
 * @param before id of a job: only older jobs are returned
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

/** Retries a failed job at once, also one that was given up. @returns false when it no longer exists */
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

/** Deletes a failed job that is not running. @returns false when it no longer exists */
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
