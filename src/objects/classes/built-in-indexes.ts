import { type Sql, sql } from '../../database/sql.ts'
import { containmentIndex, referenceExpression, textKeyExpression } from '../where/columns.ts'
import type { IndexDefinition } from './index-definition.ts'

interface Index {
  readonly className: string
  /** Whether no two objects may share the value. */
  readonly unique: boolean
  /** The part of CREATE INDEX after the table name. */
  readonly on: Sql
  /** The definition that this index makes redundant as an automatic index. */
  readonly serves?: IndexDefinition
}

const unique = (className: string, on: Sql, serves?: IndexDefinition): Index => ({
  className,
  unique: true,
  on,
  ...(serves && { serves }),
})

const sortedBy = (field: string): IndexDefinition => ({
  kind: 'sorted',
  keys: [{ field, descending: false }],
  unique: false,
})

/** Returns an index of the elements of a field of type Array. */
const elementsOf = (className: string, field: string): Index => ({
  className,
  unique: false,
  on: containmentIndex([field], { type: 'Array' }),
  serves: { kind: 'containment', path: [field] },
})

const userIn = (field: string): Sql => sql`(${referenceExpression(field, 'Pointer')})`

/** Returns a unique index of pairs of users. */
const onePair = (className: string, other: string): Index =>
  unique(className, sql`(${userIn('user')}, ${userIn(other)})`)

/** Returns an index of the objects of a user in the order of ids, so that a page costs the same wherever it begins. */
const pagesOf = (className: string, field: string): Index => ({
  className,
  unique: false,
  on: sql`(${userIn(field)}, id)`,
  serves: sortedBy(field),
})

/** The indexes that built-in classes have from the beginning, by name. */
export const BUILT_IN_INDEXES: { readonly [index: string]: Index } = {
  role_name: unique('_Role', sql`((data->>'name'))`),
  user_username: unique('_User', sql`((data->>'username'))`),
  user_email: unique('_User', sql`((data->>'email'))`),
  user_phone: unique('_User', sql`((homeport.phone_number(data->>'mobilePhoneNumber')))`),
  conversation_unique_id: unique('_Conversation', sql`((data->>'uniqueId'))`),
  conversation_members: elementsOf('_Conversation', 'm'),
  // Chat rooms and system conversations: the public ones where conversations are private.
  conversation_public: {
    className: '_Conversation',
    unique: false,
    on: sql`(id) WHERE data->'tr' = 'true'::jsonb OR data->'sys' = 'true'::jsonb`,
  },
  member_info: unique('_ConversationMemberInfo', sql`((data->>'cid'), (data->>'clientId'))`),
  // The expression by which queries compare these fields, so that a push to one device uses it too. Both are shorter than a key.
  installation_id: unique('_Installation', sql`((${textKeyExpression('installationId')}))`, sortedBy('installationId')),
  installation_token: unique('_Installation', sql`((${textKeyExpression('deviceToken')}))`, sortedBy('deviceToken')),
  installation_channels: elementsOf('_Installation', 'channels'),
  file_key: { className: '_File', unique: false, on: sql`((${textKeyExpression('key')}))`, serves: sortedBy('key') },
  follower_pair: onePair('_Follower', 'follower'),
  follower_pages: pagesOf('_Follower', 'user'),
  follower_reverse: pagesOf('_Follower', 'follower'),
  followee_pair: onePair('_Followee', 'followee'),
  followee_pages: pagesOf('_Followee', 'user'),
  followee_reverse: pagesOf('_Followee', 'followee'),
  friendship_request_pair: onePair('_FriendshipRequest', 'friend'),
  friendship_request_reverse: pagesOf('_FriendshipRequest', 'friend'),
  blocklist_pair: onePair('_Blocklist', 'blockedUser'),
  blocklist_reverse: pagesOf('_Blocklist', 'blockedUser'),
  installation_activity: { className: '_Installation', unique: false, on: sql`(updated_at)` },
}
