import { createHash, randomInt } from 'node:crypto'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'

/**
 * 25 random characters of a-z and 0-9: a session token, or the name of a user who gave none (protocol/conventions,
 * Responses).
 */
export function newToken(): string {
  return Array.from({ length: 25 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

/** Six random digits. */
export function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0')
}

/** What is stored of a secret that is only in a mail. */
export function hashOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
