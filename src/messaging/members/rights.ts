import type { Messaging } from '../messaging.ts'
import { messagingErrors } from '../messaging-errors.ts'
import type { ClientSession } from '../presence.ts'
import type { ConversationState } from '../records/conversation-state.ts'

/** protocol/realtime, Member roles */
const ROLES = ['Member', 'Manager', 'Owner'] as const
export type Role = (typeof ROLES)[number]

export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text)
}

/** Returns the role of a client. The creator is the owner; the roles of others apply only if the app has roles enabled. */
export function roleOf(messaging: Messaging, state: ConversationState, clientId: string): Role {
  if (state.creator === clientId) return 'Owner'
  const given = state.roles.get(clientId)
  return messaging.settings().memberInfo && given !== undefined && isRole(given) ? given : 'Member'
}

/**
 * Returns whether a client may remove, silence or block another one: owners manage everyone else, managers manage plain members.
 * @param by null for the app's back end, which manages everyone
 */
export function mayManage(
  messaging: Messaging,
  state: ConversationState,
  by: string | null,
  clientId: string,
): boolean {
  if (by === null) return true
  return ROLES.indexOf(roleOf(messaging, state, by)) > ROLES.indexOf(roleOf(messaging, state, clientId))
}

/**
 * Returns whether a client may know of a conversation with members: only members may if conversations are private
 * (`messaging.openMembership`).
 */
export function mayKnow(
  messaging: Messaging,
  { members }: { readonly members: Iterable<string> },
  clientId: string,
): boolean {
  if (messaging.settings().openMembership) return true
  for (const member of members) if (member === clientId) return true
  return false
}

/**
 * Returns whether non-members may join a conversation without approval, by a member or by the app's signature or hook. They may
 * still be blocked.
 */
export function mayJoinAtWill({ settings, hooks }: Messaging): boolean {
  const { openMembership, conversationSignature } = settings()
  return openMembership && !conversationSignature && !hooks.has('_conversationAdd')
}

/**
 * Checks the permission to add members. A client that adds others must be a member (protocol/realtime, Adding and removing
 * members); joining needs no permission. In private conversations, both are reserved for members and the owner.
 * @param by null for the app's back end
 * @throws MessagingError 4317
 */
export function checkMayAdd(
  messaging: Messaging,
  state: ConversationState,
  by: string | null,
  wanted: readonly string[],
): void {
  const isFree = messaging.settings().openMembership
    ? wanted.every((clientId) => clientId === by)
    : by === state.creator
  if (!isFree) checkMember(state, by)
}

/** Checks membership. @throws MessagingError 4317 when the client is not a member of a normal conversation */
export function checkMember({ kind, members }: ConversationState, by: string | null): void {
  if (by !== null && kind === 'normal' && !members.includes(by)) throw messagingErrors.membershipRequired()
}

/** Checks the permission to manage. @throws MessagingError 4317; 4320 when the client's role does not permit managing others */
export function checkManager(messaging: Messaging, state: ConversationState, by: string | null): void {
  checkMember(state, by)
  if (by !== null && roleOf(messaging, state, by) === 'Member') throw messagingErrors.unauthorized()
}

/**
 * Checks that a client enters a room or subscribes on its own behalf only. The app's back end may subscribe other clients
 * (protocol/realtime, Chat rooms; protocol/realtime, System conversations).
 * @throws MessagingError 4314
 */
export function checkAlone(kind: 'room' | 'system', by: ClientSession | null, clientIds: readonly string[]): void {
  if (by === null && kind === 'system') return
  if (by === null || clientIds.length !== 1 || clientIds[0] !== by.clientId) throw messagingErrors.normalRequired()
}

/** Checks that roles and silences are enabled. @throws MessagingError 4325 */
export function checkMemberInfoIsOn(messaging: Messaging): void {
  if (!messaging.settings().memberInfo) throw messagingErrors.memberInfoDisabled()
}

/** Checks that blacklists are enabled. @throws MessagingError 4544 */
export function checkBlacklistIsOn(messaging: Messaging): void {
  if (!messaging.settings().blacklist) throw messagingErrors.blacklistDisabled()
}
