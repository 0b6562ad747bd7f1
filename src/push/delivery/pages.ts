import { randomUUID } from 'node:crypto'
import { boolean, type Decoder, json, number, rowDecoder, text, texts } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { Push } from '../push.ts'
import type { PushRequest } from '../push-request.ts'
import { type Tally, tallyFrom } from './tally.ts'

/** A push that is being sent. Times are milliseconds since the epoch. */
export interface StartedPush {
  readonly id: string
  readonly notificationId: string
  readonly request: PushRequest
  readonly expiresAt: number | null
}

/** A part of a push's devices, sized for one job. */
export interface Page {
  readonly name: string
  /** Ids of installations; null: a range of ids. */
  readonly listed: readonly string[] | null
  /** The range begins after this id and ends with `until`, or is open-ended if that is null. */
  readonly after: string
  readonly until: string | null
  /** Number of earlier attempts. */
  readonly attempt: number
  /** Devices that are done. Their outcomes are in `tally`. */
  readonly handled: ReadonlySet<string>
  readonly tally: Tally
  readonly done: boolean
}

/** The data of a push job. */
export interface PageJob {
  readonly appId: string
  readonly pushId: string
  /** Name of the page. A range is named by the id after which it begins. */
  readonly page: string
}

/** Job kind for the first page of a push, or for devices that it names. */
export const PUSH_JOB = 'push'
/** Job kind for further pages and retries. It has separate workers, so that they do not delay pushes to few devices. */
export const FURTHER_PUSH_JOB = 'push further'
export const PUSH_JOBS = [PUSH_JOB, FURTHER_PUSH_JOB] as const

/** Marks a push as started and returns it; null when it was cancelled or has ended. */
export async function startedPush({ database, tables }: Push, pushId: string): Promise<StartedPush | null> {
  // Only the first page of a scheduled push writes. An update by every page would wait for the row lock of pages that end.
  const [row] = await database.query(sql`
    WITH begun AS (
      UPDATE ${tables.pushes}
      SET started_at = now()
      WHERE id = ${pushId} AND ended_at IS NULL AND started_at IS NULL
      RETURNING notification_id
    ), record AS (
      UPDATE ${tables.records} AS record
      SET status = 'in-queue', updated_at = now()
      FROM begun
      WHERE record.notification_id = begun.notification_id AND record.status = 'scheduled'
    )
    SELECT id, notification_id, request, expires_at
    FROM ${tables.pushes}
    WHERE id = ${pushId} AND ended_at IS NULL`)
  return row ? decodeStarted(row) : null
}

const decodeStarted: Decoder<StartedPush> = rowDecoder({
  id: text('id'),
  notificationId: text('notification_id'),
  request: json<PushRequest>('request'),
  expiresAt: text.orNull('expires_at', Date.parse),
})

export async function findPage({ database, tables }: Push, pushId: string, name: string): Promise<Page | null> {
  const [row] = await database.query(sql`
    SELECT * FROM ${tables.pages} WHERE push_id = ${pushId} AND name = ${name}`)
  return row ? pageOf(row) : null
}

/**
 * Stores a range as begun and enqueues the next one.
 * @param nextAt earliest start of the next range; null: immediately
 * @returns false when another worker has begun this range, or the push was cancelled
 */
export async function beginRange(
  push: Push,
  pushId: string,
  after: string,
  until: string | null,
  nextAt: Date | null,
): Promise<boolean> {
  const { database, tables, jobs, appId } = push
  return database.transaction(async (transaction) => {
    const inserted = await transaction.query(sql`
      INSERT INTO ${tables.pages} (push_id, name, after_id, until_id)
      SELECT id, ${after}, ${after}, ${until}
      FROM ${tables.pushes}
      WHERE id = ${pushId} AND ended_at IS NULL
      ON CONFLICT DO NOTHING
      RETURNING name`)
    if (inserted.length === 0) return false
    if (until !== null)
      await jobs.enqueue(
        FURTHER_PUSH_JOB,
        { appId, pushId, page: until },
        { transaction, ...(nextAt && { runAt: nextAt }) },
      )
    return true
  })
}

/** Adds a page of specific devices to a push. */
export async function addList(
  { tables, jobs, appId }: Push,
  transaction: Executor,
  pushId: string,
  ids: readonly string[],
  attempt: number,
  runAt: Date | null,
): Promise<void> {
  const name = `list ${randomUUID()}`
  await transaction.query(sql`
    INSERT INTO ${tables.pages} (push_id, name, listed, attempt)
    VALUES (${pushId}, ${name}, ${ids}::text[], ${attempt})`)
  const kind = attempt === 0 ? PUSH_JOB : FURTHER_PUSH_JOB
  await jobs.enqueue(kind, { appId, pushId, page: name }, { transaction, ...(runAt && { runAt }) })
}

/**
 * Records devices as handled, so that they are skipped after a crash.
 * @returns whether the page is still open: another worker may have ended it, or the push was cancelled
 */
export async function noteHandled(
  { database, tables }: Push,
  pushId: string,
  name: string,
  ids: readonly string[],
  tally: Tally,
): Promise<boolean> {
  const updated = await database.query(sql`
    UPDATE ${tables.pages}
    SET handled = handled || ${ids}::text[], tally = ${JSON.stringify(tally)}::jsonb
    WHERE push_id = ${pushId} AND name = ${name} AND NOT done
    RETURNING name`)
  return updated.length > 0
}

const pageOf: Decoder<Page> = rowDecoder({
  name: text('name'),
  listed: texts.orNull('listed'),
  after: (row) => text.orNull('after_id')(row) ?? '',
  until: text.orNull('until_id'),
  attempt: number('attempt'),
  handled: texts('handled', (ids) => new Set(ids)),
  tally: text('tally', tallyFrom),
  done: boolean('done'),
})
