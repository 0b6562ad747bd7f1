import { createHash } from 'node:crypto'

/** Returns the hash by which a random secret is stored. The secret has 256 bits, so a slow hash is not needed. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}
