import { allOf, not, type Where } from '../../objects/where/tree.ts'
import type { ConversationKind } from '../conversation.ts'

const IS_ROOM: Where = { kind: 'equal', path: ['tr'], value: true }
const IS_SYSTEM: Where = { kind: 'equal', path: ['sys'], value: true }

/** Returns the condition for records of `_Conversation` of one kind (protocol/messaging, Conversation). */
export function ofKind(kind: Exclude<ConversationKind, 'temporary'>): Where {
  switch (kind) {
    case 'system':
      return IS_SYSTEM
    case 'room':
      return allOf([IS_ROOM, not(IS_SYSTEM)])
    case 'normal':
      return allOf([not(IS_ROOM), not(IS_SYSTEM)])
  }
}

/** Returns the condition that a client is a member. */
export function isMember(clientId: string): Where {
  return { kind: 'equal', path: ['m'], value: clientId }
}

/**
 * Returns the condition for private conversations that a client may see: those it is a member of, and those without members.
 * @param clientId null for an unknown client
 */
export function shownTo(clientId: string | null): Where {
  return { kind: 'or', of: [IS_ROOM, IS_SYSTEM, ...(clientId === null ? [] : [isMember(clientId)])] }
}
