import { number, rowDecoder, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import type { Messaging } from '../messaging.ts'
import { findConversation } from '../records/conversation-state.ts'

/** Who may not speak, and until when in milliseconds; null until it is lifted. */
export interface Silence {
  readonly clientId: string
  readonly until: number | null
}

/**
 * All who may not speak in a conversation now, for a time or for good, by their ids.
 * @param after the last one of the page before
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
