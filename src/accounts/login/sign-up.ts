import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { withIgnoredHooks } from '../../objects/access/hooks.ts'
import { type Accounts, asTaken, type LoggedIn } from '../accounts.ts'
import { parseUserBody } from '../user-body.ts'
import { concludeLogin, linksAny } from '../user-hooks.ts'
import { insertUser, prepareNewUser } from './new-user.ts'
import { logInWithAuthData, type SignUpOptions } from './third-party-login.ts'

/**
 * Registers a user by name and password, or logs a user in by third-party data and registers it at its first login
 * (protocol/accounts, Sign-up).
 * @throws ApiError 141 and 142 of hooks, 125, 127, 137, 200 to 203, 211, 214, 217, 218, 250 to 252, 403, and those of
 *   `createObject`
 */
export async function signUp(
  accounts: Accounts,
  body: unknown,
  options: SignUpOptions,
  sender: Caller,
): Promise<LoggedIn> {
  const caller = withIgnoredHooks(accounts.objects, '_User', body, sender)
  const user = parseUserBody(body, caller.master)
  if (linksAny(user)) return concludeLogin(accounts, await logInWithAuthData(accounts, user, options, caller), caller)
  if (user.username === undefined) throw errors.usernameMissing()
  if (user.password === undefined) throw errors.passwordMissing()
  const agreed = await prepareNewUser(accounts, user, {}, caller)
  if (agreed.user.username === undefined) throw errors.usernameMissing()
  const password = await accounts.passwords.hash(user.password, caller.origin?.principal)
  return accounts.database
    .transaction(
      (transaction) => insertUser(accounts, transaction, { ...agreed, password }, options.baseUrl),
      caller.origin?.principal,
    )
    .catch((error: unknown) => {
      throw asTaken(error)
    })
}
