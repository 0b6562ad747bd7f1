/** The kinds of conversations with their numbers on the wire (protocol/realtime, Kinds). */
export const CONVERSATION_TYPES = { normal: 1, room: 2, system: 3, temporary: 4 } as const

export type ConversationKind = keyof typeof CONVERSATION_TYPES

/** The data of a conversation that sending a message needs. */
export interface Conversation {
  readonly id: string
  readonly kind: ConversationKind
  /** Members of normal and temporary conversations; empty for the others. */
  readonly members: ReadonlySet<string>
  /** Members that have muted its push notifications. */
  readonly muters: ReadonlySet<string>
  readonly creator: string | null
  /** Silenced clients, each with the end in milliseconds; null for no end. */
  readonly silences: ReadonlyMap<string, number | null>
  /** When a temporary conversation expires, in milliseconds; null for the other kinds. */
  readonly expiresAt: number | null
}

const TEMPORARY_PREFIX = '_tmp:'

/** Returns whether an id is that of a temporary conversation. Clients tell them by the prefix. */
export function isTemporaryId(id: string): boolean {
  return id.startsWith(TEMPORARY_PREFIX)
}

export function temporaryId(id: string): string {
  return TEMPORARY_PREFIX + id
}
