import type { Executor } from '../database/pool.ts'
import { errors } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import { hasHook } from '../objects/access/hooks.ts'
import type { Origin } from '../objects/access/origin.ts'
import { parseChanges } from '../objects/operations/parse.ts'
import { fieldsOfBeforeSave, withAuthority } from '../objects/writing/hooked-writes.ts'
import { checkMayCreate } from '../objects/writing/may-create.ts'
import type { Json, JsonObject } from '../values/json.ts'
import { type Accounts, byId, findUser, type LoggedIn, userClass } from './accounts.ts'
import { parseAuthData } from './auth-data.ts'
import type { Verification } from './hooks.ts'
import { parseUserBody, type UserBody } from './user-body.ts'
import { userForHooks } from './user-for-hooks.ts'

/** A new user as it is to be made. */
export interface AgreedUser {
  readonly user: UserBody
  /** With whose authority it is written. */
  readonly caller: Caller
}

/**
 * Asks `beforeSave` of `_User` about a new user, before the transaction that makes it. Of what the hook answers, password
 * and linked accounts are not heeded: those stay what was asked for (protocol/cloud-code, Answer of beforeSave, rule
 * 3).
 * @param authData what the user would be linked to
 * @throws ApiError 141, 142; 111, 117, 403 when the caller may not make the user; those of `parseUserBody` for the answer
 */
export async function askNewUser(
  accounts: Accounts,
  user: UserBody,
  authData: JsonObject,
  caller: Caller,
): Promise<AgreedUser> {
  const { objects } = accounts
  if (!hasHook(objects, 'beforeSave', '_User', caller)) return { user, caller }
  const linked = Object.keys(authData).length > 0 ? { authData } : {}
  const changes = parseChanges({ ...user.fields, ...linked }, false)
  await checkMayCreate(objects, '_User', changes, caller)
  const answer = await fieldsOfBeforeSave(objects, '_User', changes, caller)
  if (!answer) return { user, caller }
  const { password: _, authData: __, ...fields } = answer
  const relations = changes.relations.map(({ field }): [string, Json] => [field, user.fields[field]!])
  const agreed = parseUserBody({ ...fields, ...Object.fromEntries(relations) }, true)
  return {
    user: { ...agreed, password: user.password, authData: user.authData },
    caller: withAuthority(caller),
  }
}

/**
 * Asks `onAuthData` what the third-party data of a request means, before anybody looks at it (protocol/cloud-code, User
 * hooks). Unlinking has no hook.
 * @throws ApiError 141, 142; 105, 111 for the answer
 */
export async function askAuthData(accounts: Accounts, user: UserBody, { origin }: Caller): Promise<UserBody> {
  if (!user.authData || !linksAny(user) || !origin || !accounts.hooks.asksAuthData(origin)) return user
  const answer = await accounts.hooks.askAuthData(Object.fromEntries(user.authData), origin)
  const agreed = { ...user, authData: parseAuthData(answer) }
  if (!linksAny(agreed)) throw errors.hookRefused('onAuthData has left no account.')
  return agreed
}

/** Whether a body links accounts, and does not only unlink some. */
export function linksAny({ authData }: UserBody): boolean {
  return [...(authData ?? []).values()].some((data) => data !== null)
}

/**
 * Ends a login when all else is right: asks `onLogin` (protocol/cloud-code, User hooks), then tells live queries. A
 * user that was made by the same request has not logged in.
 * @throws ApiError 141, 142
 */
export async function concludeLogin(accounts: Accounts, user: LoggedIn, { origin }: Caller): Promise<LoggedIn> {
  if (!user.isNew && origin && accounts.hooks.asksLogin(origin))
    await accounts.hooks.askLogin(JSON.parse(user.text), origin)
  if (!user.isNew) await notifyLoggedIn(accounts, user.id)
  return user
}

/** Where the call of a link comes from that was sent by mail: it says nothing of environments. */
export const FROM_A_LINK: Origin = {
  production: true,
  clientAddress: undefined,
  fromCloudCode: false,
  ignored: new Set(),
}

/** Tells `onVerified`, once the transaction is committed that has noted it. */
export async function notifyVerified(
  accounts: Accounts,
  kind: Verification,
  userId: string,
  origin: Origin | undefined,
  transaction: Executor,
): Promise<void> {
  if (!origin || !accounts.hooks.notifiesVerified(kind, origin)) return
  const user = await userForHooks(accounts, userId, transaction)
  if (user) await accounts.hooks.notifyVerified(kind, user, origin, transaction)
}

/** Notifies those who watch users that one has logged in. */
async function notifyLoggedIn(accounts: Accounts, userId: string): Promise<void> {
  const { watch } = accounts.objects
  if (!watch.isWatched('_User')) return
  const user = await findUser(accounts, byId(userId))
  if (user) watch.loggedIn(userClass(accounts), user.row)
}
