import { checkClientIds } from '../client-ids.ts'
import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { ClientSession } from '../presence.ts'
import { callConversationHook } from '../records/conversation-hooks.ts'
import { notifyLeft } from '../records/conversation-notifications.ts'
import { type ConversationState, findConversation, readState } from '../records/conversation-state.ts'
import { changingMembers, dismiss, type Failure, type MembersChanged } from './membership.ts'
import { checkAlone, checkManager, checkMember, mayManage, roleOf } from './rights.ts'
import { leaveRoom } from './rooms.ts'
import { unsubscribe } from './subscriptions.ts'

/**
 * An owner cannot be removed while the conversation has more members than this. Of two members either may leave
 * (protocol/realtime, Open points, point 1).
 */
const FEW = 2

/**
 * Removes clients from a conversation, or leaves it (protocol/realtime, Adding and removing members). Each client leaves chat
 * rooms and unsubscribes from system conversations on its own behalf only.
 * @param by null for the app's back end, which may remove any member
 * @throws MessagingError 4303, 4305, 4307, 4314, 4317, 4320; 4324 when the client removes only itself and cannot
 */
export async function removeMembers(
  messaging: Messaging,
  by: ClientSession | null,
  convId: string,
  clientIds: readonly string[],
): Promise<MembersChanged> {
  const wanted = checkClientIds(clientIds)
  const { kind } = await findConversation(messaging, convId)
  if (kind === 'temporary') throw messagingErrors.readOnly('The members of a temporary conversation cannot be changed.')
  if (kind !== 'normal') checkAlone(kind, by, wanted)
  else await callRemoveHooks(messaging, by, convId, wanted)
  const changed = await removeFrom(messaging, kind, by, convId, wanted)
  const members = [...changed.changed]
  if (members.length > 0)
    messaging.hooks.notify('_conversationRemoved', { initBy: by?.clientId ?? '', convId, members })
  return changed
}

async function removeFrom(
  messaging: Messaging,
  kind: 'normal' | 'room' | 'system',
  by: ClientSession | null,
  convId: string,
  wanted: readonly string[],
): Promise<MembersChanged> {
  switch (kind) {
    case 'normal':
      return removeFromGroup(messaging, by, convId, wanted)
    case 'room':
      leaveRoom(messaging, by!, convId)
      return { allowed: wanted, changed: wanted, failed: [], updatedAt: null }
    case 'system':
      return unsubscribe(messaging, by, convId, wanted)
  }
}

/** Calls the hook for the removal of others; leaving needs no approval (protocol/cloud-code, Messaging hook parameters). */
async function callRemoveHooks(
  messaging: Messaging,
  by: ClientSession | null,
  convId: string,
  wanted: readonly string[],
): Promise<void> {
  const others = wanted.filter((clientId) => clientId !== by?.clientId)
  if (by === null || others.length === 0 || !messaging.hooks.has('_conversationRemove')) return
  const state = await readState(messaging, messaging.database, convId, '', [by.clientId])
  checkMayRemove(messaging, state, by.clientId, wanted)
  await callConversationHook(messaging, '_conversationRemove', { initBy: by.clientId, members: others, convId })
}

async function removeFromGroup(
  messaging: Messaging,
  by: ClientSession | null,
  convId: string,
  wanted: readonly string[],
): Promise<MembersChanged> {
  const operator = by?.clientId ?? null
  const who = operator === null ? wanted : [operator, ...wanted]
  const { state, removals, change } = await changingMembers(messaging, by, wanted.length, async (transaction) => {
    const state = await readState(messaging, transaction, convId, 'FOR UPDATE', who)
    checkMayRemove(messaging, state, operator, wanted)
    const removals = checkRemovals(messaging, state, operator, wanted)
    if (wanted.length === 1 && wanted[0] === operator && removals.failed[0]) throw removals.failed[0].error
    const { removed } = removals
    const change = removed.length > 0 ? await dismiss(messaging, transaction, state, removed, operator) : null
    return { state, removals, change }
  })
  const { allowed, removed, failed } = removals
  if (change) {
    await messaging.conversations.forget(convId)
    const remaining = state.members.filter((clientId) => !removed.includes(clientId))
    notifyLeft(messaging, change, removed, remaining)
  }
  return { allowed, changed: removed, failed, updatedAt: change?.updatedAt ?? state.updatedAt }
}

/** Checks the permission to remove. @throws MessagingError 4317; 4320 when a plain member removes others and the app has roles */
function checkMayRemove(
  messaging: Messaging,
  state: ConversationState,
  by: string | null,
  wanted: readonly string[],
): void {
  const hasOthers = wanted.some((clientId) => clientId !== by)
  if (hasOthers && messaging.settings().memberInfo) checkManager(messaging, state, by)
  else checkMember(state, by)
}

interface Removals {
  readonly allowed: readonly string[]
  /** The requested clients that were members. */
  readonly removed: readonly string[]
  readonly failed: readonly Failure[]
}

function checkRemovals(
  messaging: Messaging,
  state: ConversationState,
  by: string | null,
  wanted: readonly string[],
): Removals {
  const members = wanted.filter((clientId) => state.members.includes(clientId))
  const hasRoles = messaging.settings().memberInfo && by !== null
  const owners =
    hasRoles && state.members.length > FEW
      ? members.filter((clientId) => roleOf(messaging, state, clientId) === 'Owner')
      : []
  const peers = hasRoles
    ? members.filter(
        (clientId) => clientId !== by && !owners.includes(clientId) && !mayManage(messaging, state, by, clientId),
      )
    : []
  const failed: Failure[] = []
  if (owners.length > 0) failed.push({ error: messagingErrors.needOwner(), clientIds: owners })
  if (peers.length > 0) failed.push({ error: messagingErrors.unauthorized(), clientIds: peers })
  const refused = new Set([...owners, ...peers])
  const isAllowed = (clientId: string) => !refused.has(clientId)
  return { allowed: wanted.filter(isAllowed), removed: members.filter(isAllowed), failed }
}
