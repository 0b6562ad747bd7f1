import { ownMember } from '../../values/json.ts'
import type { FieldType } from '../../values/typed.ts'

type Fields = { readonly [name: string]: FieldType }

const string = { type: 'String' } as const
const number = { type: 'Number' } as const
const boolean = { type: 'Boolean' } as const
const array = { type: 'Array' } as const
const object = { type: 'Object' } as const
const date = { type: 'Date' } as const
const user = { type: 'Pointer', className: '_User' } as const

/**
 * The classes of every app, and their fields with fixed types. Other names with a leading underscore are not available
 * (protocol/storage, Object).
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

/**
 * Fields that only the user itself and the master key see and query by (protocol/accounts, authData); in classes other than
 * `_User`, only the master key. Identifiers by which providers know a device are not shown to clients: devices know their own and
 * never read them back. An `installationId` is shown: Java clients replace their local device record by the response and would
 * lose it.
 */
export const PRIVATE_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['_User', ['authData']],
  ['_Installation', ['deviceToken', 'registrationId']],
  // The rows of a suspended friendship: they show the other user's notes.
  ['_Blocklist', ['suspendedFriendship']],
])

/**
 * Returns the class that a path names: file records are found under `files` (protocol/storage, Object) and, from Objective-C,
 * under `_file` (protocol/files, Endpoints).
 */
export function classOfPath(name: string): string {
  return FILE_PATHS.has(name) ? '_File' : name
}

const FILE_PATHS: ReadonlySet<string> = new Set(['files', '_file'])

export function isBuiltIn(className: string): boolean {
  return Object.hasOwn(BUILT_IN_CLASSES, className)
}

/** Returns the built-in field of a class; undefined when the class or field is not built in, whatever the names are. */
export function builtInField(className: string, name: string): FieldType | undefined {
  const fields = ownMember(BUILT_IN_CLASSES, className)
  return fields && ownMember(fields, name)
}
