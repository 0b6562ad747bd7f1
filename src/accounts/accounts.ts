import { type Decoder, json, rowDecoder, text } from '../database/decode-row.ts'
import { isUniqueViolation } from '../database/faults.ts'
import type { Database, Executor } from '../database/pool.ts'
import type { Row } from '../database/row.ts'
import { raw, type Sql, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Caller } from '../objects/access/caller.ts'
import type { ClassSchema } from '../objects/classes/class-schema.ts'
import { parseChanges } from '../objects/operations/parse.ts'
import { PLAIN_VIEW, presentRows } from '../objects/reading/present.ts'
import type { ObjectStore } from '../objects/store.ts'
import { schemaFor } from '../objects/writing/create.ts'
import type { FairSemaphore } from '../scheduling/fair-semaphore.ts'
import { isJsonObject, type JsonObject, member } from '../values/json.ts'
import type { AccountSettings, SmsSettings } from './account-settings.ts'
import type { AccountHooks } from './hooks.ts'
import type { Lockout } from './lockout.ts'
import type { Passwords } from './passwords.ts'
import type { Sessions } from './sessions.ts'

/** The users of one app: the context of every function of `accounts`. */
export interface Accounts {
  readonly appId: string
  readonly database: Database
  readonly objects: ObjectStore
  readonly hooks: AccountHooks
  readonly credentials: Sql
  readonly identities: Sql
  readonly smsCodes: Sql
  readonly smsSent: Sql
  readonly captchas: Sql
  readonly sessions: Sessions
  readonly follower: UserFollower
  readonly lockout: Lockout
  readonly passwords: Passwords
  /** The queue of captchas to be drawn. */
  readonly captchaQueue: FairSemaphore
  readonly mailer: Mailer
  /** Directory for text messages of the SMS provider `outbox`. */
  readonly outbox: string
  readonly log: Log
  /** Log of the SMS providers. */
  readonly smsLog: Log
  appName(): string
  settings(): AccountSettings
  smsSettings(): SmsSettings
}

/** Observer of deleted users. */
export interface UserFollower {
  /** Called in the transaction that deletes a user, after its row has been deleted. */
  deleted(transaction: Executor, userId: string): Promise<void>
}

/** A user as stored, with its credentials. */
export interface StoredUser {
  readonly id: string
  readonly row: Row
  readonly data: JsonObject
  /** In one of the forms that `Passwords` reads; null for a user without a password. */
  readonly password: string | null
  /** null for a user that has never logged in here, such as an imported one. */
  readonly sessionToken: string | null
}

/** A logged-in user: the response to a sign-up or login. */
export interface LoggedIn {
  readonly id: string
  /** Whether this request has created the user. */
  readonly isNew: boolean
  /** The user with its session token, as JSON text. */
  readonly text: string
}

export function userClass(accounts: Accounts): ClassSchema {
  return accounts.objects.classes.get('_User')!
}

/** Returns the user that meets a condition over the class table. `lock` locks the row until the transaction ends. */
export async function findUser(
  accounts: Accounts,
  condition: Sql,
  executor: Executor = accounts.database,
  lock = false,
): Promise<StoredUser | null> {
  const [row] = await executor.query(sql`
    SELECT id, created_at, updated_at, acl, data, password, session_token
    FROM ${userClass(accounts).table} AS account
    LEFT JOIN ${accounts.credentials} ON user_id = id
    WHERE ${condition}
    ${raw(lock ? 'FOR UPDATE OF account' : '')}`)
  return row ? decodeUser(row) : null
}

const decodeUser: Decoder<StoredUser> = rowDecoder({
  id: text('id'),
  row: (row) => row,
  data: json<JsonObject>('data'),
  password: text.orNull('password'),
  sessionToken: text.orNull('session_token'),
})

/** Returns the third-party accounts of a user by platform, as stored in its `authData`. */
export function storedAuthData({ data }: StoredUser): JsonObject {
  const stored = member(data, 'authData')
  return isJsonObject(stored) ? stored : {}
}

export const byId = (id: string): Sql => sql`id = ${id}`
export const byUsername = (username: string): Sql => sql`(data->>'username') = ${username}`
export const byEmail = (email: string): Sql => sql`(data->>'email') = ${email}`
/** @param number with its country code */
export const byPhone = (number: string): Sql => sql`homeport.phone_number(data->>'mobilePhoneNumber') = ${number}`

/** Presents a user to itself after a login: all fields and the session token (protocol/accounts, Login). */
export async function presentLogin(accounts: Accounts, row: Row, sessionToken: string): Promise<string> {
  const id = idOf(row)
  const self: Caller = { master: false, userId: id, grants: [id] }
  const [text] = await presentRows(accounts.objects, userClass(accounts), [row], PLAIN_VIEW, self)
  return `${text!.slice(0, -1)},"sessionToken":${JSON.stringify(sessionToken)}}`
}

/**
 * Registers the fields that a user is about to get. Call it before the transaction that writes them: the transaction
 * holds a connection and must not wait for a second one.
 * @throws ApiError 111, 154 or 403, and those of `parseChanges`
 */
export async function prepareFields(
  accounts: Accounts,
  fields: JsonObject,
  dotted: boolean,
  caller: Caller,
): Promise<void> {
  await schemaFor(accounts.objects, '_User', parseChanges(fields, dotted), caller)
}

/** Maps a unique violation of a name, address or number to its API error; returns other errors unchanged. */
export function asTaken(error: unknown): unknown {
  if (isUniqueViolation(error, 'user_username')) return errors.usernameTaken()
  if (isUniqueViolation(error, 'user_email')) return errors.emailTaken()
  if (isUniqueViolation(error, 'user_phone')) return errors.phoneNumberTaken()
  return error
}

const idOf = text('id')
