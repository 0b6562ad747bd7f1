import { allOf, not, type Where } from '../../objects/where/tree.ts'
import type { ConversationKind } from '../conversation.ts'

const IS_ROOM: Where = { kind: 'equal', path: ['tr'], value: true }
const IS_SYSTEM: Where = { kind: 'equal', path: ['sys'], value: true }

/** The condition that a record of `_Conversation` is of a kind (protocol/messaging, Conversation). */
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

/** The condition that a client is a member. */
export function isMember(clientId: string): Where {
  return { kind: 'equal', path: ['m'], value: clientId }
}

/**
 * The conversations that a client is shown where they are private: those that it is a member of, and those that have no
 * members to be private to.
 * @param clientId null: a client that nothing is known of
 */
export function shownTo(clientId: string | null): Where {
  return { kind: 'or', of: [IS_ROOM, IS_SYSTEM, ...(clientId === null ? [] : [isMember(clientId)])] }
}
