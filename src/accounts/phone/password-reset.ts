import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import { type Accounts, byPhone, findUser } from '../accounts.ts'
import { replaceForgotten } from '../password-reset.ts'
import { checkPhoneNumber, internationalNumber } from '../phone-number.ts'
import { findCode, requesterOf, useCode } from '../sms/codes.ts'
import { sendCode } from '../sms/delivery.ts'
import { CODE_LIFE, userToSendTo } from '../sms/request.ts'
import { checkPassword } from '../user-body.ts'

/**
 * Sends the code for a password reset (protocol/accounts, Phone flows).
 * @throws ApiError 127, 212, 213, 608, and those of `sendCode`
 */
export async function requestPasswordResetCode(accounts: Accounts, request: Parameters, caller: Caller): Promise<void> {
  const { number } = await userToSendTo(accounts, request, caller)
  await sendCode(accounts, { number, purpose: 'reset', ttl: CODE_LIFE, userId: null, requester: requesterOf(caller) })
}

/**
 * Sets a new password for the user with the number that a code was sent to (protocol/accounts, Phone flows). The
 * session token changes with it (protocol/accounts, Session tokens and passwords); a lock on the login stays
 * (protocol/accounts, Login lockout).
 * @param request `password`, and optionally `mobilePhoneNumber`; without it, the number is found by the code alone
 * @throws ApiError 127, 201, 218, 219, 603
 */
export async function resetPasswordByCode(
  accounts: Accounts,
  code: string,
  request: Parameters,
  caller: Caller,
): Promise<void> {
  const { mobilePhoneNumber: named = null, password } = request
  if (password === undefined || password === null || password === '') throw errors.passwordMissing()
  const checked = checkPassword(password)
  const number = named === null || named === '' ? null : internationalNumber(checkPhoneNumber(named))
  const live = await findCode(accounts, number, 'reset', code, caller)
  if (!live) throw errors.invalidSmsCode()
  const hash = await accounts.passwords.hash(checked, caller.origin?.principal)
  const userId = await accounts.database.transaction(async (transaction) => {
    const user = await findUser(accounts, byPhone(live.number), transaction, true)
    if (!user || !(await useCode(accounts, transaction, live))) throw errors.invalidSmsCode()
    await replaceForgotten(accounts, transaction, user, hash)
    return user.id
  })
  await accounts.sessions.forget(userId)
}
