import { boolean, isTrue, json, number, rowDecoder, text, texts } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import type { Push } from '../push.ts'
import type { PushRequest } from '../push-request.ts'
import { addList, FURTHER_PUSH_JOB } from './pages.ts'
import { countsFrom, type Tally, withoutReason } from './tally.ts'
import type { Postponed } from './try-again.ts'

/** The retryable part of pushes. */
export interface GivenUp {
  /** Devices for which a provider failed in all attempts. */
  readonly devices: number
  /** Whether a push was aborted before all devices were handled. */
  readonly brokeOff: boolean
}

/** Stores the devices that are given up, so that an administrator can retry them. */
export async function noteGivenUp(
  { tables }: Push,
  transaction: Executor,
  pushId: string,
  givenUp: readonly Postponed[],
): Promise<void> {
  for (const reason of new Set(givenUp.map((device) => device.reason))) {
    const ids = givenUp.filter((device) => device.reason === reason).map(({ id }) => id)
    await transaction.query(sql`
      INSERT INTO ${tables.givenUp} (push_id, reason, devices) VALUES (${pushId}, ${reason}, ${ids}::text[])`)
  }
}

/** Returns the retryable part of pushes. @param id their notification id */
export async function givenUpOf({ database, tables }: Push, id: string): Promise<GivenUp> {
  const [row] = await database.query(sql`
    SELECT coalesce(sum((
             SELECT sum(cardinality(devices)) FROM ${tables.givenUp} WHERE push_id = push.id
           )), 0)::bigint AS devices,
           coalesce(bool_or(failure IS NOT NULL), false) AS broke_off
    FROM ${tables.pushes} AS push
    WHERE notification_id = ${id}`)
  return decodeGivenUp(row!)
}

const decodeGivenUp = rowDecoder({ devices: number('devices'), brokeOff: boolean('broke_off') })

const decodeEndedPush = rowDecoder({
  id: text('id'),
  request: json<PushRequest>('request'),
  failure: text.orNull('failure'),
  isOpen: boolean('is_open'),
  /** NULL when the push never expires. */
  hasExpired: isTrue('has_expired'),
})

const decodePage = rowDecoder({
  name: text('name'),
  after: text.orNull('after_id'),
  until: text.orNull('until_id'),
  done: boolean('done'),
})

const decodeList = rowDecoder({ reason: text('reason'), ids: texts('devices') })

/**
 * Retries the given-up devices and resumes aborted pushes. Devices that already received the push are skipped.
 * @param id notification id of the pushes
 * @returns what is retried; null when there are no such pushes
 * @throws ApiError 1 when they are still being sent, have expired, or nothing was given up
 */
export async function retryPushes(push: Push, id: string): Promise<GivenUp | null> {
  const { database, tables } = push
  return database.transaction(async (transaction) => {
    const [record] = await transaction.query(sql`
      SELECT errors FROM ${tables.records} WHERE notification_id = ${id} FOR UPDATE`)
    const rows = await transaction.query(sql`
      SELECT id, request, ended_at IS NULL AS is_open, expires_at <= now() AS has_expired, failure
      FROM ${tables.pushes} WHERE notification_id = ${id} ORDER BY id FOR UPDATE`)
    const pushes = rows.map(decodeEndedPush)
    if (!record || pushes.length === 0) return null
    if (pushes.some(({ isOpen }) => isOpen)) throw errors.badArgument('The push is still being sent.')
    let reasons: Tally['errors'] = text('errors', countsFrom)(record)
    let devices = 0
    let brokeOff = false
    for (const { id: pushId, request, failure } of pushes.filter(({ hasExpired }) => !hasExpired)) {
      const lists = await transaction.query(sql`
        DELETE FROM ${tables.givenUp} WHERE push_id = ${pushId} RETURNING reason, devices`)
      if (lists.length === 0 && failure === null) continue
      await transaction.query(sql`
        UPDATE ${tables.pushes} SET ended_at = NULL, failure = NULL WHERE id = ${pushId}`)
      for (const { reason, ids } of lists.map(decodeList)) {
        // Stored as a retry (attempt 1), because these devices were counted before.
        await addList(push, transaction, pushId, ids, 1, null)
        reasons = withoutReason(reasons, reason, ids.length)
        devices += ids.length
      }
      if (failure === null) {
        await noteAllRanges(push, transaction, pushId)
        continue
      }
      brokeOff = true
      reasons = withoutReason(reasons, failure, 1)
      await goOn(push, transaction, pushId, request)
    }
    if (devices === 0 && !brokeOff)
      throw errors.badArgument(
        pushes.some(({ hasExpired }) => hasExpired)
          ? 'The push has expired.'
          : 'No delivery of this push failed, so there is nothing to retry.',
      )
    await transaction.query(sql`
      UPDATE ${tables.records} SET status = 'in-queue', errors = ${JSON.stringify(reasons)}::jsonb, updated_at = now()
      WHERE notification_id = ${id}`)
    return { devices, brokeOff }
  })
}

/**
 * Stores an empty last range as done. The pages of an ended push are deleted; without a last range the push would not end again,
 * as its devices would be queried from the start.
 */
async function noteAllRanges({ tables }: Push, transaction: Executor, pushId: string): Promise<void> {
  await transaction.query(sql`
    INSERT INTO ${tables.pages} (push_id, name, after_id, done)
    SELECT ${pushId}, '', '', true
    WHERE NOT EXISTS (SELECT FROM ${tables.pages} WHERE push_id = ${pushId} AND after_id IS NOT NULL AND until_id IS NULL)`)
}

/** Enqueues the unfinished pages, and the ranges after the finished ones. */
async function goOn(push: Push, transaction: Executor, pushId: string, { target }: PushRequest): Promise<void> {
  const { tables, jobs, appId } = push
  const rows = await transaction.query(sql`
    SELECT name, after_id, until_id, done FROM ${tables.pages} WHERE push_id = ${pushId}`)
  const pages = rows.map(decodePage)
  const begun = new Set(pages.map(({ after }) => after))
  const unstarted = pages.map(({ until }) => until).filter((until) => until !== null && !begun.has(until))
  const first = target.kind === 'where' && !begun.has('') ? [''] : []
  const open = pages.filter(({ done }) => !done).map(({ name }) => name)
  for (const page of [...first, ...open, ...unstarted])
    await jobs.enqueue(FURTHER_PUSH_JOB, { appId, pushId, page }, { transaction })
}
