import { createHash } from 'node:crypto'

/** By which a random secret is known in the database. It has 256 bits: nothing slower is needed. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}
