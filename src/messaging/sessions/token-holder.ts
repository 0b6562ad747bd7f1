import type { Messaging } from '../messaging.ts'
import { type ReadToken, readSessionToken } from './session-tokens.ts'

/**
 * Who shows a session token, on any node.
 * @returns null when it is none of ours or too old, or the client has been kicked since (protocol/realtime,
 * session/opened)
 */
export async function holderOfToken(messaging: Messaging, token: string): Promise<ReadToken | null> {
  const holder = readSessionToken(messaging.masterKey(), messaging.appId, token)
  if (!holder) return null
  const kick = await messaging.kicks.last(holder.clientId)
  return kick && holder.givenAt <= kick.ts ? null : holder
}
