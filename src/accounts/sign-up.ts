import { errors } from '../errors.ts'
import type { Caller } from '../objects/caller.ts'
import { type Accounts, asTaken, type LoggedIn } from './accounts.ts'
import { insertUser, prepareNewUser } from './new-user.ts'
import { logInWithAuthData, type SignUpOptions } from './third-party-login.ts'
import { parseUserBody } from './user-body.ts'

/**
 * Registers a user by name and password, or logs in and if need be registers one by third-party data (spec/2, POST
 * /1.1/users).
 * @throws ApiError 125, 127, 200 to 203, 208, 211, 214, 217, 218, 250 to 252, 403, and those of `createObject`
 */
export async function signUp(
  accounts: Accounts,
  body: unknown,
  options: SignUpOptions,
  caller: Caller,
): Promise<LoggedIn> {
  const user = parseUserBody(body, caller.master)
  if (user.authData && [...user.authData.values()].some((data) => data !== null)) {
    return logInWithAuthData(accounts, user, options, caller)
  }
  if (user.username === undefined) throw errors.usernameMissing()
  if (user.password === undefined) throw errors.passwordMissing()
  await prepareNewUser(accounts, user.fields, caller)
  const password = await accounts.passwords.hash(user.password)
  return accounts.database
    .transaction((transaction) => insertUser(accounts, transaction, { user, password }, options.baseUrl, caller))
    .catch((error: unknown) => {
      throw asTaken(error)
    })
}
