import type { Sql } from '../../database/sql.ts'
import { sql } from '../../database/sql.ts'
import { ApiError, errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import type { Principal } from '../../scheduling/principal.ts'
import { isJsonObject, type Json, type JsonObject, member, storableText } from '../../values/json.ts'
import {
  type Accounts,
  byEmail,
  byPhone,
  byUsername,
  findUser,
  type LoggedIn,
  presentLogin,
  type StoredUser,
} from '../accounts.ts'
import { LOGIN_LIMIT } from '../attempts.ts'
import { checkMayLogIn, checkPhoneVerified } from '../login-conditions.ts'
import { checkPhoneNumber, internationalNumber } from '../phone-number.ts'
import { LOGIN_PURPOSES, redeemCode } from '../sms/codes.ts'
import { concludeLogin } from '../user-hooks.ts'

/**
 * Logs a user in by name, address or number with a password, or by number with a code (protocol/accounts, Login).
 * @param body exactly one of `username`, `email` and `mobilePhoneNumber`, with `password` or `smsCode`. Members that
 *   are null or empty count as absent, because some SDKs send all members they know.
 * @throws ApiError 141 and 142 of hooks, 1, 127, 200, 201, 210, 211, 213, 215, 216, 219, 603
 */
export async function logIn(accounts: Accounts, body: unknown, caller: Caller): Promise<LoggedIn> {
  return concludeLogin(accounts, await byCredentials(accounts, body, caller.origin?.principal), caller)
}

const NAMES = ['username', 'email', 'mobilePhoneNumber'] as const

/** @throws ApiError 1 for a body that identifies the user in more than one way */
function checkNamesOne(body: JsonObject): void {
  const given = NAMES.filter((name) => isGiven(member(body, name)))
  if (given.length > 1)
    throw errors.badArgument(
      `A login must have only one of '${NAMES.join("', '")}'; this one has '${given.join("' and '")}'.`,
    )
}

async function byCredentials(accounts: Accounts, body: unknown, principal: Principal | undefined): Promise<LoggedIn> {
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  const { username, email, mobilePhoneNumber, password, smsCode } = body
  checkNamesOne(body)
  if (isGiven(username)) return byPassword(accounts, byUsername(text('username', username)), password, principal)
  if (isGiven(email)) return byPassword(accounts, byEmail(text('email', email)), password, principal)
  if (!isGiven(mobilePhoneNumber)) throw errors.usernameMissing()
  const number = internationalNumber(checkPhoneNumber(mobilePhoneNumber))
  if (isGiven(smsCode) && !isGiven(password)) {
    const user = await findUser(accounts, byPhone(number))
    if (!user) throw errors.phoneNumberUnknown()
    return logInByCode(accounts, user, number, smsCode)
  }
  return byPassword(accounts, byPhone(number), password, principal, true)
}

/**
 * Logs a user in by number and code. The caller has to call `onLogin`.
 * @param number with its country code
 * @throws ApiError 216, 219, 603
 */
export async function logInByCode(accounts: Accounts, user: StoredUser, number: string, code: Json): Promise<LoggedIn> {
  const right = await accounts.lockout.guess(user.id, LOGIN_LIMIT, () =>
    redeemCode(accounts, number, LOGIN_PURPOSES, code),
  )
  if (right === null) throw errors.invalidSmsCode()
  return answer(accounts, user)
}

async function byPassword(
  accounts: Accounts,
  condition: Sql,
  password: Json | undefined,
  principal: Principal | undefined,
  withPhone = false,
): Promise<LoggedIn> {
  if (!isGiven(password)) throw errors.passwordMissing()
  if (typeof password !== 'string') throw errors.invalidPassword()
  const user = await findUser(accounts, condition)
  if (!user) throw withPhone ? errors.phoneNumberUnknown() : errors.userNotFound()
  await checkPassword(accounts, user, password, principal)
  if (withPhone) checkPhoneVerified(accounts, user)
  return answer(accounts, user)
}

/**
 * Checks a guess at a user's password, within the limits of guessing. Rehashes a password that is stored in an older
 * form.
 * @param principal charged for the work
 * @throws ApiError 210, or 219 after too many wrong guesses; 429 and 511 when too many guesses wait
 */
export async function checkPassword(
  accounts: Accounts,
  user: StoredUser,
  password: string,
  principal: Principal | undefined,
): Promise<void> {
  const checked = async () => {
    const outcome = await accounts.passwords.check(password, user.password, principal)
    return outcome === 'wrong' ? null : outcome
  }
  const check = await accounts.lockout.guess(user.id, LOGIN_LIMIT, checked, principal)
  if (check === null) throw errors.passwordMismatch()
  if (check === 'outdated') await rehash(accounts, user, password, principal)
}

async function rehash(
  accounts: Accounts,
  user: StoredUser,
  password: string,
  principal: Principal | undefined,
): Promise<void> {
  try {
    const hash = await accounts.passwords.hash(password, principal)
    // Keeps a password that has been changed in the meantime.
    await accounts.database.query(sql`
      UPDATE ${accounts.credentials} SET password = ${hash} WHERE user_id = ${user.id} AND password = ${user.password}`)
  } catch (error) {
    // The hash queue is full: the next login tries again.
    if (!(error instanceof ApiError)) throw error
  }
}

async function answer(accounts: Accounts, user: StoredUser): Promise<LoggedIn> {
  checkMayLogIn(accounts, user)
  // The token as read before the guess: a token created by a later password change must not be returned.
  const sessionToken = user.sessionToken ?? (await accounts.sessions.tokenOf(user.id))
  return { id: user.id, isNew: false, text: await presentLogin(accounts, user.row, sessionToken) }
}

function isGiven(value: Json | undefined): value is Json {
  return value !== undefined && value !== null && value !== ''
}

function text(name: string, value: Json): string {
  if (typeof value !== 'string') throw errors.badArgument(`'${name}' must be a string.`)
  return storableText(value)
}
