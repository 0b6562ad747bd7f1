import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

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

/** MD5 of the timestamp followed by the key, as lowercase hex (spec/1, X-LC-Sign rules). */
export function signatureOf(timestamp: string, key: string): string {
  return hash('md5', timestamp + key)
}
