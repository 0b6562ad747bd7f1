import { randomInt } from 'node:crypto'
import { date, number, text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { storableJson } from '../../values/json.ts'
import { shownTarget } from '../installations/targets.ts'
import type { Push } from '../push.ts'
import type { PushRequest, Service } from '../push-request.ts'
import { addList, PUSH_JOB } from './pages.ts'

export interface CreatedPush {
  readonly id: string
  /** ISO date. */
  readonly createdAt: string
}

/** Minutes within which only one of several requests with the same `req_id` is sent (protocol/push, Request). */
const REQUEST_MEMORY = 5

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Generates a push id of 16 letters and digits. */
export function newPushId(): string {
  return Array.from({ length: 16 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}

/**
 * Creates a push. Once this resolves, the push is stored and will be sent in the background, immediately or at its scheduled
 * time, even if this process crashes.
 * @returns for a repeated request, the push of the first one
 * @throws ApiError 154 when the maximum of scheduled pushes or of devices per day is reached
 */
export async function createPush(push: Push, request: PushRequest, service: Service): Promise<CreatedPush> {
  const id = newPushId()
  const createdAt = new Date().toISOString()
  return push.database.transaction(async (transaction) => {
    if (request.reqId !== null) {
      const earlier = await claimRequest(push, transaction, request.reqId, id, createdAt)
      if (earlier) return earlier
    }
    await checkLimits(push, transaction, request)
    await insertPush(push, transaction, id, createdAt, request, service)
    await enqueue(push, transaction, id, request)
    return { id, createdAt }
  })
}

/** Records a request id. @returns the push of an earlier request with the same id; null when this is the first */
async function claimRequest(
  { tables }: Push,
  transaction: Executor,
  reqId: string,
  id: string,
  createdAt: string,
): Promise<CreatedPush | null> {
  const claimed = await transaction.query(sql`
    INSERT INTO ${tables.requests} AS request (req_id, push_id, created_at)
    VALUES (${reqId}, ${id}, ${createdAt}::timestamptz)
    ON CONFLICT (req_id) DO UPDATE SET push_id = excluded.push_id, created_at = excluded.created_at
    WHERE request.created_at < now() - ${`${REQUEST_MEMORY} minutes`}::interval
    RETURNING push_id`)
  if (claimed.length > 0) return null
  const [row] = await transaction.query(sql`
    SELECT push_id, created_at FROM ${tables.requests} WHERE req_id = ${reqId}`)
  return { id: text('push_id')(row!), createdAt: date('created_at')(row!) }
}

async function checkLimits(push: Push, transaction: Executor, request: PushRequest): Promise<void> {
  const { tables } = push
  const { scheduled, devicesPerDay } = push.settings().limits
  if (request.pushAt !== null) {
    const [row] = await transaction.query(sql`
      SELECT count(*) AS waiting FROM ${tables.pushes} WHERE started_at IS NULL AND ended_at IS NULL AND push_at IS NOT NULL`)
    if (number('waiting')(row!) >= scheduled)
      throw errors.thresholdExceeded(`The app has reached its maximum of ${scheduled} scheduled pushes.`)
  }
  if (devicesPerDay !== null) {
    const [row] = await transaction.query(sql`
      SELECT coalesce(sum(devices), 0)::bigint AS devices
      FROM ${tables.records}
      WHERE created_at >= date_trunc('day', now())`)
    if (number('devices')(row!) >= devicesPerDay)
      throw errors.thresholdExceeded(`Daily push limit of ${devicesPerDay} devices reached.`)
  }
}

async function insertPush(
  { tables }: Push,
  transaction: Executor,
  id: string,
  createdAt: string,
  request: PushRequest,
  service: Service,
): Promise<void> {
  const pushAt = isoOf(request.pushAt)
  await transaction.query(sql`
    WITH record AS (
      INSERT INTO ${tables.records} AS record
        (notification_id, id, created_at, updated_at, msg, target, status, prod, service, push_at)
      VALUES (
        ${request.notificationId ?? id}, ${id}, ${createdAt}::timestamptz, ${createdAt}::timestamptz,
        ${storableJson(request.data)}::jsonb, ${storableJson(shownTarget(request.target))}::jsonb,
        ${pushAt === null ? 'in-queue' : 'scheduled'}, ${request.prod}, ${service}, ${pushAt}::timestamptz)
      ON CONFLICT (notification_id) DO UPDATE SET status = excluded.status, updated_at = excluded.updated_at
      RETURNING notification_id
    )
    INSERT INTO ${tables.pushes} (id, notification_id, created_at, request, push_at, expires_at, started_at)
    SELECT ${id}, notification_id, ${createdAt}::timestamptz, ${storableJson(request)}::jsonb,
      ${pushAt}::timestamptz, ${isoOf(request.expiresAt)}::timestamptz,
      -- A push without a time has started, so delivery does not have to set the start.
      CASE WHEN ${pushAt}::timestamptz IS NULL THEN now() END
    FROM record`)
}

async function enqueue(push: Push, transaction: Executor, id: string, { target, pushAt }: PushRequest): Promise<void> {
  const runAt = pushAt === null ? null : new Date(pushAt)
  if (target.kind === 'where') {
    const job = { appId: push.appId, pushId: id, page: '' }
    await push.jobs.enqueue(PUSH_JOB, job, { transaction, ...(runAt && { runAt }) })
  } else {
    await addList(push, transaction, id, target.kind === 'devices' ? target.tokens : target.ids, 0, runAt)
  }
}

function isoOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
