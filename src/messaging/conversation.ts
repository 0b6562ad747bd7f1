/** The kinds of conversations, by the number that the wire gives them (protocol/realtime, Kinds). */
export const CONVERSATION_TYPES = { normal: 1, room: 2, system: 3, temporary: 4 } as const

export type ConversationKind = keyof typeof CONVERSATION_TYPES

/** What has to be known of a conversation to send messages in it. */
export interface Conversation {
  readonly id: string
  readonly kind: ConversationKind
  /** Members of normal and temporary conversations; empty for the others. */
  readonly members: ReadonlySet<string>
  /** Members that want no push for it. */
  readonly muters: ReadonlySet<string>
  readonly creator: string | null
  /** Who may not speak, until when in milliseconds; null until it is lifted. */
  readonly silences: ReadonlyMap<string, number | null>
  /** When a temporary conversation ends, in milliseconds; null for the others. */
  readonly expiresAt: number | null
}

const TEMPORARY_PREFIX = '_tmp:'

/** Clients know temporary conversations by their ids. */
export function isTemporaryId(id: string): boolean {
  return id.startsWith(TEMPORARY_PREFIX)
}

export function temporaryId(id: string): string {
  return TEMPORARY_PREFIX + id
}
