import { isUniqueViolation } from '../../database/faults.ts'
import type { Executor } from '../../database/pool.ts'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { withIgnoredHooks } from '../../objects/access/hooks.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import { type Accounts, asTaken, byPhone, byUsername, findUser, type LoggedIn } from '../accounts.ts'
import { changeLinks } from '../linked-accounts.ts'
import { checkPhoneVerified } from '../login-conditions.ts'
import { internationalNumber, requiredPhoneNumber } from '../phone-number.ts'
import { type LiveCode, LOGIN_PURPOSES, requesterOf, tryCode, useCode } from '../sms/codes.ts'
import { sendCode } from '../sms/delivery.ts'
import { CODE_LIFE, requiredCode, userToSendTo } from '../sms/request.ts'
import { newToken } from '../tokens.ts'
import { parseUserBody } from '../user-body.ts'
import { callAuthDataHook, concludeLogin } from '../user-hooks.ts'
import { logInByCode } from './log-in.ts'
import { insertUser, type NewUser, prepareNewUser } from './new-user.ts'
import { checkedAuthData } from './third-party-login.ts'

/**
 * Sends the code for a login by number (protocol/accounts, Phone flows).
 * @throws ApiError 127, 212, 213, 215, 608, and those of `sendCode`
 */
export async function requestLoginCode(accounts: Accounts, request: Parameters, caller: Caller): Promise<void> {
  const { number, user } = await userToSendTo(accounts, request, caller)
  checkPhoneVerified(accounts, user)
  await sendCode(accounts, { number, purpose: 'login', ttl: CODE_LIFE, userId: null, requester: requesterOf(caller) })
}

/**
 * Logs in with a number and a code; the first login creates the user (protocol/accounts, Sign-up or login by phone).
 * @param body `mobilePhoneNumber` and `smsCode`; the other members apply to a new user
 * @param baseUrl base URL of links in mails
 * @throws ApiError 141 and 142 of hooks, 1, 127, 212, 216, 219, 603, and those of a sign-up
 */
export async function logInByPhone(
  accounts: Accounts,
  body: unknown,
  baseUrl: () => string,
  sender: Caller,
): Promise<LoggedIn> {
  const caller = withIgnoredHooks(accounts.objects, '_User', body, sender)
  return concludeLogin(accounts, await logInOrSignUp(accounts, body, baseUrl, caller), caller)
}

async function logInOrSignUp(
  accounts: Accounts,
  body: unknown,
  baseUrl: () => string,
  caller: Caller,
): Promise<LoggedIn> {
  if (!isJsonObject(body)) throw errors.malformedJson('The body must be a JSON object.')
  const number = internationalNumber(requiredPhoneNumber(body.mobilePhoneNumber))
  const code = requiredCode('smsCode', body.smsCode)
  const user = await findUser(accounts, byPhone(number))
  if (user) return logInByCode(accounts, user, number, code)
  const live = await tryCode(accounts, number, LOGIN_PURPOSES, code)
  if (!live) throw errors.invalidSmsCode()
  try {
    return await signUpByCode(accounts, body, live, baseUrl, caller)
  } catch (error) {
    // A concurrent request with another code for the number may have created the user.
    const made = isUniqueViolation(error) ? await findUser(accounts, byPhone(number)) : null
    if (made) return logInByCode(accounts, made, number, code)
    throw asTaken(error)
  }
}

/** Creates a user by a code. The code stays usable if no user is created, for example because its name is taken. */
async function signUpByCode(
  accounts: Accounts,
  body: JsonObject,
  live: LiveCode,
  baseUrl: () => string,
  caller: Caller,
): Promise<LoggedIn> {
  const user = await newUser(accounts, body, caller)
  return accounts.database.transaction(async (transaction) => {
    if (!(await useCode(accounts, transaction, live))) throw errors.invalidSmsCode()
    return insertUser(accounts, transaction, user, baseUrl)
  })
}

async function newUser(accounts: Accounts, body: JsonObject, caller: Caller): Promise<NewUser> {
  const parsed = await callAuthDataHook(accounts, parseUserBody(body, caller.master), caller)
  const username = parsed.username ?? (await nameFor(accounts, String(body.mobilePhoneNumber)))
  const named = { ...parsed, username, fields: { ...parsed.fields, username } }
  const authData = await checkedAuthData(accounts, named)
  const agreed = await prepareNewUser(accounts, named, Object.fromEntries(authData), caller)
  const password =
    parsed.password === undefined ? null : await accounts.passwords.hash(parsed.password, caller.origin?.principal)
  const linkAccounts = (transaction: Executor, id: string) =>
    changeLinks(accounts, transaction, id, {}, authData, 'refuse')
  // Cloud code may have set a number other than the one the code was sent to.
  const phoneVerified = agreed.user.mobilePhoneNumber === parsed.mobilePhoneNumber
  return { ...agreed, password, phoneVerified, ...(authData.size > 0 && { linkAccounts }) }
}

/** Returns the number as the username, or a random name if the number is taken, for example by its former owner. */
async function nameFor(accounts: Accounts, number: string): Promise<string> {
  return (await findUser(accounts, byUsername(number))) ? newToken() : number
}
