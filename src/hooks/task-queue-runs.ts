import { type Decoder, json, number, rowDecoder, text } from '../database/decode-row.ts'
import { isUniqueViolation } from '../database/faults.ts'
import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { dateFromDatabase } from '../values/date.ts'
import { member } from '../values/json.ts'
import { type Outcome, outcomeOf } from './functions-outcome.ts'
import { TASK_JOB, type TaskJob, type TaskQueue, type TaskRequest } from './task-queue.ts'

interface Task {
  readonly id: string
  readonly request: TaskRequest
  /** How often it failed. */
  readonly failures: number
  /** The end of this node's lease, as the database returned it. */
  readonly leasedUntil: string
}

/** Maximum number of apps whose tasks a node runs at once. */
const CONCURRENCY = 16
/** How long the lease of a task exceeds its time limit, in milliseconds. */
const SPARE_TIME = 10_000
/** Maximum number of servers that may die while running a task before it fails. */
const MAX_LOSSES = 20
/** Maximum length of a stored result, in characters. */
const MAX_RESULT = 1024 * 1024

/**
 * Runs the tasks of the queues, one at a time for each app. All nodes take part.
 * @param open returns the queue of an app; undefined when the app is deleted
 */
export function runTasks(jobs: Jobs, open: (appId: string) => Promise<TaskQueue | undefined>): void {
  jobs.handle<TaskJob>(TASK_JOB, {
    maxAttempts: 20,
    concurrency: CONCURRENCY,
    async run({ appId }, signal) {
      const queue = await open(appId)
      if (!queue) return
      await giveUpLostTasks(queue)
      // The worker of a task continues with tasks that were added meanwhile, so no other worker waits here.
      for (let task = await takeTask(queue); task && !signal.aborted; task = await takeTask(queue)) {
        await runTask(queue, task)
      }
    },
  })
}

async function runTask(queue: TaskQueue, task: Task): Promise<void> {
  const { function: name, params, timeout, prod } = task.request
  const production = !(prod === 0 || prod === '0' || prod === false || prod === 'false')
  const outcome = await outcomeOf(queue.engine, { name, parameters: params ?? {}, production, timeout })
  if (outcome.error !== null)
    queue.engine.noteFailure('task queue', `A task failed with HTTP status ${outcome.status}.`)
  await finish(queue, task, outcome)
}

/**
 * Claims the next due task, unless one is running. Also enqueues a job for the end of the lease, which recovers the task if its
 * server has died.
 */
async function takeTask(queue: TaskQueue): Promise<Task | null> {
  const { database, table } = queue
  try {
    return await database.transaction(async (transaction) => {
      const [row] = await transaction.query(sql`
        UPDATE ${table}
        SET status = 'queued',
            leased_until = now() + (timeout + ${SPARE_TIME}::int) * interval '1 ms'
        WHERE id = (
            -- No SKIP LOCKED: a node that finds another task running also holds a lock on the next row. The node that ends
            -- that task must wait for the lock; otherwise it would take a later row, or leave the last one unprocessed.
            -- A locked row is also re-read after the wait, unlike the rows of the condition below.
            SELECT id FROM ${table} WHERE run_at <= now() AND leased_until IS NULL
            ORDER BY priority, number LIMIT 1 FOR UPDATE)
          AND NOT EXISTS (SELECT FROM ${table} WHERE leased_until IS NOT NULL)
        RETURNING id, request, failures, leased_until`)
      if (!row) return null
      const task = decodeTask(row)
      await wakeAt(queue, transaction, new Date(Date.parse(dateFromDatabase(task.leasedUntil)) + 1000))
      return task
    })
  } catch (error) {
    // Another node has claimed one at the same moment.
    if (isUniqueViolation(error)) return null
    throw error
  }
}

async function finish(queue: TaskQueue, task: Task, outcome: Outcome): Promise<void> {
  const { status, answer, error } = outcome
  const { attempts, backoff, deliveryMode } = task.request
  // Without a response it is unknown whether the function has run.
  const mayRepeat = answer !== null || deliveryMode === 'atLeastOnce'
  const repeats = error !== null && mayRepeat && task.failures < attempts
  const result = answer && error === null ? resultText(member(answer, 'result')) : null
  const runAt = repeats ? new Date(Date.now() + backoff) : null
  await queue.database.transaction(async (transaction) => {
    await transaction.query(sql`
      UPDATE ${queue.table}
      SET status = ${error === null ? 'success' : 'failed'},
          run_at = ${runAt?.toISOString() ?? null}::timestamptz,
          leased_until = NULL,
          failures = failures + ${error === null ? 0 : 1},
          finished_at = now(),
          http_status = ${status},
          result = ${result},
          error = ${error},
          expires_at = CASE WHEN ${repeats}::boolean THEN NULL ELSE now() + keep_result * interval '1 ms' END
      WHERE id = ${task.id} AND leased_until = ${task.leasedUntil}::timestamptz`)
    if (runAt) await wakeAt(queue, transaction, runAt)
  })
}

/**
 * Recovers tasks whose server died: they run again, or fail, by their delivery mode (protocol/cloud-code, Scheduled and queued
 * functions).
 */
async function giveUpLostTasks({ database, table }: TaskQueue): Promise<void> {
  const repeats = sql`(at_least_once AND losses < ${MAX_LOSSES})`
  await database.query(sql`
    UPDATE ${table}
    SET status = CASE WHEN ${repeats} THEN 'queued' ELSE 'failed' END,
        -- Truncated, because a time rounded up to the next millisecond would be in the future.
        run_at = CASE WHEN ${repeats} THEN date_trunc('milliseconds', now()) END,
        leased_until = NULL,
        losses = losses + 1,
        finished_at = CASE WHEN ${repeats} THEN NULL ELSE now() END,
        error = CASE WHEN ${repeats} THEN NULL ELSE 'The task was lost: the server that ran it ended.' END,
        expires_at = CASE WHEN ${repeats} THEN NULL ELSE now() + keep_result * interval '1 ms' END
    WHERE leased_until < now()`)
}

async function wakeAt({ jobs, appId }: TaskQueue, transaction: Executor, runAt: Date): Promise<void> {
  const job: TaskJob = { appId }
  await jobs.enqueue(TASK_JOB, job, { transaction, runAt })
}

/** Returns the text of a result; null when it is too long to store. */
function resultText(result: unknown): string | null {
  const text = JSON.stringify(result ?? null)
  return text.length <= MAX_RESULT ? text : null
}

/** `leasedUntil` is compared with the stored value, so it keeps the format of the database. */
const decodeTask: Decoder<Task> = rowDecoder({
  id: text('id'),
  request: json<TaskRequest>('request'),
  failures: number('failures'),
  leasedUntil: text('leased_until'),
})
