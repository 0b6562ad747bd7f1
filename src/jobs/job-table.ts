import { randomUUID } from 'node:crypto'
import type { Database, Executor } from '../database/pool.ts'
import type { Row } from '../database/row.ts'
import { type Sql, sql } from '../database/sql.ts'

export interface Job {
  readonly id: number
  readonly kind: string
  readonly payload: object
  /** How often it failed. */
  readonly attempts: number
  /** How often its worker died. */
  readonly interruptions: number
}

/** Adds a job that falls due at a time, null for now. */
export async function insertJob(executor: Executor, kind: string, payload: object, runAt: Date | null): Promise<void> {
  await executor.query(sql`
    INSERT INTO homeport.jobs (kind, payload, run_at)
    VALUES (${kind}, ${JSON.stringify(payload)}::jsonb, coalesce(${runAt?.toISOString() ?? null}::timestamptz, now()))`)
}

/**
 * The table of jobs as one worker uses it. A job is this worker's as long as `worker` says so and its lease has not run
 * out; every statement here leaves alone what has become somebody else's.
 */
export class JobTable {
  readonly #database: Database
  readonly #lease: number
  readonly #worker = randomUUID()

  /** @param lease milliseconds that a job stays with a worker after its last sign of life */
  constructor(database: Database, lease: number) {
    this.#database = database
    this.#lease = lease
  }

  /**
   * Takes jobs that are due. One that still has a worker is due because that worker died. The ids are made an array
   * before the update: joined with them, PostgreSQL reads the whole table where a million jobs wait.
   * @param places how many jobs of each kind there is room for
   */
  async take(places: readonly (readonly [kind: string, free: number])[]): Promise<Job[]> {
    const rows = await this.#database.query(sql`
      UPDATE homeport.jobs
      SET worker = ${this.#worker},
          run_at = ${endOf(this.#lease)},
          interruptions = interruptions + (worker IS NOT NULL)::int
      WHERE id = ANY(ARRAY(
        SELECT job.id
        FROM unnest(${places.map(([kind]) => kind)}::text[], ${places.map(([, free]) => String(free))}::text[]::int[])
          AS place (kind, free)
        CROSS JOIN LATERAL (
          SELECT jobs.id
          FROM homeport.jobs
          WHERE jobs.kind = place.kind AND run_at <= now()
          ORDER BY run_at, jobs.id
          LIMIT place.free
          FOR UPDATE SKIP LOCKED
        ) AS job
      ))
      RETURNING id, kind, payload, attempts, interruptions`)
    return rows.map(jobOf)
  }

  /** Adds a job that is this worker's already. @returns its id */
  async insertOurs(kind: string, payload: object, lease: number): Promise<number> {
    const rows = await this.#database.query(sql`
      INSERT INTO homeport.jobs (kind, payload, run_at, worker)
      VALUES (${kind}, ${JSON.stringify(payload)}::jsonb, ${endOf(lease)}, ${this.#worker})
      RETURNING id`)
    return Number(rows[0]!.id)
  }

  /** Puts the end of the leases off. @returns the ids of the jobs that are still ours */
  async renew(ids: readonly number[], lease = this.#lease): Promise<ReadonlySet<number>> {
    const rows = await this.#database.query(sql`
      UPDATE homeport.jobs
      SET run_at = ${endOf(lease)}
      WHERE id = ANY(${ids.map(String)}::text[]::bigint[]) AND ${this.#ours()}
      RETURNING id`)
    return new Set(rows.map((row) => Number(row.id)))
  }

  /** Notes a failure and lets anybody take the job again after a delay in milliseconds. */
  async retry(job: Job, error: string, delay: number): Promise<void> {
    await this.#database.query(sql`
      UPDATE homeport.jobs
      SET worker = NULL, attempts = attempts + 1, last_error = ${error}, run_at = now() + ${`${delay} ms`}::interval
      WHERE id = ${job.id} AND ${this.#ours()}`)
  }

  async remove(job: Pick<Job, 'id'>): Promise<void> {
    await this.#database.query(sql`DELETE FROM homeport.jobs WHERE id = ${job.id} AND ${this.#ours()}`)
  }

  /** Gives a job back, for anybody to take at once. */
  async release(id: number): Promise<void> {
    await this.#database.query(sql`
      UPDATE homeport.jobs
      SET worker = NULL, run_at = now()
      WHERE id = ${id} AND ${this.#ours()}`)
  }

  /** Gives every job of this worker back, for others to take at once. */
  async releaseAll(): Promise<void> {
    await this.#database.query(sql`UPDATE homeport.jobs SET worker = NULL, run_at = now() WHERE ${this.#ours()}`)
  }

  #ours(): Sql {
    return sql`worker = ${this.#worker}`
  }
}

/** @param lease in milliseconds */
function endOf(lease: number): Sql {
  return sql`now() + ${`${lease} ms`}::interval`
}

function jobOf(row: Row): Job {
  return {
    id: Number(row.id),
    kind: String(row.kind),
    payload: JSON.parse(String(row.payload)),
    attempts: Number(row.attempts),
    interruptions: Number(row.interruptions),
  }
}
