import { errors } from '../../errors.ts'
import { type Caller, MASTER } from '../../objects/access/caller.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import type { PresentedObject } from '../../objects/store.ts'
import { updateObject } from '../../objects/writing/update.ts'
import { member } from '../../values/json.ts'
import { type Accounts, byId, byPhone, findUser } from '../accounts.ts'
import { identified } from '../linked-accounts.ts'
import { checkPhoneNumber, internationalNumber } from '../phone-number.ts'
import { findCode, requesterOf, useCode } from '../sms/codes.ts'
import { sendCode } from '../sms/delivery.ts'
import { CODE_LIFE, userToSendTo } from '../sms/request.ts'
import { notifyVerified } from '../user-hooks.ts'

/**
 * Sends the code by which a user verifies its number (protocol/accounts, Phone flows). Sends nothing to a number that
 * is already verified.
 * @throws ApiError 127, 212, 213, 608, and those of `sendCode`
 */
export async function requestPhoneVerification(accounts: Accounts, request: Parameters, caller: Caller): Promise<void> {
  const { number, user } = await userToSendTo(accounts, request, caller)
  if (member(user.data, 'mobilePhoneVerified') === true) return
  await sendCode(accounts, { number, purpose: 'verify', ttl: CODE_LIFE, userId: null, requester: requesterOf(caller) })
}

/**
 * Verifies a user's number by a code (protocol/accounts, Phone flows).
 * @returns `objectId` and `updatedAt` of the user
 * @throws ApiError 127, 219, 603
 */
export async function verifyPhone(
  accounts: Accounts,
  code: string,
  request: Parameters,
  caller: Caller,
): Promise<PresentedObject> {
  const live = await findCode(accounts, await numberToVerify(accounts, request, caller), 'verify', code, caller)
  if (!live) throw errors.invalidSmsCode()
  return accounts.database.transaction(async (transaction) => {
    const user = await findUser(accounts, byPhone(live.number), transaction, true)
    if (!user || !(await useCode(accounts, transaction, live))) throw errors.invalidSmsCode()
    const options = { where: null, fetch: false, transaction, updatedKeys: ['mobilePhoneVerified'] }
    const fields = { mobilePhoneVerified: true, ...(await identified(accounts, transaction, user)) }
    const answer = await updateObject(accounts.objects, '_User', user.id, fields, options, MASTER)
    await notifyVerified(accounts, 'sms', user.id, caller.origin, transaction)
    return answer
  })
}

/** Returns the number in the request, else that of the caller; null when the code alone has to identify it. */
async function numberToVerify(
  accounts: Accounts,
  { mobilePhoneNumber: named }: Parameters,
  { userId }: Caller,
): Promise<string | null> {
  if (named !== undefined && named !== null && named !== '') return internationalNumber(checkPhoneNumber(named))
  const self = userId === null ? null : await findUser(accounts, byId(userId))
  const own = self && member(self.data, 'mobilePhoneNumber')
  return typeof own === 'string' ? internationalNumber(own) : null
}
