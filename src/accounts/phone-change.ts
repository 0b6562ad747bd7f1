import { errors } from '../errors.ts'
import { type Caller, MASTER } from '../objects/caller.ts'
import type { Parameters } from '../objects/query-parameters.ts'
import { updateObject } from '../objects/update.ts'
import { type Accounts, asTaken, byId, byPhone, findUser } from './accounts.ts'
import { internationalNumber, requiredPhoneNumber } from './phone-number.ts'
import { tryCode, useCode } from './sms-codes.ts'
import { sendCode } from './sms-delivery.ts'
import { codeLife, numberToSendTo, requiredCode } from './sms-request.ts'

/** How long the code for a change can be used unless the request says otherwise, in minutes (spec/rest-details, 9.7). */
const CHANGE_LIFE = 6

/**
 * Sends a code to the number that the caller wants to have (spec/rest-details, 9.7).
 * @throws ApiError 1, 127, 206 without a session, 212, 214, 608, and those of `sendCode`
 */
export async function requestPhoneChange(accounts: Accounts, request: Parameters, caller: Caller): Promise<void> {
  const { userId } = caller
  if (userId === null) throw errors.userWithoutSession()
  const ttl = codeLife(request.ttl, CHANGE_LIFE)
  const number = await numberToSendTo(accounts, request, caller)
  const owner = await findUser(accounts, byPhone(number))
  if (owner && owner.id !== userId) throw errors.phoneNumberTaken()
  await sendCode(accounts, { number, purpose: 'change', ttl, userId })
}

/**
 * Gives the caller the number that its code went to; it is verified with that (spec/rest-details, 9.7).
 * @param request `mobilePhoneNumber` and `code`
 * @throws ApiError 1, 127, 206 without a session, 212, 214, 603
 */
export async function changePhone(accounts: Accounts, request: Parameters, { userId }: Caller): Promise<void> {
  if (userId === null) throw errors.userWithoutSession()
  const mobilePhoneNumber = requiredPhoneNumber(request.mobilePhoneNumber)
  const code = requiredCode('code', request.code)
  const live = await tryCode(accounts, internationalNumber(mobilePhoneNumber), ['change'], code)
  if (live?.userId !== userId) throw errors.invalidSmsCode()
  await accounts.database
    .transaction(async (transaction) => {
      if (!(await findUser(accounts, byId(userId), transaction, true))) throw errors.userWithoutSession()
      if (!(await useCode(accounts, transaction, live))) throw errors.invalidSmsCode()
      const fields = { mobilePhoneNumber, mobilePhoneVerified: true }
      await updateObject(accounts.objects, '_User', userId, fields, { where: null, fetch: false, transaction }, MASTER)
    })
    .catch((error: unknown) => {
      throw asTaken(error)
    })
}
