import { type Sql, sql } from '../../database/sql.ts'
import { containmentIndex, referenceExpression, textKeyExpression } from '../where/columns.ts'
import type { IndexDefinition } from './index-definition.ts'

interface Index {
  readonly className: string
  /** No two objects share the value. */
  readonly unique: boolean
  /** What CREATE INDEX says behind the table. */
  readonly on: Sql
  /** Queries by this index need no automatic index of this definition. */
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

/** The elements of a field that holds an Array. */
const elementsOf = (className: string, field: string): Index => ({
  className,
  unique: false,
  on: containmentIndex([field], { type: 'Array' }),
  serves: { kind: 'containment', path: [field] },
})

const userIn = (field: string): Sql => sql`(${referenceExpression(field, 'Pointer')})`

/** Each pair of users once. */
const onePair = (className: string, other: string): Index =>
  unique(className, sql`(${userIn('user')}, ${userIn(other)})`)

/** What concerns a user, in the order of ids: a page costs the same wherever it begins. */
const pagesOf = (className: string, field: string): Index => ({
  className,
  unique: false,
  on: sql`(${userIn(field)}, id)`,
  serves: sortedBy(field),
})

/** The indexes that built-in classes have from the beginning, by their names. */
export const BUILT_IN_INDEXES: { readonly [index: string]: Index } = {
  role_name: unique('_Role', sql`((data->>'name'))`),
  user_username: unique('_User', sql`((data->>'username'))`),
  user_email: unique('_User', sql`((data->>'email'))`),
  user_phone: unique('_User', sql`((homeport.phone_number(data->>'mobilePhoneNumber')))`),
  conversation_unique_id: unique('_Conversation', sql`((data->>'uniqueId'))`),
  conversation_members: elementsOf('_Conversation', 'm'),
  // Chat rooms and system conversations: where conversations are private, those that are not.
  conversation_public: {
    className: '_Conversation',
    unique: false,
    on: sql`(id) WHERE data->'tr' = 'true'::jsonb OR data->'sys' = 'true'::jsonb`,
  },
  member_info: unique('_ConversationMemberInfo', sql`((data->>'cid'), (data->>'clientId'))`),
  // What queries compare these fields by, so that a push to one device finds it too. Both are shorter than a key.
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
