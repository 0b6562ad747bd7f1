import { number } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import { conversationTable } from './conversation-class.ts'

/** Maximum size of a record that clients change, in bytes: 500 members with the longest ids take 34 KB. */
export const MAX_CHANGED_BYTES = 128 * 1024

/**
 * Maximum size of the columns that members are sent in full with each change, in bytes. Otherwise a client could, with a change
 * of a few bytes, make the server send a large column to hundreds of others.
 */
export const MAX_SENT_BYTES = 32 * 1024

/** Maximum size of a record for mutes, in bytes: the record contains each client that has muted it. */
export const MAX_MUTED_BYTES = 1024 * 1024

/**
 * Checks that a change by a client does not exceed the maximum size. Concurrent changes can exceed it by what they write.
 * @param changes values or field operations; deletions are always accepted
 * @throws MessagingError 4306
 */
export async function checkRecordSize(
  messaging: Messaging,
  convId: string,
  changes: JsonObject,
  maxBytes: number,
): Promise<void> {
  const added = Object.entries(changes).filter(([, value]) => !isDeletion(value))
  if (added.length === 0) return
  const [row] = await messaging.database.query(sql`
    SELECT octet_length(data::text) AS size FROM ${conversationTable(messaging)} WHERE id = ${convId}`)
  const size = (row ? number('size')(row) : 0) + Buffer.byteLength(JSON.stringify(added))
  if (size > maxBytes)
    throw messagingErrors.updateFailed(
      `A conversation must have at most ${maxBytes / 1024} KB; with this change it would have ${Math.ceil(size / 1024)} KB.`,
    )
}

function isDeletion(value: Json): boolean {
  return isJsonObject(value) && (value.__op === 'Delete' || value.__op === 'Remove')
}
