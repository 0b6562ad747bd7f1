import { createHash, randomInt } from 'node:crypto'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Returns 25 random characters of a-z and 0-9: a session token, or the name of a user that did not choose one
 * (protocol/conventions, Responses).
 */
export function newToken(): string {
  return Array.from({ length: 25 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

/** Returns six random digits. */
export function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0')
}

/** Returns the stored form of a secret that is only sent by mail. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
