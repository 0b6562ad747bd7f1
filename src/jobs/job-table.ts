import { randomUUID } from 'node:crypto'
import { type Decoder, json, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Database, Executor } from '../database/pool.ts'
import { type Sql, sql } from '../database/sql.ts'
import { storableJson } from '../values/json.ts'

/** How many failed jobs are kept, and for how many days. */
const MAX_FAILED = 1000
const RETENTION_DAYS = 7
/** Maximum characters of the error stored with a failed job. */
const MAX_ERROR = 2000

export interface Job {
  readonly id: number
  readonly kind: string
  /** Id of the app the job is for; `''` for none. */
  readonly app: string
  readonly payload: object
  /** How often it failed. */
  readonly attempts: number
  /** How often its worker died. */
  readonly interruptions: number
}

/** The free slots for jobs of a kind. */
export interface FreeSlots {
  readonly kind: string
  readonly free: number
  /** Maximum slots of one app, including those it already uses. */
  readonly ofApp: number
  /** The app whose job was taken last. */
  readonly lastApp: string
}

export interface RunningOfApp {
  readonly kind: string
  readonly app: string
  readonly jobs: number
}

/** Adds a job that is due at `runAt`, or now when null. */
export async function insertJob(executor: Executor, kind: string, payload: object, runAt: Date | null): Promise<void> {
  await executor.query(sql`
    INSERT INTO homeport.jobs (kind, payload, run_at)
    VALUES (${kind}, ${storableJson(payload)}::jsonb, coalesce(${runAt?.toISOString() ?? null}::timestamptz, now()))`)
}

/**
 * The job table as used by one worker. A job belongs to this worker while `worker` names it and its lease has not expired. The
 * statements here that change a taken job affect only jobs that still belong to this worker.
 */
export class JobTable {
  readonly #database: Database
  readonly #lease: number
  readonly #worker = randomUUID()

  /** @param lease milliseconds that a job stays with a worker after its last renewal */
  constructor(database: Database, lease: number) {
    this.#database = database
    this.#lease = lease
  }

