import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

const APP_ID = /^[A-Za-z0-9_-]{1,48}$/
const KEY = /^[\x21-\x2b\x2d-\x7e]{8,128}$/

/** What an app id and a key may look like, for people to read. A comma would part a key from what may follow it. */
export const APP_ID_RULE = "may have 1 to 48 letters, digits, '-' and '_'"
export const KEY_RULE = 'must have 8 to 128 printable characters and no comma'

export function isAppId(text: string): boolean {
  return APP_ID.test(text)
}

export function isKey(text: string): boolean {
  return KEY.test(text)
}

/** A new application id or key: 24 random letters and digits, the form that the hosted service gives out. */
export function newKey(): string {
  return Array.from({ length: 24 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

/** A secret that is part of a link: not to be guessed. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Compares a secret in a time that does not depend on where the first difference is. */
export function isSameSecret(given: string, secret: string): boolean {
  const left = Buffer.from(given)
  const right = Buffer.from(secret)
  const sameLength = left.length === right.length
  return timingSafeEqual(sameLength ? left : right, right) && sameLength
}

/** MD5 of the timestamp followed by the key, as lowercase hex (protocol/conventions, Signatures). */
export function signatureOf(timestamp: string, key: string): string {
  return hash('md5', timestamp + key)
}
