import { type Sql, sql } from '../../database/sql.ts'
import type { FieldType } from '../../values/field-type.ts'
import { ownMember } from '../../values/json.ts'
import { containmentIndex, referenceExpression, textKeyExpression } from '../where/columns.ts'
import type { IndexDefinition } from './index-definition.ts'

type Fields = { readonly [name: string]: FieldType }

const string = { type: 'String' } as const
const number = { type: 'Number' } as const
const boolean = { type: 'Boolean' } as const
const array = { type: 'Array' } as const
const object = { type: 'Object' } as const
const date = { type: 'Date' } as const
const user = { type: 'Pointer', className: '_User' } as const

/**
 * The classes that every app has, and the fields whose types are given. Other names with a leading underscore are
 * not available (protocol/storage, Object).
 */
export const BUILT_IN_CLASSES: { readonly [className: string]: Fields } = {
  _User: {
    username: string,
    email: string,
    emailVerified: boolean,
    mobilePhoneNumber: string,
    mobilePhoneVerified: boolean,
    authData: object,
  },
  _Role: {
    name: string,
    users: { type: 'Relation', className: '_User' },
    roles: { type: 'Relation', className: '_Role' },
  },
  _Installation: {
    installationId: string,
    deviceToken: string,
    deviceType: string,
    registrationId: string,
    vendor: string,
    deviceProfile: string,
    apnsTopic: string,
    apnsTeamId: string,
    channels: array,
    timeZone: string,
    valid: boolean,
    badge: number,
  },
  _File: {
    name: string,
    url: string,
    key: string,
    mime_type: string,
    bucket: string,
    provider: string,
    metaData: object,
  },
  _Conversation: {
    name: string,
    c: string,
    m: array,
    mu: array,
    lm: date,
    unique: boolean,
    uniqueId: string,
    tr: boolean,
    sys: boolean,
  },
  _ConversationMemberInfo: { cid: string, clientId: string, role: string },
  _SysMessage: {
    conv: { type: 'Pointer', className: '_Conversation' },
    msgId: string,
    from: string,
    bin: boolean,
    data: string,
    timestamp: number,
    fromIp: string,
    ackAt: number,
  },
  _Follower: { user, follower: user },
  _Followee: { user, followee: user },
  _FriendshipRequest: { user, friend: user, status: string },
  _Blocklist: { user, blockedUser: user, suspendedFriendship: array },
  _Status: { source: user, inboxType: string },
}

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
  on: containmentIndex([field], array),
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

/**
 * Fields that only the user itself and the master key see and query by (protocol/accounts, authData); of classes other than
 * `_User` only the master key. What providers know a device by is shown to no client: devices know it, and none reads it
 * back. An `installationId` is shown: clients for Java replace all they have of their device by the response, and would lose
 * their name.
 */
export const PRIVATE_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['_User', ['authData']],
  ['_Installation', ['deviceToken', 'registrationId']],
  // The rows of a friendship while it is suspended: they show what the other user has noted of it.
  ['_Blocklist', ['suspendedFriendship']],
])

/**
 * The class that a path names: file records are found under `files` (protocol/storage, Object) and, from Objective-C, under
 * `_file` (protocol/files, Endpoints).
 */
export function classOfPath(name: string): string {
  return FILE_PATHS.has(name) ? '_File' : name
}

const FILE_PATHS: ReadonlySet<string> = new Set(['files', '_file'])

export function isBuiltIn(className: string): boolean {
  return Object.hasOwn(BUILT_IN_CLASSES, className)
}

/** Returns the built-in field of a class; undefined when the class or the field is not built in, whatever their names are. */
export function builtInField(className: string, name: string): FieldType | undefined {
  const fields = ownMember(BUILT_IN_CLASSES, className)
  return fields && ownMember(fields, name)
}
