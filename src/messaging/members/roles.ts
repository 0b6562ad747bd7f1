import { number, text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { MASTER } from '../../objects/access/caller.ts'
import { noteWrite } from '../../objects/store.ts'
import { createObject } from '../../objects/writing/create.ts'
import { updateObject } from '../../objects/writing/update.ts'
import { checkClientIds } from '../client-ids.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { RequestingClient } from '../presence.ts'
import { MEMBER_INFO, memberInfoTable } from '../records/conversation-class.ts'
import { notificationOf, notify } from '../records/conversation-notifications.ts'
import type { ConversationState } from '../records/conversation-state.ts'
import { findConversation, readState } from '../records/conversation-state.ts'
import { audienceOf } from './managing.ts'
import { membersTransaction } from './members-transaction.ts'
import { changeOf } from './membership.ts'
import { checkMember, checkMemberInfoIsOn, isRole, type Role, roleOf } from './rights.ts'

/** Maximum number in one conversation (protocol/messaging, Limits). */
const MAX_ROLES = 10_000

export interface GivenRole {
  /** The id of the object that stores the role. */
  readonly infoId: string
  readonly clientId: string
  readonly role: Role
  /** `updatedAt` of that object, ISO. */
  readonly updatedAt: string
}

/**
 * Sets the role of a member, stored as an object of `_ConversationMemberInfo` (protocol/realtime, Member roles).
 * @param client null for the app's back end; among clients only owners set roles, and they cannot transfer ownership
 * @throws MessagingError 4303, 4314, 4317, 4320, 4321, 4322, 4325
 */
export async function giveRole(
  messaging: Messaging,
  client: RequestingClient | null,
  convId: string,
  clientId: string,
  role: string,
): Promise<GivenRole> {
  checkMemberInfoIsOn(messaging)
  checkClientIds([clientId])
  if (!isRole(role)) throw messagingErrors.unknownRole(role)
  const by = client?.clientId ?? null
  if (by !== null && role === 'Owner') throw messagingErrors.unauthorized()
  await checkHasRoles(messaging, convId)
  const { state, given } = await membersTransaction(messaging, client, 1, async (transaction) => {
    const state = await readState(messaging, transaction, convId, 'FOR UPDATE', by === null ? [] : [by])
    checkMember(state, by)
    checkMember(state, clientId)
    if (by !== null && roleOf(messaging, state, by) !== 'Owner') throw messagingErrors.unauthorized()
    return { state, given: await writeRole(messaging, transaction, convId, clientId, role) }
  })
  await announceRole(messaging, state, by, given)
  return given
}

/**
 * Makes a client a plain member again, and deletes the object of its role. Only for the app's back end.
 * @returns false when the role does not exist
 * @throws MessagingError 4303, 4314, 4325
 */
export async function removeRole(messaging: Messaging, convId: string, infoId: string): Promise<boolean> {
  checkMemberInfoIsOn(messaging)
  await checkHasRoles(messaging, convId)
  const { state, removed } = await membersTransaction(messaging, null, 1, async (transaction) => {
    const state = await readState(messaging, transaction, convId, 'FOR UPDATE', [])
    const [row] = await transaction.query(sql`
      DELETE FROM ${memberInfoTable(messaging)}
      WHERE id = ${infoId} AND data->>'cid' = ${convId}
      RETURNING data->>'clientId' AS client_id`)
    return { state, removed: row }
  })
  if (!removed) return false
  noteWrite(messaging.objects, MEMBER_INFO)
  const { updatedAt } = changeOf(state, null)
  await announceRole(messaging, state, null, {
    infoId,
    clientId: text('client_id')(removed),
    role: 'Member',
    updatedAt,
  })
  return true
}

async function checkHasRoles(messaging: Messaging, convId: string): Promise<void> {
  const { kind } = await findConversation(messaging, convId)
  if (kind !== 'normal' && kind !== 'room') throw messagingErrors.normalRequired()
}

async function writeRole(
  messaging: Messaging,
  transaction: Executor,
  convId: string,
  clientId: string,
  role: Role,
): Promise<GivenRole> {
  const [row] = await transaction.query(sql`
    SELECT count(*) AS count, max(id) FILTER (WHERE data->>'clientId' = ${clientId}) AS id
    FROM ${memberInfoTable(messaging)}
    WHERE data->>'cid' = ${convId}`)
  if (row && row.id !== null) {
    const infoId = text('id')(row)
    const options = { where: null, fetch: false, transaction }
    const { updatedAt } = await updateObject(messaging.objects, MEMBER_INFO, infoId, { role }, options, MASTER)
    return { infoId, clientId, role, updatedAt: String(updatedAt) }
  }
  if (number('count')(row!) >= MAX_ROLES)
    throw messagingErrors.tooManyRoles(`At most ${MAX_ROLES} clients can have a role.`)
  const fields = { cid: convId, clientId, role }
  const { id, createdAt } = await createObject(messaging.objects, MEMBER_INFO, fields, MASTER, { transaction })
  return { infoId: id, clientId, role, updatedAt: createdAt }
}

async function announceRole(
  messaging: Messaging,
  state: ConversationState,
  by: string | null,
  { infoId, clientId, role }: GivenRole,
): Promise<void> {
  await messaging.conversations.forget(state.id)
  const event = notificationOf(changeOf(state, by), 'member_info_changed', { info: { clientId, role, infoId } })
  notify(messaging, audienceOf(state, state.members), event)
}
