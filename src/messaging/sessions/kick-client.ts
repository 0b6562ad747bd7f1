import { text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { storableText } from '../../values/json.ts'
import { kickOf } from '../kicks.ts'
import type { Messaging } from '../messaging.ts'
import type { ClientSession } from '../presence.ts'

/** KICKED_BY_APP (protocol/realtime, Error codes) */
const KICKED = 4115

/** Characters (protocol/realtime, Limits). */
const MAX_REASON_LENGTH = 20

const KICKS_AT_ONCE = 1000

/**
 * Ends all sessions of a client. Its earlier session tokens and signatures become invalid (protocol/messaging, Client operations;
 * protocol/realtime, session/opened; protocol/realtime, Signatures).
 * @param reason the reason that the client is sent; null for the name of the code
 * @throws ApiError 1 when the reason is too long
 */
export async function kickClient(messaging: Messaging, clientId: string, reason: string | null): Promise<void> {
  if (reason !== null && [...reason].length > MAX_REASON_LENGTH)
    throw errors.badArgument(`'reason' must have at most ${MAX_REASON_LENGTH} characters.`)
  const shown = reason === null ? null : storableText(reason)
  const { kicks } = messaging.tables
  await messaging.database.query(sql`
    INSERT INTO ${kicks} AS kick (client_id, ts, reason)
    VALUES (${clientId}, ${Date.now()}::bigint, ${shown})
    ON CONFLICT (client_id) DO UPDATE SET ts = greatest(kick.ts, excluded.ts), reason = excluded.reason`)
  messaging.presence.endSessions({ clientId, tag: null, except: null }, KICKED, shown ?? 'KICKED_BY_APP')
}

/**
 * Publishes the kicks since a time, in milliseconds, to all nodes again; called when the bus is connected again. Sessions that
 * began after the kick are kept.
 */
export async function repeatKicks({ database, tables, presence }: Messaging, since: number): Promise<void> {
  let after = ''
  for (;;) {
    const rows = await database.query(sql`
      SELECT client_id, ts, reason
      FROM ${tables.kicks}
      WHERE ts >= ${since}::bigint AND client_id > ${after}
      ORDER BY client_id
      LIMIT ${KICKS_AT_ONCE}::bigint`)
    for (const row of rows) {
      after = text('client_id')(row)
      const { ts, reason } = kickOf(row)
      presence.endSessions({ clientId: after, tag: null, except: null, openedUntil: ts }, KICKED, reason)
    }
    if (rows.length < KICKS_AT_ONCE) return
  }
}

/**
 * Ends a session that was opened while its client was kicked: the kick found no session to end, or its event is still on the way.
 * The client is sent the same reason in both cases.
 * @param since when the opening began, in milliseconds
 */
export async function endIfKicked({ kicks }: Messaging, session: ClientSession, since: number): Promise<void> {
  const kick = await kicks.last(session.clientId)
  if (kick && kick.ts >= since) session.end(KICKED, kick.reason)
}
