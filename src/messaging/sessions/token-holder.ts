import type { Messaging } from '../messaging.ts'
import { type ReadToken, readSessionToken } from './session-tokens.ts'

/**
 * Returns the client that a session token was issued to, on any node.
 * @returns null when the token is invalid or expired, or the client has been kicked since (protocol/realtime, session/opened)
 */
export async function holderOfToken(messaging: Messaging, token: string): Promise<ReadToken | null> {
  const holder = readSessionToken(messaging.masterKey(), messaging.appId, token)
  if (!holder) return null
  const kick = await messaging.kicks.last(holder.clientId)
  return kick && holder.givenAt <= kick.ts ? null : holder
}
