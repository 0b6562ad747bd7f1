import { text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { Push } from '../push.ts'
import { noteGivenUp } from './given-up.ts'
import { addList, type Page, type StartedPush } from './pages.ts'
import { countsFrom, sum, sumReasons, type Tally } from './tally.ts'
import type { Postponed, Retry } from './try-again.ts'

/**
 * Ends a page: adds its outcomes to the record once, and ends the push after its last page.
 * @param left devices to retry, as new pages with a start time, and devices that are given up
 */
export async function endPage(
  push: Push,
  started: StartedPush,
  page: Pick<Page, 'name' | 'attempt'>,
  tally: Tally,
  { retries, givenUp }: { readonly retries: readonly Retry[]; readonly givenUp: readonly Postponed[] },
): Promise<void> {
  const { database, tables } = push
  await database.transaction(async (transaction) => {
    // The row lock serializes the pages of a push, so that exactly one of them is the last.
    const [open] = await transaction.query(sql`
      SELECT id FROM ${tables.pushes} WHERE id = ${started.id} AND ended_at IS NULL FOR UPDATE`)
    if (!open) return
    const ended = await transaction.query(sql`
      UPDATE ${tables.pages}
      SET done = true, handled = '{}', listed = NULL
      WHERE push_id = ${started.id} AND name = ${page.name} AND NOT done
      RETURNING name`)
    // Another worker that assumed this one dead has already ended the page.
    if (ended.length === 0) return
    await addToRecord(push, transaction, started.notificationId, tally)
    await noteGivenUp(push, transaction, started.id, givenUp)
    for (const { ids, at } of retries) await addList(push, transaction, started.id, ids, page.attempt + 1, at)
    await endPush(push, transaction, started)
  })
}

async function addToRecord(
  { tables }: Push,
  transaction: Executor,
  notificationId: string,
  tally: Tally,
): Promise<void> {
  const [row] = await transaction.query(sql`
    SELECT successes, errors FROM ${tables.records} WHERE notification_id = ${notificationId} FOR UPDATE`)
  if (!row) return
  // Devices on the built-in push channel acknowledge messages themselves, so they are counted then.
  const { own: _, ...accepted } = tally.accepted
  const successes = sum(text('successes', countsFrom)(row), accepted as Tally['errors'])
  const errors = sumReasons(text('errors', countsFrom)(row), tally.errors)
  await transaction.query(sql`
    UPDATE ${tables.records}
    SET devices = devices + ${tally.devices},
        invalid_tokens = invalid_tokens + ${tally.invalid},
        successes = ${JSON.stringify(successes)}::jsonb,
        errors = ${JSON.stringify(errors)}::jsonb,
        updated_at = now()
    WHERE notification_id = ${notificationId}`)
}

/** Ends the push when no page is left, and its record when all pushes that share it have ended. */
async function endPush({ tables }: Push, transaction: Executor, started: StartedPush): Promise<void> {
  const hasRanges = started.request.target.kind === 'where'
  const ended = await transaction.query(sql`
    UPDATE ${tables.pushes}
    SET ended_at = now()
    WHERE id = ${started.id}
      AND NOT EXISTS (SELECT FROM ${tables.pages} WHERE push_id = ${started.id} AND NOT done)
      AND (NOT ${hasRanges}::boolean OR EXISTS (
        SELECT FROM ${tables.pages} WHERE push_id = ${started.id} AND after_id IS NOT NULL AND until_id IS NULL))
    RETURNING id`)
  if (ended.length === 0) return
  await transaction.query(sql`DELETE FROM ${tables.pages} WHERE push_id = ${started.id}`)
  // When every device failed, the push counts as failed (protocol/push, Notification records).
  await transaction.query(sql`
    UPDATE ${tables.records}
    SET status = CASE
          WHEN devices > 0 AND devices <= (SELECT coalesce(sum(value::bigint), 0) FROM jsonb_each_text(errors)) THEN 'error'
          ELSE 'done'
        END,
        updated_at = now()
    WHERE notification_id = ${started.notificationId}
      AND NOT EXISTS (
        SELECT FROM ${tables.pushes} WHERE notification_id = ${started.notificationId} AND ended_at IS NULL)`)
}
