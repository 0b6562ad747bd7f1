import { raw, sql } from '../../database/sql.ts'
import type { Messaging } from '../messaging.ts'
import { conversationOf, type TemporaryConversation } from './temporary-conversations.ts'

export interface TemporaryListing {
  /** Lists only conversations of this member; null for all. */
  readonly member: string | null
  /** The last item of the previous page; null for the first page. */
  readonly after: Pick<TemporaryConversation, 'id' | 'expiresAt'> | null
  readonly limit: number
}

/** Lists unexpired temporary conversations for the app's administrators, in descending order of expiration. */
export async function listTemporary(
  messaging: Messaging,
  { member, after, limit }: TemporaryListing,
): Promise<TemporaryConversation[]> {
  const ofMember = member === null ? raw('') : sql`AND members @> ARRAY[${member}]::text[]`
  const beyond = after === null ? raw('') : sql`AND (expires_ts, id) < (${after.expiresAt}::bigint, ${after.id})`
  const { rows } = await messaging.database.search(sql`
    SELECT id, members, creator, created_ts, expires_ts
    FROM ${messaging.tables.temporary}
    WHERE expires_ts > (extract(epoch FROM clock_timestamp()) * 1000)::bigint ${ofMember} ${beyond}
    ORDER BY expires_ts DESC, id DESC
    LIMIT ${limit}::bigint`)
  return rows.map(conversationOf)
}
