import { sql } from '../../database/sql.ts'
import type { Patch } from '../events.ts'
import { MESSAGE_COLUMNS, messageOf } from '../messages/history.ts'
import type { Messaging } from '../messaging.ts'
import { conversationsOf } from './conversations-of-client.ts'

/** Maximum number of patches in one command. */
const PAGE_SIZE = 100

/** A change is stored slightly later than its timestamp, so the client may not have received it by that time. */
const MARGIN = 1000

/**
 * Yields the changes of messages in a client's conversations since a time, in milliseconds, oldest first (protocol/realtime, Edit
 * and recall: patch, Sync). Each page becomes one event; the next page is read on demand.
 */
export async function* missedPatches(
  messaging: Messaging,
  clientId: string,
  since: number,
): AsyncGenerator<readonly Patch[], void> {
  let after: PatchPosition = { patchedAt: since - MARGIN, id: MAX_ID }
  for (;;) {
    const page = await readPage(messaging, clientId, after)
    if (page.length > 0) yield page
    if (page.length < PAGE_SIZE) return
    const { patchedAt, id } = page.at(-1)!.message
    after = { patchedAt: patchedAt!, id }
  }
}

interface PatchPosition {
  readonly patchedAt: number
  readonly id: string
}

/** Greater than every id. */
const MAX_ID = '~'

/** Reads a page, as one range of an index for each conversation; most of them are empty. */
async function readPage(messaging: Messaging, clientId: string, after: PatchPosition): Promise<Patch[]> {
  const { rows } = await messaging.database.search(sql`
    WITH mine AS MATERIALIZED (${conversationsOf(messaging, clientId)})
    SELECT patched.*
    FROM mine
    CROSS JOIN LATERAL unnest(ARRAY[mine.conv_id, mine.own_thread]) AS place (thread)
    CROSS JOIN LATERAL (
      SELECT ${MESSAGE_COLUMNS}
      FROM ${messaging.tables.messages}
      WHERE thread = place.thread COLLATE "C"
        AND patched_at IS NOT NULL
        AND (patched_at, id) > (${after.patchedAt}::bigint, ${after.id})
        AND ts > mine.since_ts
      ORDER BY patched_at, id
      LIMIT ${PAGE_SIZE}::bigint
    ) AS patched
    ORDER BY patched_at, id
    LIMIT ${PAGE_SIZE}::bigint`)
  return rows.map((row) => ({ message: messageOf(row), cause: null }))
}
