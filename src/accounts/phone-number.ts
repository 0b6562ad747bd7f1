import { errors } from '../errors.ts'

const PHONE_NUMBER = /^\+?[0-9]{4,15}$/

/** Where numbers without a country code belong (protocol/accounts, Sign-up). */
const DEFAULT_COUNTRY = '+86'

/** Digits, with `+` and a country code in front or not. */
export function isPhoneNumber(value: unknown): value is string {
  return typeof value === 'string' && PHONE_NUMBER.test(value)
}

/** @throws ApiError 127 */
export function checkPhoneNumber(value: unknown): string {
  if (!isPhoneNumber(value)) throw errors.invalidPhoneNumber()
  return value
}

/** The number that a request has to name, as it is written there. @throws ApiError 127, 212 */
export function requiredPhoneNumber(value: unknown): string {
  if (value === undefined || value === null || value === '') throw errors.phoneNumberMissing()
  return checkPhoneNumber(value)
}

/** The number with its country code: what two spellings of one number have in common. SQL: `homeport.phone_number`. */
export function internationalNumber(number: string): string {
  return number.startsWith('+') ? number : DEFAULT_COUNTRY + number
}
