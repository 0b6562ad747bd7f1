import { randomUUID } from 'node:crypto'
import { boolean, type Decoder, json, number, rowDecoder, text, texts } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { Push } from '../push.ts'
import type { PushRequest } from '../push-request.ts'
import { type Tally, tallyFrom } from './tally.ts'

/** A push that is being sent. Times in milliseconds since the epoch. */
export interface StartedPush {
  readonly id: string
  readonly notificationId: string
  readonly request: PushRequest
  readonly expiresAt: number | null
}

/** A part of the devices of a push, as large as one worker takes at once. */
export interface Page {
  readonly name: string
  /** Ids of installations, or null for a range of ids. */
  readonly listed: readonly string[] | null
  /** The range begins behind this id, and goes up to the other or to the end. */
  readonly after: string
  readonly until: string | null
  /** How often its devices have been tried before. */
  readonly attempt: number
  /** Devices that need nothing more, and what became of them. */
  readonly handled: ReadonlySet<string>
  readonly tally: Tally
  readonly done: boolean
}

/** What a job of the kind `push` is about. */
export interface PageJob {
  readonly appId: string
  readonly pushId: string
  /** The page; a range is named by the id that it begins behind. */
  readonly page: string
}

/** The first page of a push, or devices that it names. */
export const PUSH_JOB = 'push'
/** The other pages, and devices that are tried again. They have workers of their own: a push to one waits for none. */
export const FURTHER_PUSH_JOB = 'push further'
export const PUSH_JOBS = [PUSH_JOB, FURTHER_PUSH_JOB] as const

/** The push, as one that is being sent from now on; null when it was cancelled or has ended. */
export async function startedPush({ database, tables }: Push, pushId: string): Promise<StartedPush | null> {
  // Only the first page of a scheduled push writes: all others would wait for those that end.
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
 * Begins a range, and lets the one behind it be taken by whoever is free.
 * @param nextAt when that may begin at the earliest; null for at once
 * @returns false when another worker has begun it, or the push was cancelled
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

/** Adds a page of certain devices to a push. */
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
 * Notes that devices need nothing more, so that after a crash they are left alone.
 * @returns whether there is anything left to do: the page may have been ended by another worker, or cancelled
 */
export async function noteHandled(
  { database, tables }: Push,
  pushId: string,
  name: string,
  ids: readonly string[],
  tally: Tally,
): Promise<boolean> {
  const noted = await database.query(sql`
    UPDATE ${tables.pages}
    SET handled = handled || ${ids}::text[], tally = ${JSON.stringify(tally)}::jsonb
    WHERE push_id = ${pushId} AND name = ${name} AND NOT done
    RETURNING name`)
  return noted.length > 0
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
