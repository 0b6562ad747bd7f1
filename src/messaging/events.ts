import type { Json, JsonObject } from '../values/json.ts'
import type { ConversationKind } from './conversation.ts'
import type { Message } from './message.ts'

/**
 * The changes of a conversation that its members are notified of, named as on the wire (protocol/realtime, Membership and
 * management pushes).
 */
export type ConversationNotification =
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
  /** The reason, when the app or another client changed the message. */
  readonly cause: { readonly code: number; readonly reason: string } | null
}

/** The unread state of a conversation. */
export interface Unread {
  readonly convId: string
  readonly kind: ConversationKind
  /** At most 100. */
  readonly count: number
  readonly mentioned: boolean
  /** The last message; null when the client already has it. */
  readonly last: Message | null
}

/** An event that a session is sent. Times in milliseconds. Plain data, because it travels between nodes as JSON. */
export type SessionEvent =
  | {
      readonly kind: 'message'
      readonly message: Message
      readonly conversation: ConversationKind
      readonly transient: boolean
      /** Whether it is skipped for clients that read too slowly. */
      readonly spare?: boolean
      /** Whether the message was sent before the session began; for sessions of version 1. */
      readonly offline?: boolean
      readonly hasMore?: boolean
    }
  | { readonly kind: 'patches'; readonly patches: readonly Patch[] }
  | {
      readonly kind: 'receipt'
      readonly convId: string
      readonly messageId: string
      readonly at: number
      /** Whether the message was read, not only received. */
      readonly read: boolean
      readonly from: string
    }
  | { readonly kind: 'unread'; readonly at: number; readonly conversations: readonly Unread[] }
  | {
      readonly kind: 'conversation'
      readonly news: ConversationNotification
      readonly convId: string
      readonly conversation: ConversationKind
      /** The client that made the change; null for the app itself. */
      readonly by: string | null
      readonly at: number
      /** `updatedAt` of the conversation, ISO. */
      readonly updatedAt: string
      /** The clients that the change concerns. */
      readonly members?: readonly string[]
      readonly info?: { readonly clientId: string; readonly role: string; readonly infoId: string }
      /** The fields that the request changed, and the current values of the top-level fields. */
      readonly attributes?: JsonObject
      readonly changed?: { readonly [field: string]: Json }
      /** The lifetime of a temporary conversation, in seconds. */
      readonly ttl?: number
    }
  | { readonly kind: 'closed'; readonly code: number; readonly reason: string }

/** Returns whether an event is kept for clients that are offline (protocol/realtime, Missed conversation notifications). */
export function isPermanent(event: SessionEvent): boolean {
  return event.kind === 'conversation' && (event.news === 'joined' || event.news === 'left')
}
