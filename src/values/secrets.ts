import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

const APP_ID = /^[A-Za-z0-9_-]{1,48}$/
const KEY = /^[\x21-\x2b\x2d-\x7e]{8,128}$/

/** The form of an app id and of a key, for error texts. A key has no comma, because in a header more text may follow one. */
export const APP_ID_RULE = "must be 1 to 48 letters, digits, '-' and '_'"
export const KEY_RULE = 'must have 8 to 128 printable characters other than commas'

export function isAppId(text: string): boolean {
  return APP_ID.test(text)
}

export function isKey(text: string): boolean {
  return KEY.test(text)
}

/** Returns a new application id or key: 24 random letters and digits, the form used by the hosted service. */
export function newKey(): string {
  return Array.from({ length: 24 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

/** Returns a secret for a link that cannot be guessed. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Compares a secret in constant time, regardless of where the first difference is. */
export function isSameSecret(given: string, secret: string): boolean {
  const left = Buffer.from(given)
  const right = Buffer.from(secret)
  const sameLength = left.length === right.length
  return timingSafeEqual(sameLength ? left : right, right) && sameLength
}

/** Returns the MD5 of the timestamp followed by the key, as lowercase hex (protocol/conventions, Signatures). */
export function signatureOf(timestamp: string, key: string): string {
  return hash('md5', timestamp + key)
}
