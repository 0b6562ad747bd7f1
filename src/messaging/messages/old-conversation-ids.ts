import { type Decoder, rowDecoder, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import type { Messaging } from '../messaging.ts'

/** Where messages are that older clients name by one id. */
export interface OldThread {
  readonly convId: string
  /** The subscriber of a system conversation whom the messages are for; null: they are for all. */
  readonly clientId: string | null
}

/** An id of today that was made as long as a digest. */
const PADDED = /^([0-9a-f]{24})0{8}$/

const DIGEST = /^[0-9a-f]{32}$/

/**
 * Finds what the `convid` of the interface 1.1 means: a conversation, also with zeros behind its id, or
 * `md5(<system conversation>:<client>)`, the messages for one subscriber (protocol/messaging, Interface 1.1). An id that means
 * nothing is taken for that of a conversation.
 */
export async function findOldThread({ conversations, database, tables }: Messaging, id: string): Promise<OldThread> {
  if (!DIGEST.test(id) || (await conversations.find(id))) return { convId: id, clientId: null }
  const padded = PADDED.exec(id)
  if (padded) return { convId: padded[1]!, clientId: null }
  const [row] = await database.query(sql`
    SELECT conv_id, substr(thread, length(conv_id) + 2) AS client_id
    FROM ${tables.messages}
    WHERE md5(thread) = ${id} AND thread <> conv_id
    LIMIT 1`)
  return row ? decodeThread(row) : { convId: id, clientId: null }
}

const decodeThread: Decoder<OldThread> = rowDecoder({ convId: text('conv_id'), clientId: text('client_id') })
