import { raw, sql } from '../../database/sql.ts'
import type { Messaging } from '../messaging.ts'
import { conversationOf, type TemporaryConversation } from './temporary-conversations.ts'

export interface TemporaryListing {
  /** Only those that this client is a member of; null: all. */
  readonly member: string | null
  /** Where the page before ended; null for the first page. */
  readonly after: Pick<TemporaryConversation, 'id' | 'expiresAt'> | null
  readonly limit: number
}

/** The temporary conversations that have not ended, those that end last first: for the app's administrators. */
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
