import { setTimeout as sleep } from 'node:timers/promises'
import { type Decoder, json, number, rowDecoder, text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { ApiError, errors } from '../../errors.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import { type Caller, MASTER } from '../../objects/access/caller.ts'
import { storableJson } from '../../values/json.ts'
import { type Audience, audienceAfter } from './audience.ts'
import { deliver } from './deliver.ts'
import type { Statuses } from './statuses.ts'

/** The delivery of a status in progress. */
export interface FanOut {
  readonly statusId: string
  readonly inboxType: string
  readonly audience: Audience
  /** Objects of the audience's class up to this id are done. */
  readonly after: string
}

/** A fan-out as stored. */
interface StoredFanOut extends FanOut {
  /** null: sent with the master key */
  readonly senderId: string | null
}

interface FanOutJob {
  readonly appId: string
  readonly statusId: string
}

const FAN_OUT_JOB = 'status fan-out'

/** Objects read, and inboxes written, per transaction. Small, because other requests wait for its processor. */
const PAGE_SIZE = 200
/** Pages per job. Then the job is enqueued again, so that other fan-outs make progress. */
const PAGES_PER_JOB = 50
/** Maximum pause in milliseconds after a page. The pause is as long as the page took, to leave the database to others. */
const MAX_PAUSE = 100
/** Fan-outs that one node processes concurrently. */
const CONCURRENCY = 2
const MAX_ATTEMPTS = 20
/** Maximum unfinished fan-outs of one user. */
const MAX_OF_SENDER = 20

/**
 * Starts a background delivery to the receivers that the request itself has not served, when the transaction commits.
 * @throws ApiError 429 when the sender has too many unfinished fan-outs
 */
export async function beginFanOut(
  { tables: { fanOuts }, jobs, appId }: Statuses,
  transaction: Executor,
  { statusId, inboxType, audience, after }: FanOut,
  caller: Caller,
): Promise<void> {
  const senderId = caller.master ? null : caller.userId
  if (senderId !== null) {
    // Serialized per sender, so that the count is exact.
    await transaction.query(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`${appId} status ${senderId}`}, 0))`)
    const [row] = await transaction.query(sql`
      SELECT count(*) AS waiting FROM ${fanOuts} WHERE sender_id = ${senderId}`)
    if (number('waiting')(row!) >= MAX_OF_SENDER)
      throw errors.tooManyRequests(`${MAX_OF_SENDER} of your statuses are still being delivered.`, 1)
  }
  await transaction.query(sql`
    INSERT INTO ${fanOuts} (status_id, sender_id, inbox_type, audience, after_id)
    VALUES (${statusId}, ${senderId}, ${inboxType}, ${storableJson(audience)}::jsonb, ${after})`)
  await jobs.enqueue(FAN_OUT_JOB, { appId, statusId } satisfies FanOutJob, { transaction })
}

/**
 * Registers the handler that delivers statuses in the background, on any node.
 * @param open returns the statuses of an app; undefined when the app was deleted
 */
export function deliverStatuses(jobs: Jobs, open: (appId: string) => Promise<Statuses | undefined>): void {
  jobs.handle<FanOutJob>(FAN_OUT_JOB, {
    concurrency: CONCURRENCY,
    maxAttempts: MAX_ATTEMPTS,
    async run({ appId, statusId }, signal) {
      const statuses = await open(appId)
      if (statuses) await fanOutSlice(statuses, statusId, signal)
    },
    async failed({ appId, statusId }) {
      const statuses = await open(appId)
      if (statuses) await endFanOut(statuses, statuses.database, statusId)
    },
  })
}

async function fanOutSlice(statuses: Statuses, statusId: string, signal: AbortSignal): Promise<void> {
  for (let page = 0; page < PAGES_PER_JOB; page++) {
    signal.throwIfAborted()
    const fanOut = await find(statuses, statusId)
    if (!fanOut) return
    const began = performance.now()
    try {
      await deliverPage(statuses, fanOut)
    } catch (error) {
      // A permanent error: the sender has lost its permission, or the class was deleted. A retry would not help.
      if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) throw error
      statuses.log.warn({ status: statusId, error: error.message }, 'status delivery incomplete')
      return endFanOut(statuses, statuses.database, statusId)
    }
    await sleep(Math.min(performance.now() - began, MAX_PAUSE), null, { signal })
  }
  await statuses.jobs.enqueue(FAN_OUT_JOB, { appId: statuses.appId, statusId } satisfies FanOutJob)
}

/**
 * Delivers one page and stores the progress in the same transaction, so that after a crash the page is either complete or not
 * begun. If two workers have the same page, the second one finds it complete.
 */
async function deliverPage(statuses: Statuses, fanOut: StoredFanOut): Promise<void> {
  const { statusId, inboxType, audience, after } = fanOut
  const { fanOuts } = statuses.tables
  const caller = await senderOf(statuses, fanOut)
  const { users, until, isSlow = false } = await audienceAfter(statuses, audience, after, PAGE_SIZE, caller)
  await statuses.database.transaction(async (transaction) => {
    const open = await transaction.query(sql`
      SELECT FROM ${fanOuts} WHERE status_id = ${statusId} AND after_id = ${after} FOR UPDATE`)
    if (open.length === 0) return
    const isThere = await deliver(statuses, transaction, statusId, inboxType, users)
    if (!isThere || until === null) await endFanOut(statuses, transaction, statusId)
    else
      await transaction.query(sql`
        UPDATE ${fanOuts}
        SET after_id = ${until}, audience = ${storableJson({ ...audience, isSlow })}::jsonb
        WHERE status_id = ${statusId}`)
  })
}

/** Returns the sender as caller, with its current roles. */
async function senderOf({ rolesOf }: Statuses, { senderId }: StoredFanOut): Promise<Caller> {
  if (senderId === null) return MASTER
  const roles = await rolesOf(senderId)
  return { master: false, userId: senderId, grants: [senderId, ...roles.map((role) => `role:${role}`)] }
}

async function find({ database, tables }: Statuses, statusId: string): Promise<StoredFanOut | null> {
  const [row] = await database.query(sql`SELECT * FROM ${tables.fanOuts} WHERE status_id = ${statusId}`)
  return row ? fanOutOf(row) : null
}

async function endFanOut({ tables }: Statuses, executor: Executor, statusId: string): Promise<void> {
  await executor.query(sql`DELETE FROM ${tables.fanOuts} WHERE status_id = ${statusId}`)
}

const fanOutOf: Decoder<StoredFanOut> = rowDecoder({
  statusId: text('status_id'),
  senderId: text.orNull('sender_id'),
  inboxType: text('inbox_type'),
  audience: json<Audience>('audience'),
  after: text('after_id'),
})
