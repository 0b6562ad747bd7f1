/** The kinds of conversations in the filter: `pair` is an ordinary conversation of two. */
export const SHOWN_KINDS = ['all', 'normal', 'pair', 'room', 'system', 'temporary'] as const
export type ShownKind = (typeof SHOWN_KINDS)[number]

export interface ListSearch {
  readonly kind?: ShownKind
  readonly name?: string
  readonly member?: string
  readonly sort?: 'active'
}

/** The tabs of a conversation, as named in the URL. */
export const CONVERSATION_TABS = ['messages', 'members', 'moderation', 'attributes'] as const
export type ConversationTab = (typeof CONVERSATION_TABS)[number]
