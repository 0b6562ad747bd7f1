import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { countCaller } from '../../objects/access/count-caller.ts'
import { checkPermission } from '../../objects/access/permissions.ts'
import { createObject } from '../../objects/writing/create.ts'
import { type JsonObject, member } from '../../values/json.ts'
import { newObjectId } from '../../values/names.ts'
import { type Accounts, byId, findUser, type LoggedIn, prepareFields, presentLogin, userClass } from '../accounts.ts'
import { sendsVerification, sendVerification } from '../email-verification.ts'
import { newToken } from '../tokens.ts'
import type { UserBody } from '../user-body.ts'
import { type AgreedUser, callNewUserHooks } from '../user-hooks.ts'

/**
 * Prepares a new user before the transaction that creates it: checks permission, calls cloud code, registers fields.
 * @param authData the accounts that the user will be linked to
 * @returns the user to create
 * @throws ApiError 403 when the caller may not create users, 429 when it creates too many, and those of `callNewUserHooks`
 *   and `prepareFields`
 */
export async function prepareNewUser(
  accounts: Accounts,
  user: UserBody,
  authData: JsonObject,
  caller: Caller,
): Promise<AgreedUser> {
  checkPermission('_User', userClass(accounts).permissions, 'create', caller)
  await countCaller(accounts.objects.limits, 'signUps', caller)
  if (sendsVerification(accounts, user)) await countCaller(accounts.objects.limits, 'mails', caller)
  const agreed = await callNewUserHooks(accounts, user, authData, caller)
  const linked = Object.keys(authData).length > 0 ? { authData } : {}
  await prepareFields(accounts, { ...agreed.user.fields, ...linked }, false, agreed.caller)
  return agreed
}

export interface NewUser extends AgreedUser {
  /** The hash of the password; null for a user that logs in by other means. */
  readonly password: string | null
  /** The user has proved by a code that the number is its own. */
  readonly phoneVerified?: boolean
  /** Links the accounts of the new user and returns its authData. */
  readonly linkAccounts?: (transaction: Executor, userId: string) => Promise<JsonObject>
}

/** Creates the user, its credentials and links in one transaction. Call `prepareNewUser` first. */
export async function insertUser(
  accounts: Accounts,
  transaction: Executor,
  { user, caller, password, phoneVerified = false, linkAccounts }: NewUser,
  baseUrl: () => string,
): Promise<LoggedIn> {
  const id = newObjectId()
  const sends = sendsVerification(accounts, user)
  const authData = await linkAccounts?.(transaction, id)
  const fields: JsonObject = {
    username: newToken(),
    // protocol/accounts, emailVerified: false when a mail is sent, null otherwise.
    emailVerified: sends ? false : null,
    mobilePhoneVerified: phoneVerified,
    ...user.fields,
    ...(authData && { authData }),
  }
  // The owner in the default ACL of users is the user itself.
  await createObject(accounts.objects, '_User', fields, caller, { id, transaction, owner: id })
  const sessionToken = newToken()
  await transaction.query(sql`
    INSERT INTO ${accounts.credentials} (user_id, session_token, password)
    VALUES (${id}, ${sessionToken}, ${password})`)
  const made = await findUser(accounts, byId(id), transaction)
  if (sends) {
    const username = String(member(made!.data, 'username'))
    await sendVerification(accounts, transaction, { id, username, email: user.email! }, baseUrl)
  }
  return { id, isNew: true, text: await presentLogin(accounts, made!.row, sessionToken) }
}