  /**
   * Takes jobs that are due. A due job that still has a worker is one whose worker died. If more jobs are due than there are free
   * slots, each slot goes to an app that has the fewest jobs, round robin among those. The ids are collected in an array before
   * the update: with a join, PostgreSQL would read the whole table when a million jobs wait.
   * @param running how many jobs of each kind this worker already runs, by app
   */
  async take(slots: readonly FreeSlots[], running: readonly RunningOfApp[] = []): Promise<Job[]> {
    const rows = await this.#database.query(sql`
      UPDATE homeport.jobs
      SET worker = ${this.#worker},
          run_at = ${endOf(this.#lease)},
          interruptions = interruptions + (worker IS NOT NULL)::int
      WHERE id = ANY(ARRAY(
        SELECT chosen.id
        FROM unnest(
          ${slots.map(({ kind }) => kind)}::text[],
          ${slots.map(({ free }) => String(free))}::text[]::int[],
          ${slots.map(({ ofApp }) => String(ofApp))}::text[]::int[],
          ${slots.map(({ lastApp }) => lastApp)}::text[]
        ) AS place (kind, free, of_app, last_app)
        CROSS JOIN LATERAL (
          SELECT job.id
          FROM (${waitingApps()}) AS waiting
          LEFT JOIN unnest(
            ${running.map(({ kind }) => kind)}::text[],
            ${running.map(({ app }) => app)}::text[],
            ${running.map(({ jobs }) => String(jobs))}::text[]::int[]
          ) AS running (kind, app, jobs) ON running.kind = place.kind AND running.app = waiting.app
          CROSS JOIN LATERAL (
            SELECT due.id, coalesce(running.jobs, 0) + row_number() OVER (ORDER BY due.run_at, due.id) AS nth
            FROM (
              SELECT jobs.id, run_at
              FROM homeport.jobs
              WHERE jobs.kind = place.kind AND jobs.app = waiting.app AND run_at <= now()
              ORDER BY run_at, jobs.id
              LIMIT greatest(0, least(place.free, place.of_app - coalesce(running.jobs, 0)))
              FOR UPDATE SKIP LOCKED
            ) AS due
          ) AS job
          ORDER BY job.nth, waiting.app <= place.last_app COLLATE "C", waiting.app
          LIMIT place.free
        ) AS chosen
      ))
      RETURNING id, kind, app, payload, attempts, interruptions`)
    return rows.map(jobOf)
  }

  /** Adds a job that already belongs to this worker. @returns its id */
  async insertOurs(kind: string, payload: object, lease: number): Promise<number> {
    const rows = await this.#database.query(sql`
      INSERT INTO homeport.jobs (kind, payload, run_at, worker)
      VALUES (${kind}, ${storableJson(payload)}::jsonb, ${endOf(lease)}, ${this.#worker})
      RETURNING id`)
    return number('id')(rows[0]!)
  }

  /** Extends leases. @returns the ids of the jobs that still belong to this worker */
  async renew(ids: readonly number[], lease = this.#lease): Promise<ReadonlySet<number>> {
    const rows = await this.#database.query(sql`
      UPDATE homeport.jobs
      SET run_at = ${endOf(lease)}
      WHERE id = ANY(${ids.map(String)}::text[]::bigint[]) AND ${this.#ours()}
      RETURNING id`)
    return new Set(rows.map(number('id')))
  }

  /** Records a failure and releases the job to any worker after a delay in milliseconds. */
  async retry(job: Job, error: string, delay: number): Promise<void> {
    await this.#database.query(sql`
      UPDATE homeport.jobs
      SET worker = NULL, attempts = attempts + 1, last_error = ${error}, run_at = now() + ${`${delay} ms`}::interval
      WHERE id = ${job.id} AND ${this.#ours()}`)
  }

  async remove(job: Pick<Job, 'id'>): Promise<void> {
    await this.#database.query(sql`DELETE FROM homeport.jobs WHERE id = ${job.id} AND ${this.#ours()}`)
  }

  /** Moves a job to the failed jobs, of which the newest `MAX_FAILED` are kept for `KEPT_DAYS`. */
  async giveUp(job: Job, error: string): Promise<void> {
    await this.#database.query(sql`
      WITH given_up AS (DELETE FROM homeport.jobs WHERE id = ${job.id} AND ${this.#ours()} RETURNING *)
      INSERT INTO homeport.failed_jobs (id, kind, payload, attempts, error)
      SELECT id, kind, payload, attempts + 1, ${error.slice(0, MAX_ERROR)} FROM given_up`)
    await this.#database.query(sql`
      DELETE FROM homeport.failed_jobs
      WHERE failed_at < now() - ${`${RETENTION_DAYS} days`}::interval
        OR id < (SELECT id FROM homeport.failed_jobs ORDER BY id DESC OFFSET ${MAX_FAILED} LIMIT 1)`)
  }

  /** Releases a job, so that any worker can take it at once. */
  async release(id: number): Promise<void> {
    await this.#database.query(sql`
      UPDATE homeport.jobs
      SET worker = NULL, run_at = now()
      WHERE id = ${id} AND ${this.#ours()}`)
  }

  /** Releases all jobs of this worker, so that other workers can take them at once. */
  async releaseAll(): Promise<void> {
    await this.#database.query(sql`UPDATE homeport.jobs SET worker = NULL, run_at = now() WHERE ${this.#ours()}`)
  }

  #ours(): Sql {
    return sql`worker = ${this.#worker}`
  }
}

/**
 * Returns the apps that have waiting jobs of a kind. If all due jobs fit the free slots, these are the apps of the oldest jobs;
 * otherwise all apps, found by skipping from app to app in the index.
 */
function waitingApps(): Sql {
  return sql`
    WITH RECURSIVE oldest AS MATERIALIZED (
      SELECT jobs.app
      FROM homeport.jobs
      WHERE jobs.kind = place.kind AND run_at <= now()
      ORDER BY run_at
      LIMIT place.free + 1
    ),
    every (app) AS (
      SELECT (SELECT min(jobs.app) FROM homeport.jobs WHERE jobs.kind = place.kind)
      WHERE (SELECT count(*) FROM oldest) > place.free
      UNION ALL
      SELECT (SELECT min(jobs.app) FROM homeport.jobs WHERE jobs.kind = place.kind AND jobs.app > every.app)
      FROM every
      WHERE every.app IS NOT NULL
    )
    SELECT DISTINCT app FROM oldest WHERE (SELECT count(*) FROM oldest) <= place.free
    UNION ALL
    SELECT app FROM every WHERE app IS NOT NULL`
}

/** Returns the end of a lease of that many milliseconds. */
function endOf(lease: number): Sql {
  return sql`now() + ${`${lease} ms`}::interval`
}

const jobOf: Decoder<Job> = rowDecoder({
  id: number('id'),
  kind: text('kind'),
  app: text('app'),
  payload: json<object>('payload'),
  attempts: number('attempts'),
  interruptions: number('interruptions'),
})
