import type { Sql } from '../../database/sql.ts'
import type { ClassRules, ObjectStore } from '../../objects/store.ts'
import type { JsonObject } from '../../values/json.ts'
import type { Conversations } from '../conversations.ts'
import type { Messaging } from '../messaging.ts'
import type { MessagingSettings } from '../messaging-settings.ts'
import { shownTo } from './conversation-conditions.ts'

/** The class of all conversations except temporary ones. */
export const CONVERSATION = '_Conversation'
/** The class of the roles of members. */
export const MEMBER_INFO = '_ConversationMemberInfo'

/**
 * Returns the special rules of `_Conversation`. A write through the object store may change any conversation, so it invalidates
 * the whole cache. If conversations are private, a user can read those whose members include its user id, which is its client id
 * when it logs in to messaging by its account (protocol/realtime, REST calls made by realtime clients).
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

/** Returns the object store for writes of messaging itself, which invalidates the changed conversations on its own. */
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

/** Built-in columns, which only messaging writes (protocol/realtime, conv/start). */
const BUILT_IN_COLUMNS = new Set(['m', 'mu', 'c', 'lm', 'tr', 'sys', 'unique', 'uniqueId', 'ACL'])

/** Returns the first attribute that is a built-in column. Dates and ids are ignored, as in any object. */
export function builtInColumn(attributes: JsonObject): string | undefined {
  return Object.keys(attributes)
    .map((key) => key.split('.')[0]!)
    .find((column) => BUILT_IN_COLUMNS.has(column))
}
