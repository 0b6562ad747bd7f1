import { text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { BLOCKLIST, userIn } from '../friendship/friendship.ts'
import { INBOX_SIZE, STATUS, type Statuses, tableOf, USER } from './statuses.ts'

/**
 * The first message id of an inbox. A client that has a page down to an id requests older statuses with that id minus one; for 1
 * this would be 0, which means no limit (protocol/social, Statuses).
 */
const FIRST_ID = 2

/**
 * Adds a status to the inboxes of users that exist, do not have it yet, and have not blocked its source. Deletes the oldest entry
 * of a full inbox.
 *
 * An inbox assigns its numbers under the lock of its row, which is held until the transaction ends. So a greater number never
 * becomes visible before a smaller one, and a client that requests everything since a number misses nothing. Inboxes are locked
 * in the order of their owners, so two deliveries cannot deadlock.
 * @returns false when the status was deleted
 */
export async function deliver(
  statuses: Statuses,
  transaction: Executor,
  statusId: string,
  inboxType: string,
  users: readonly string[],
): Promise<boolean> {
  // The lock keeps the status from being deleted before these entries are visible to the sweep.
  const [there] = await transaction.query(sql`
    SELECT ${userIn('source')} AS source_id
    FROM ${tableOf(statuses, STATUS)}
    WHERE id = ${statusId}
    FOR KEY SHARE`)
  if (!there) return false
  if (users.length === 0) return true
  const { inboxes, entries } = statuses.tables
  await transaction.query(sql`
    WITH receiver AS (
      SELECT given.id
      FROM (SELECT DISTINCT id COLLATE "C" AS id FROM unnest(${users}::text[]) AS listed (id)) AS given
      JOIN ${tableOf(statuses, USER)} AS "user" ON "user".id = given.id
      WHERE NOT EXISTS (
        SELECT FROM ${entries} AS entry WHERE entry.status_id = ${statusId} AND entry.owner_id = given.id)
        AND NOT EXISTS (
          SELECT
          FROM ${tableOf(statuses, BLOCKLIST)}
          WHERE ${userIn('user')} = given.id COLLATE "default"
            AND ${userIn('blockedUser')} = ${text.orNull('source_id')(there)})
      ORDER BY given.id
    ), numbered AS (
      INSERT INTO ${inboxes} AS inbox (owner_id, inbox_type, last_id)
      SELECT id, ${inboxType}, ${FIRST_ID}::integer FROM receiver ORDER BY id
      ON CONFLICT (owner_id, inbox_type) DO UPDATE SET last_id = inbox.last_id + 1
      RETURNING owner_id, last_id
    ), too_old AS (
      DELETE FROM ${entries} AS entry
      USING numbered
      WHERE entry.owner_id = numbered.owner_id
        AND entry.inbox_type = ${inboxType}
        AND entry.message_id = numbered.last_id - ${INBOX_SIZE}::integer
    )
    INSERT INTO ${entries} (owner_id, inbox_type, message_id, status_id)
    SELECT owner_id, ${inboxType}, last_id, ${statusId} FROM numbered`)
  return true
}
