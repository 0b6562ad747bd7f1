/** What the list can be narrowed to: `pair` is an ordinary conversation of two. */
export const SHOWN_KINDS = ['all', 'normal', 'pair', 'room', 'system', 'temporary'] as const
export type ShownKind = (typeof SHOWN_KINDS)[number]

export interface ListSearch {
  readonly kind?: ShownKind
  readonly name?: string
  readonly member?: string
  readonly sort?: 'active'
}

/** What of a conversation is shown, as the URL says it. */
export const CONVERSATION_TABS = ['messages', 'members', 'moderation', 'attributes'] as const
export type ConversationTab = (typeof CONVERSATION_TABS)[number]
