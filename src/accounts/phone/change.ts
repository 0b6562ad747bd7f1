import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import { updateObject, updateWithHook } from '../../objects/writing/update.ts'
import { type Accounts, asTaken, byId, byPhone, findUser } from '../accounts.ts'
import { identified } from '../linked-accounts.ts'
import { internationalNumber, requiredPhoneNumber } from '../phone-number.ts'
import { requesterOf, tryCode, useCode } from '../sms/codes.ts'
import { sendCode } from '../sms/delivery.ts'
import { codeLife, numberToSendTo, requiredCode } from '../sms/request.ts'
import { notifyVerified } from '../user-hooks.ts'

/** How long a code for a change is valid by default, in minutes (protocol/accounts, Phone flows). */
const CHANGE_LIFE = 6

/**
 * Sends a code to the user's new number (protocol/accounts, Phone flows).
 * @throws ApiError 141 and 142 of hooks, 1, 127, 206 without a session, 212, 214, 608, and those of `sendCode`
 */
export async function requestPhoneChange(accounts: Accounts, request: Parameters, caller: Caller): Promise<void> {
  const { userId } = caller
  if (userId === null) throw errors.userWithoutSession()
  const ttl = codeLife(request.ttl, CHANGE_LIFE)
  const number = await numberToSendTo(accounts, request, caller)
  const owner = await findUser(accounts, byPhone(number))
  if (owner && owner.id !== userId) throw errors.phoneNumberTaken()
  await sendCode(accounts, { number, purpose: 'change', ttl, userId, requester: requesterOf(caller) })
}

/**
 * Sets the caller's number to the one that its code was sent to, and marks it as verified (protocol/accounts, Phone
 * flows). Checks the code before the session, because clients test for 603 without a session.
 * @param request `mobilePhoneNumber` and `code`
 * @throws ApiError 1, 127, 206 for a right code without a session, 212, 214, 603
 */
export async function changePhone(accounts: Accounts, request: Parameters, { userId, origin }: Caller): Promise<void> {
  const mobilePhoneNumber = requiredPhoneNumber(request.mobilePhoneNumber)
  const code = requiredCode('code', request.code)
  const live = await tryCode(accounts, internationalNumber(mobilePhoneNumber), ['change'], code)
  if (!live) throw errors.invalidSmsCode()
  if (userId === null) throw errors.userWithoutSession()
  if (live.userId !== userId) throw errors.invalidSmsCode()
  const self: Caller = { master: true, userId, grants: [], ...(origin && { origin }) }
  const fields = { mobilePhoneNumber, mobilePhoneVerified: true }
  const updatedKeys = ['mobilePhoneNumber']
  await updateWithHook(accounts.objects, '_User', userId, fields, updatedKeys, self)
  await accounts.database
    .transaction(async (transaction) => {
      const user = await findUser(accounts, byId(userId), transaction, true)
      if (!user) throw errors.userWithoutSession()
      if (!(await useCode(accounts, transaction, live))) throw errors.invalidSmsCode()
      const options = { where: null, fetch: false, transaction, updatedKeys }
      const changes = { ...fields, ...(await identified(accounts, transaction, user)) }
      await updateObject(accounts.objects, '_User', userId, changes, options, self)
      await notifyVerified(accounts, 'sms', userId, origin, transaction)
    })
    .catch((error: unknown) => {
      throw asTaken(error)
    })
}
