import { sql } from '../database/sql.ts'
import type { Messaging } from './messaging.ts'
import { readSessionToken, type TokenHolder } from './session-tokens.ts'

/**
 * Who shows a session token, on any node.
 * @returns null when it is none of ours or too old, or the client has been kicked since (spec/realtime-protocol, 4.3)
 */
export async function holderOfToken(messaging: Messaging, token: string): Promise<TokenHolder | null> {
  const holder = readSessionToken(messaging.masterKey(), messaging.appId, token)
  if (!holder) return null
  const [kick] = await messaging.database.query(sql`
    SELECT ts FROM ${messaging.tables.kicks} WHERE client_id = ${holder.clientId}`)
  return kick && holder.givenAt <= Number(kick.ts) ? null : holder
}
