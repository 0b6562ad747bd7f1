import { errors } from '../errors.ts'

const PHONE_NUMBER = /^\+?[0-9]{4,15}$/

/** Country code of numbers that have none (protocol/accounts, Sign-up). */
const DEFAULT_COUNTRY = '+86'

/** Returns whether a value is a number: digits, optionally after `+` and a country code. */
export function isPhoneNumber(value: unknown): value is string {
  return typeof value === 'string' && PHONE_NUMBER.test(value)
}

/** @throws ApiError 127 */
export function checkPhoneNumber(value: unknown): string {
  if (!isPhoneNumber(value)) throw errors.invalidPhoneNumber()
  return value
}

/**
 * Returns the number of a request, unchanged.
 * @throws ApiError 127, 212
 */
export function requiredPhoneNumber(value: unknown): string {
  if (value === undefined || value === null || value === '') throw errors.phoneNumberMissing()
  return checkPhoneNumber(value)
}

/** Adds the country code, so that all spellings of a number become the same. SQL: `homeport.phone_number`. */
export function internationalNumber(number: string): string {
  return number.startsWith('+') ? number : DEFAULT_COUNTRY + number
}
