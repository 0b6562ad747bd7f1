import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { date, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import type { Row } from '../database/row.ts'
import { type Sql, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { type JsonObject, parseJson } from '../values/json.ts'
import type { Engine } from './engine.ts'
import { isFunctionName } from './function-name.ts'
import { FUNCTION_LIMIT } from './time-limits.ts'

/** The queued functions of one app: the context of all functions of the queue. */
export interface TaskQueue {
  readonly appId: string
  readonly database: Database
  readonly table: Sql
  readonly jobs: Jobs
  readonly engine: Engine
}

/** The job that runs due tasks of an app. */
export const TASK_JOB = 'cloud-queue'

export interface TaskJob {
  readonly appId: string
}

const MONTH = 30 * 24 * 3_600_000
const milliseconds = z.int().min(0).max(MONTH)

/** A request to queue a function (protocol/cloud-code, Scheduled and queued functions). Times in milliseconds. */
export const taskRequest = z.object({
  function: z.string().refine(isFunctionName, 'must be the name of a function'),
  params: z.record(z.string(), z.json()).nullish(),
  /** Maximum number of retries after a failure. */
  attempts: z.int().min(0).max(1000).default(1),
  backoff: milliseconds.default(60_000),
  delay: milliseconds.default(0),
  deliveryMode: z.enum(['atLeastOnce', 'atMostOnce']).default('atLeastOnce'),
  keepResult: milliseconds.default(300_000),
  /** Lower values run first. */
  priority: z.number().optional(),
  timeout: z.int().min(1).max(FUNCTION_LIMIT).default(FUNCTION_LIMIT),
  uniqueId: z
    .string()
    .regex(/^[^\p{Cc}\p{Cs}]{1,32}$/u, 'must have 1 to 32 characters')
    .optional(),
  prod: z.union([z.number(), z.string(), z.boolean()]).optional(),
})

export type TaskRequest = z.infer<typeof taskRequest>

/**
 * Adds a function to the queue.
 * @returns the id by which its state can be read
 * @throws ApiError 137 while a task with the same id exists
 */
export async function addTask(queue: TaskQueue, request: TaskRequest): Promise<string> {
  const { database, table, jobs, appId } = queue
  const { uniqueId: id = randomUUID(), delay, priority = Date.now(), timeout, keepResult, deliveryMode } = request
  const runAt = delay === 0 ? null : new Date(Date.now() + delay)
  await forgetOldTasks(queue)
  await database.transaction(async (transaction) => {
    const [added] = await transaction.query(sql`
      INSERT INTO ${table} (id, priority, request, timeout, keep_result, at_least_once, run_at)
      VALUES (
        ${id}, ${String(priority)}::float8, ${JSON.stringify(request)},
        ${timeout}, ${keepResult}, ${deliveryMode === 'atLeastOnce'},
        coalesce(${runAt?.toISOString() ?? null}::timestamptz, date_trunc('milliseconds', now())))
      ON CONFLICT DO NOTHING
      RETURNING id`)
    if (!added) throw errors.duplicateValue(`A task with the uniqueId '${id}' already exists.`)
    const job: TaskJob = { appId }
    await jobs.enqueue(TASK_JOB, job, { transaction, ...(runAt && { runAt }) })
  })
  return id
}

/**
 * Returns the state of a task for its callers; null when it is unknown or expired (protocol/cloud-code, Scheduled and queued
 * functions).
 */
export async function findTask({ database, table }: TaskQueue, id: string): Promise<JsonObject | null> {
  const [row] = await database.query(sql`
    SELECT id, status, run_at, leased_until, finished_at, http_status, result, error
    FROM ${table}
    WHERE id = ${id} AND (expires_at IS NULL OR expires_at > now())`)
  return row ? shownTask(row) : null
}

/** A task as shown to administrators: without parameters and results, which contain data of users. */
export interface ListedTask {
  readonly id: string
  readonly function: string
  /** `queued`, `success` or `failed`; a failed one may be retried. */
  readonly status: string
  /** The time of its next run, ISO; null when it has ended. */
  readonly runAt: string | null
  readonly finishedAt: string | null
  readonly failures: number
  readonly error: string | null
}

const LISTED = 100

/** Lists the newest hundred tasks. */
export async function listTasks({ database, table }: Pick<TaskQueue, 'database' | 'table'>): Promise<ListedTask[]> {
  const { rows } = await database.search(sql`
    SELECT id, request::json ->> 'function' AS function, status, run_at, finished_at, failures, error
    FROM ${table}
    WHERE expires_at IS NULL OR expires_at > now()
    ORDER BY number DESC
    LIMIT ${LISTED}`)
  return rows.map(decodeListed)
}

/** Deletes tasks whose results have expired. */
async function forgetOldTasks({ database, table }: TaskQueue): Promise<void> {
  await database.query(sql`
    DELETE FROM ${table}
    WHERE id IN (SELECT id FROM ${table} WHERE expires_at <= now() LIMIT 100 FOR UPDATE SKIP LOCKED)`)
}

function shownTask(row: Row): JsonObject {
  const { id, status, runAt, finishedAt, httpStatus, result, error } = decodeTask(row)
  return {
    uniqueId: id,
    status,
    ...(finishedAt !== null && { finishedAt }),
    ...(httpStatus !== null && { statusCode: httpStatus }),
    ...(result !== null && { result: parseJson(result, 'The result') as JsonObject }),
    ...(error !== null && { error }),
    ...(status === 'failed' && runAt !== null && { retryAt: runAt }),
  }
}

const decodeTask = rowDecoder({
  id: text('id'),
  status: text('status'),
  runAt: date.orNull('run_at'),
  finishedAt: date.orNull('finished_at'),
  httpStatus: number.orNull('http_status'),
  result: text.orNull('result'),
  error: text.orNull('error'),
})

const decodeListed = rowDecoder({
  id: text('id'),
  function: text('function'),
  status: text('status'),
  runAt: date.orNull('run_at'),
  finishedAt: date.orNull('finished_at'),
  failures: number('failures'),
  error: text.orNull('error'),
})
