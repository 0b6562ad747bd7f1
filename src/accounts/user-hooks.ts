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

/** A new user as approved by cloud code. */
export interface AgreedUser {
  readonly user: UserBody
  /** The caller with whose permissions the user is written. */
  readonly caller: Caller
}

/**
 * Calls `beforeSave` of `_User` for a new user, before the transaction that creates it. Ignores the password and linked
 * accounts in the hook's response: those of the request are kept (protocol/cloud-code, Answer of beforeSave, rule 3).
 * @param authData the accounts that the user would be linked to
 * @throws ApiError 141, 142; 111, 117, 403 when the caller may not create the user; those of `parseUserBody` for the
 *   response
 */
export async function callNewUserHooks(
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
 * Calls `onAuthData` with the third-party data of a request, before the data is used (protocol/cloud-code, User hooks).
 * Unlinking calls no hook.
 * @throws ApiError 141, 142; 105, 111 for the response
 */
export async function callAuthDataHook(accounts: Accounts, user: UserBody, { origin }: Caller): Promise<UserBody> {
  if (!user.authData || !linksAny(user) || !origin || !accounts.hooks.hasAuthDataHook(origin)) return user
  const answer = await accounts.hooks.callAuthDataHook(Object.fromEntries(user.authData), origin)
  const agreed = { ...user, authData: parseAuthData(answer) }
  if (!linksAny(agreed)) throw errors.hookRefused('onAuthData returned no account.')
  return agreed
}

/** Returns whether a body links accounts, and does not only unlink some. */
export function linksAny({ authData }: UserBody): boolean {
  return [...(authData ?? []).values()].some((data) => data !== null)
}

/**
 * Completes a login after all checks have passed: calls `onLogin` (protocol/cloud-code, User hooks), then notifies live
 * queries. Skips both for a user created by the same request, because that is a sign-up.
 * @throws ApiError 141, 142
 */
export async function concludeLogin(accounts: Accounts, user: LoggedIn, { origin }: Caller): Promise<LoggedIn> {
  if (!user.isNew && origin && accounts.hooks.hasLoginHook(origin))
    await accounts.hooks.callLoginHook(JSON.parse(user.text), origin)
  if (!user.isNew) await notifyLoggedIn(accounts, user.id)
  return user
}

/** The origin of a request by a link in a mail, which carries no environment. */
export const FROM_A_LINK: Origin = {
  production: true,
  clientAddress: undefined,
  fromCloudCode: false,
  ignored: new Set(),
}

/** Calls `onVerified` after the transaction that verifies the address or number has committed. */
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

/** Notifies live queries on users of a login. */
async function notifyLoggedIn(accounts: Accounts, userId: string): Promise<void> {
  const { watch } = accounts.objects
  if (!watch.isWatched('_User')) return
  const user = await findUser(accounts, byId(userId))
  if (user) watch.loggedIn(userClass(accounts), user.row)
}
