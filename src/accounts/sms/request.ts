import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { countCaller } from '../../objects/access/count-caller.ts'
import type { Parameters } from '../../objects/query-parameters.ts'
import type { Json } from '../../values/json.ts'
import { type Accounts, byPhone, findUser, type StoredUser } from '../accounts.ts'
import { internationalNumber, requiredPhoneNumber } from '../phone-number.ts'
import { requireCaptcha } from './captchas.ts'

/** How long a code is valid, in minutes (protocol/accounts, Phone flows; protocol/accounts, SMS). */
export const CODE_LIFE = 10
const MAX_CODE_LIFE = 30

/**
 * Returns the number in a request for a message, with its country code. Checks the captcha, if the app requires one,
 * before the response can reveal anything about the number.
 * @throws ApiError 127, 212, 429, 608
 */
export async function numberToSendTo(accounts: Accounts, request: Parameters, caller: Caller): Promise<string> {
  const number = internationalNumber(requiredPhoneNumber(request.mobilePhoneNumber))
  await requireCaptcha(accounts, request.validate_token, caller)
  await countCaller(accounts.objects.limits, 'codes', caller)
  return number
}

/**
 * Returns the number in a request for a message and the user with that number.
 * @throws ApiError 127, 212, 213, 608
 */
export async function userToSendTo(
  accounts: Accounts,
  request: Parameters,
  caller: Caller,
): Promise<{ readonly number: string; readonly user: StoredUser }> {
  const number = await numberToSendTo(accounts, request, caller)
  const user = await findUser(accounts, byPhone(number))
  if (!user) throw errors.phoneNumberUnknown()
  return { number, user }
}

/**
 * Returns the `ttl` of a request in minutes, or the default.
 * @throws ApiError 1
 */
export function codeLife(ttl: Json | undefined, standard = CODE_LIFE): number {
  if (ttl === undefined || ttl === null || ttl === '') return standard
  const minutes = typeof ttl === 'string' ? Number(ttl) : ttl
  if (typeof minutes === 'number' && Number.isInteger(minutes) && minutes >= 1 && minutes <= MAX_CODE_LIFE)
    return minutes
  throw errors.badArgument(`'ttl' must be a whole number of minutes from 1 to ${MAX_CODE_LIFE}.`)
}

/**
 * Returns the code in a field of a request, unverified.
 * @throws ApiError 1
 */
export function requiredCode(field: string, value: Json | undefined): string {
  if (typeof value === 'string' && value !== '') return value
  throw errors.badArgument(`'${field}' must be a string: the six digits that were sent to the phone number.`)
}
