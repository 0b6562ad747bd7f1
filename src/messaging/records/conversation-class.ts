import type { Sql } from '../../database/sql.ts'
import type { ClassRules, ObjectStore } from '../../objects/store.ts'
import type { JsonObject } from '../../values/json.ts'
import type { Conversations } from '../conversations.ts'
import type { Messaging } from '../messaging.ts'
import type { MessagingSettings } from '../messaging-settings.ts'
import { shownTo } from './conversation-conditions.ts'

/** The class whose objects are the conversations, other than temporary ones. */
export const CONVERSATION = '_Conversation'
/** The class that holds the roles of members. */
export const MEMBER_INFO = '_ConversationMemberInfo'

/**
 * What `_Conversation` does differently: what is written to it over the object store may have changed any conversation,
 * so none is trusted that was remembered. Where conversations are private, a user reads those whose member it is under its
 * id, as it is when it logs in to messaging by its account (protocol/realtime, REST calls made by realtime clients).
 */
export function conversationRules(
  conversations: Pick<Conversations, 'forget'>,
  settings: () => Pick<MessagingSettings, 'openMembership'>,
): ClassRules {
  return {
    changed: () => void conversations.forget(''),
    readable: ({ userId }) => (settings().openMembership ? null : shownTo(userId)),
  }
}

/** The object store for writes of messaging itself, which says afterwards which conversation it has changed. */
export function storeOf({ objects }: Messaging): ObjectStore {
  const rules = new Map(objects.rules)
  rules.delete(CONVERSATION)
  return { ...objects, rules }
}

export function conversationTable({ objects }: Pick<Messaging, 'objects'>): Sql {
  return objects.classes.get(CONVERSATION)!.table
}

export function memberInfoTable({ objects }: Messaging): Sql {
  return objects.classes.get(MEMBER_INFO)!.table
}

/** Columns that mean something to messaging, which alone writes them (protocol/realtime, conv/start). */
const BUILT_IN_COLUMNS = new Set(['m', 'mu', 'c', 'lm', 'tr', 'sys', 'unique', 'uniqueId', 'ACL'])

/** The first column among the attributes that is not the app's to write; its dates and id are ignored, as in any object. */
export function builtInColumn(attributes: JsonObject): string | undefined {
  return Object.keys(attributes)
    .map((key) => key.split('.')[0]!)
    .find((column) => BUILT_IN_COLUMNS.has(column))
}
