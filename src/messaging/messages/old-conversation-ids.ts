import { type Decoder, rowDecoder, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import type { Messaging } from '../messaging.ts'

/** The thread that clients of interface 1.1 name by one id. */
export interface OldThread {
  readonly convId: string
  /** The subscriber of a system conversation that the messages are for; null for all. */
  readonly clientId: string | null
}

/** A current id, padded to the length of a digest. */
const PADDED = /^([0-9a-f]{24})0{8}$/

const DIGEST = /^[0-9a-f]{32}$/

/**
 * Resolves the `convid` of interface 1.1: a conversation, optionally padded with zeros, or `md5(<system conversation>:<client>)`,
 * the messages for one subscriber (protocol/messaging, Interface 1.1). An id that matches neither is returned as that of a
 * conversation.
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
