import type { Json, JsonObject } from '../values/json.ts'
import type { ConversationKind } from './conversation.ts'
import type { Message } from './message.ts'

/**
 * What the members of a conversation are told of a change; names as on the wire (protocol/realtime, Membership and
 * management pushes).
 */
export type ConversationNews =
  | 'joined'
  | 'left'
  | 'members_joined'
  | 'members_left'
  | 'updated'
  | 'member_info_changed'
  | 'blocked'
  | 'unblocked'
  | 'members_blocked'
  | 'members_unblocked'
  | 'shutuped'
  | 'unshutuped'
  | 'members_shutuped'
  | 'members_unshutuped'

/** An edit or recall of a message (protocol/realtime, Edit and recall: patch). */
export interface Patch {
  readonly message: Message
  /** Why somebody other than the sender changed it. */
  readonly cause: { readonly code: number; readonly reason: string } | null
}

/** What is unread in a conversation. */
export interface Unread {
  readonly convId: string
  readonly kind: ConversationKind
  /** At most 100. */
  readonly count: number
  readonly mentioned: boolean
  /** The last message; null when it is not to be said again. */
  readonly last: Message | null
}

/** What a session is told. Times in milliseconds. Plain data: it travels between nodes as JSON. */
export type SessionEvent =
  | {
      readonly kind: 'message'
      readonly message: Message
      readonly conversation: ConversationKind
      readonly transient: boolean
      /** It is left out for clients that do not keep up with what they are sent. */
      readonly spare?: boolean
      /** A message from the time before the session, for sessions of version 1. */
      readonly offline?: boolean
      readonly hasMore?: boolean
    }
  | { readonly kind: 'patches'; readonly patches: readonly Patch[] }
  | {
      readonly kind: 'receipt'
      readonly convId: string
      readonly messageId: string
      readonly at: number
      /** Read, not only received. */
      readonly read: boolean
      readonly from: string
    }
  | { readonly kind: 'unread'; readonly at: number; readonly conversations: readonly Unread[] }
  | {
      readonly kind: 'conversation'
      readonly news: ConversationNews
      readonly convId: string
      readonly conversation: ConversationKind
      /** The client who did it; null for the app itself. */
      readonly by: string | null
      readonly at: number
      /** `updatedAt` of the conversation, ISO. */
      readonly updatedAt: string
      /** The clients that it is about. */
      readonly members?: readonly string[]
      readonly info?: { readonly clientId: string; readonly role: string; readonly infoId: string }
      /** The fields that were asked to change, and the top-level fields as they are now. */
      readonly attributes?: JsonObject
      readonly changed?: { readonly [field: string]: Json }
      /** Seconds that a temporary conversation was made for. */
      readonly ttl?: number
    }
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string }

/**
 * What clients have to learn of even if they were away: it is kept for them (protocol/realtime, Missed conversation
 * notifications).
 */
export function isPermanent(event: SessionEvent): boolean {
  return event.kind === 'conversation' && (event.news === 'joined' || event.news === 'left')
}
