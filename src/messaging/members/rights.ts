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

/** The creator owns a conversation; what others may is what they were given, if the app has roles at all. */
export function roleOf(messaging: Messaging, state: ConversationState, clientId: string): Role {
  if (state.creator === clientId) return 'Owner'
  const given = state.roles.get(clientId)
  return messaging.settings().memberInfo && given !== undefined && isRole(given) ? given : 'Member'
}

/**
 * Whether a client may remove, silence or block another one: owners may everyone else, managers plain members.
 * @param by null: the app's back end, which may everything
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
 * Whether a client may know anything of a conversation with members: only those, where conversations are private
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
 * Whether a client that is no member may join a conversation without the consent of anyone: of a member, or of the app by
 * a signature or a hook. It may still be blocked.
 */
export function mayJoinAtWill({ settings, hooks }: Messaging): boolean {
  const { openMembership, conversationSignature } = settings()
  return openMembership && !conversationSignature && !hooks.has('_conversationAdd')
}

/**
 * Whoever adds others must be a member (protocol/realtime, Adding and removing members), and joining by oneself needs
 * nothing; where conversations are private, both are for members and the owner.
 * @param by null: the app's back end
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

/** @throws MessagingError 4317 when a client is no member of a conversation that has members */
export function checkMember({ kind, members }: ConversationState, by: string | null): void {
  if (by !== null && kind === 'normal' && !members.includes(by)) throw messagingErrors.membershipRequired()
}

/** @throws MessagingError 4317, and 4320 when a client has no role by which it may manage others */
export function checkManager(messaging: Messaging, state: ConversationState, by: string | null): void {
  checkMember(state, by)
  if (by !== null && roleOf(messaging, state, by) === 'Member') throw messagingErrors.unauthorized()
}

/**
 * Chat rooms are entered and left, and system conversations subscribed to, by each client itself; the app's back end may
 * have clients subscribe (protocol/realtime, Chat rooms; protocol/realtime, System conversations).
 * @throws MessagingError 4314
 */
export function checkAlone(kind: 'room' | 'system', by: ClientSession | null, clientIds: readonly string[]): void {
  if (by === null && kind === 'system') return
  if (by === null || clientIds.length !== 1 || clientIds[0] !== by.clientId) throw messagingErrors.normalRequired()
}

/** Roles and silences can be switched off. @throws MessagingError 4325 */
export function checkMemberInfoIsOn(messaging: Messaging): void {
  if (!messaging.settings().memberInfo) throw messagingErrors.memberInfoDisabled()
}

/** Blacklists can be switched off. @throws MessagingError 4544 */
export function checkBlacklistIsOn(messaging: Messaging): void {
  if (!messaging.settings().blacklist) throw messagingErrors.blacklistDisabled()
}
