import { number } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import { conversationTable } from './conversation-class.ts'

/** Bytes of a conversation up to which clients change its attributes: 500 members with the longest ids take 34 KB. */
export const MAX_CHANGED_BYTES = 128 * 1024

/**
 * Bytes of the columns that members are sent whole with each change. Without a bound a client could have hundreds of others sent a
 * large column by a change of some bytes.
 */
export const MAX_SENT_BYTES = 32 * 1024

/** Bytes up to which clients mute it: each of them is in its record. */
export const MAX_MUTED_BYTES = 1024 * 1024

/**
 * Checks that a conversation has room for what a client wants to write. Changes that come together can exceed the bound by what they
 * write.
 * @param changes values, or field operations; what only deletes is always possible
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
      `A conversation may have ${maxBytes / 1024} KB; with this change it would have ${Math.ceil(size / 1024)} KB.`,
    )
}

function isDeletion(value: Json): boolean {
  return isJsonObject(value) && (value.__op === 'Delete' || value.__op === 'Remove')
}
