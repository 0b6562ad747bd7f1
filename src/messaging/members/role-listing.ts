import { rowDecoder, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { MASTER } from '../../objects/access/caller.ts'
import { findObjects } from '../../objects/reading/find.ts'
import { PLAIN_VIEW } from '../../objects/reading/present.ts'
import { allOf, type Where } from '../../objects/where/tree.ts'
import type { JsonObject } from '../../values/json.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import { MEMBER_INFO, memberInfoTable } from '../records/conversation-class.ts'
import { isRole } from './rights.ts'

export interface RoleQuery {
  readonly skip: number
  readonly limit: number
  /** Lists only this role. */
  readonly role?: string | undefined
}

/**
 * Lists the roles of a conversation, as objects with `objectId`, `clientId` and `role` (protocol/messaging, Messaging over REST).
 * @throws MessagingError 4321
 */
export async function listRoles(messaging: Messaging, convId: string, query: RoleQuery): Promise<JsonObject[]> {
  const { role, skip, limit } = query
  if (role !== undefined && !isRole(role)) throw messagingErrors.unknownRole(role)
  const conditions: Where[] = [{ kind: 'equal', path: ['cid'], value: convId }]
  if (role !== undefined) conditions.push({ kind: 'equal', path: ['role'], value: role })
  const { results } = await findObjects(
    messaging.objects,
    MEMBER_INFO,
    { where: allOf(conditions), order: [], skip, limit, count: false, view: PLAIN_VIEW },
    MASTER,
  )
  return results.map((text) => JSON.parse(text) as JsonObject)
}

/** Returns whether a client may see the roles of a conversation: only members may if it is private. */
export async function mayKnowRoles(messaging: Messaging, clientId: string, convId: string): Promise<boolean> {
  if (messaging.settings().openMembership) return true
  const conversation = await messaging.conversations.find(convId)
  return conversation !== null && (conversation.kind !== 'normal' || conversation.members.has(clientId))
}

/** Returns the client and role of an object of `_ConversationMemberInfo`; null when the conversation has no such object. */
export async function holderOfRole(
  messaging: Messaging,
  convId: string,
  infoId: string,
): Promise<{ readonly clientId: string; readonly role: string } | null> {
  const [row] = await messaging.database.query(sql`
    SELECT data->>'clientId' AS client_id, data->>'role' AS role
    FROM ${memberInfoTable(messaging)}
    WHERE id = ${infoId} AND data->>'cid' = ${convId}`)
  if (!row) return null
  const { clientId, role } = decodeHolder(row)
  return clientId === null || role === null ? null : { clientId, role }
}

/** Fields may be missing in objects that were written through the API of classes. */
const decodeHolder = rowDecoder({ clientId: text.orNull('client_id'), role: text.orNull('role') })
