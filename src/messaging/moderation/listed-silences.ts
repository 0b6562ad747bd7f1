import { number, rowDecoder, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import type { Messaging } from '../messaging.ts'
import { findConversation } from '../records/conversation-state.ts'

/** A silenced client, with the end in milliseconds; null for no end. */
export interface Silence {
  readonly clientId: string
  readonly until: number | null
}

/**
 * Lists the clients that are currently silenced in a conversation, temporarily or permanently, by id.
 * @param after the last client of the previous page
 * @throws MessagingError 4303
 */
export async function listSilences(
  messaging: Messaging,
  convId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<Silence[]> {
  await findConversation(messaging, convId)
  const rows = await messaging.database.query(sql`
    SELECT client_id, until_ts
    FROM ${messaging.tables.silences}
    WHERE conv_id = ${convId}
      AND client_id > ${after}
      AND (until_ts IS NULL OR until_ts > (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
    ORDER BY client_id
    LIMIT ${limit}::bigint`)
  return rows.map(decodeSilence)
}

const decodeSilence = rowDecoder({
  clientId: text('client_id'),
  until: number.orNull('until_ts'),
})
