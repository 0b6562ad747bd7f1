import type { ConversationKind } from '../conversation.ts'
import type { ConversationNotification, SessionEvent } from '../events.ts'
import type { Messaging } from '../messaging.ts'
import type { Audience } from '../presence.ts'

export type ConversationEvent = Extract<SessionEvent, { kind: 'conversation' }>

/** A change of a conversation: the parts that its events share. */
export interface Change {
  readonly convId: string
  readonly conversation: ConversationKind
  /** The client that made the change; null for the app itself. */
  readonly by: string | null
  /** milliseconds */
  readonly at: number
  /** `updatedAt` of the conversation afterwards, ISO. */
  readonly updatedAt: string
  /** The lifetime of a temporary conversation, in seconds. */
  readonly ttl?: number
}

type Details = Pick<ConversationEvent, 'members' | 'info' | 'attributes' | 'changed'>

export function notificationOf(
  change: Change,
  notification: ConversationNotification,
  details: Details = {},
): ConversationEvent {
  return { kind: 'conversation', news: notification, ...change, ...details }
}

/** Notifies clients, or a room, on all nodes. */
export function notify(
  messaging: Messaging,
  to: readonly string[] | Audience,
  event: SessionEvent,
  except: string | null = null,
): void {
  const audience = isList(to) ? { clients: to } : to
  if ('clients' in audience && audience.clients.length === 0) return
  messaging.presence.deliver(audience, event, except)
}

function isList(to: readonly string[] | Audience): to is readonly string[] {
  return Array.isArray(to)
}

/** Notifies the added clients first, then all members (protocol/realtime, Membership and management pushes). */
export function notifyJoined(
  messaging: Messaging,
  change: Change,
  added: readonly string[],
  members: readonly string[],
): void {
  notify(messaging, added, notificationOf(change, 'joined'))
  notify(messaging, members, notificationOf(change, 'members_joined', { members: added }))
}

/** Notifies the removed clients first, then the remaining members. */
export function notifyLeft(
  messaging: Messaging,
  change: Change,
  removed: readonly string[],
  remaining: readonly string[],
): void {
  notify(messaging, removed, notificationOf(change, 'left'))
  notify(messaging, remaining, notificationOf(change, 'members_left', { members: removed }))
}
