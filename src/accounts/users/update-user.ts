import type { Executor } from '../../database/pool.ts'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { countCaller } from '../../objects/access/count-caller.ts'
import { withIgnoredHooks } from '../../objects/access/hooks.ts'
import type { PresentedObject } from '../../objects/store.ts'
import { type UpdateOptions, updateObject, updateWithHook } from '../../objects/writing/update.ts'
import { type JsonObject, member } from '../../values/json.ts'
import { forgetLinks } from '../account-links.ts'
import { type Accounts, asTaken, byId, findUser, prepareFields, type StoredUser, storedAuthData } from '../accounts.ts'
import { endAnonymity } from '../anonymity.ts'
import type { AuthDataChanges } from '../auth-data.ts'
import { sendsVerification, sendVerification } from '../email-verification.ts'
import { changeLinks } from '../linked-accounts.ts'
import { checkedAuthData } from '../login/third-party-login.ts'
import { setPassword } from '../set-password.ts'
import { parseUserBody, type UserBody } from '../user-body.ts'
import { callAuthDataHook } from '../user-hooks.ts'
import { checkOwner } from '../user-rules.ts'

/**
 * Updates a user: the fields of any object, and its name, password, addresses and linked accounts (protocol/accounts,
 * Endpoints).
 * @returns the result of `updateObject`, and the session token if a new password has changed it
 *   (protocol/accounts, Session tokens and passwords)
 * @throws ApiError 141 and 142 of hooks, 119, 137, 202, 203, 206, 214, and those of `parseUserBody` and `updateObject`
 */
export async function updateUser(
  accounts: Accounts,
  id: string,
  body: unknown,
  options: Omit<UpdateOptions, 'transaction'>,
  baseUrl: () => string,
  sender: Caller,
): Promise<PresentedObject> {
  checkOwner(id, sender)
  const caller = withIgnoredHooks(accounts.objects, '_User', body, sender)
  const user = await callAuthDataHook(accounts, parseUserBody(body, caller.master), caller)
  if (!concernsAccount(user)) return updateObject(accounts.objects, '_User', id, user.fields, options, caller)
  const links = user.authData && new Map([...user.authData, ...(await checkedAuthData(accounts, user))])
  const password =
    user.password === undefined ? null : await accounts.passwords.hash(user.password, caller.origin?.principal)
  const fields = { ...flagsOf(user), ...user.fields }
  const updatedKeys = updatedKeysOf(user)
  await updateWithHook(accounts.objects, '_User', id, { ...fields, ...previewOf(links) }, updatedKeys, caller)
  await prepareFields(accounts, links ? { ...fields, authData: {} } : fields, true, caller)
  if (sendsVerification(accounts, user)) await countCaller(accounts.objects.limits, 'mails', caller)
  const change: UserChange = { user, fields, links, password }
  const { answer, sessionToken } = await accounts.database
    .transaction(
      (transaction) => write(accounts, transaction, id, change, { ...options, updatedKeys }, baseUrl, caller),
      caller.origin?.principal,
    )
    .catch((error: unknown) => {
      throw asTaken(error)
    })
  if (sessionToken !== null) await accounts.sessions.forget(id)
  return sessionToken === null ? answer : { ...answer, sessionToken }
}

function concernsAccount({ username, password, email, mobilePhoneNumber, authData }: UserBody): boolean {
  return [username, password, email, mobilePhoneNumber, authData ?? undefined].some((value) => value !== undefined)
}

/** Returns the verification flags: a new address is unverified (protocol/accounts, emailVerified). */
function flagsOf({ email, mobilePhoneNumber }: UserBody): JsonObject {
  return {
    ...(email !== undefined && { emailVerified: email === null ? null : false }),
    ...(mobilePhoneNumber !== undefined && { mobilePhoneVerified: false }),
  }
}

/** Returns the updated keys for hooks: the names in the request, without derived changes (protocol/cloud-code, Request body). */
function updatedKeysOf({ fields, password, authData }: UserBody): string[] {
  const names = Object.keys(fields).map((key) => key.split('.')[0]!)
  const others = [...(password === undefined ? [] : ['password']), ...(authData ? ['authData'] : [])]
  return [...new Set([...names.filter((name) => !name.startsWith('__')), ...others])]
}

/** Returns links as changes of `authData`. */
function previewOf(links: AuthDataChanges | null): JsonObject {
  const changes = [...(links ?? [])].map(([platform, data]) => [`authData.${platform}`, data ?? { __op: 'Delete' }])
  return Object.fromEntries(changes)
}

interface UserChange {
  readonly user: UserBody
  readonly fields: JsonObject
  readonly links: AuthDataChanges | null
  /** The hash of the new password; null when it is not changed. */
  readonly password: string | null
}

interface Written {
  readonly answer: PresentedObject
  /** The new token if the user's token was replaced, else null. */
  readonly sessionToken: string | null
}

async function write(
  accounts: Accounts,
  transaction: Executor,
  id: string,
  { user, fields, links, password }: UserChange,
  options: Omit<UpdateOptions, 'transaction'>,
  baseUrl: () => string,
  caller: Caller,
): Promise<Written> {
  const stored = await findUser(accounts, byId(id), transaction, true)
  if (!stored) throw errors.objectMissing(id, '_User')
  if (password !== null) checkMayReplacePassword(accounts, stored, caller)
  const linked = storedAuthData(stored)
  const changes = password === null ? links : endAnonymity(linked, links)
  const authData = changes && {
    authData: await changeLinks(accounts, transaction, id, linked, changes, 'refuse'),
  }
  const answer = await updateObject(
    accounts.objects,
    '_User',
    id,
    { ...fields, ...authData },
    { ...options, transaction },
    caller,
  )
  const sessionToken = password === null ? null : await newTokenOf(accounts, transaction, stored, password)
  if (user.email !== undefined) await forgetLinks(accounts, transaction, id)
  if (sendsVerification(accounts, user)) {
    const username = user.username ?? String(member(stored.data, 'username'))
    await sendVerification(accounts, transaction, { id, username, email: user.email! }, baseUrl)
  }
  return { answer, sessionToken }
}

/**
 * Stores a password.
 * @returns the session token if it has changed
 */
async function newTokenOf(
  accounts: Accounts,
  transaction: Executor,
  stored: StoredUser,
  password: string,
): Promise<string | null> {
  const token = await setPassword(accounts, transaction, stored.id, password)
  return stored.sessionToken === null || token === stored.sessionToken ? null : token
}

/**
 * Checks that the password may be replaced without the old one (protocol/storage, Settings that change answers).
 * @throws ApiError 119 when the app requires the old password and the user has one
 */
function checkMayReplacePassword(accounts: Accounts, stored: StoredUser, caller: Caller): void {
  if (caller.master || stored.password === null || !accounts.settings().requireOldPassword) return
  throw errors.notAllowedForClients(
    'The setting accounts.requireOldPassword is on: change the password with updatePassword.',
  )
}
