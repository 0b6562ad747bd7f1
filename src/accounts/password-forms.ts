import { errors } from '../errors.ts'
import { notice } from '../notices/notice.ts'

/** Parameters of new hashes: 19 MiB (`memoryCost` is in KiB), 2 passes, 1 lane, as OWASP advises for argon2id. */
export const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** A stored password, parsed. */
export type StoredForm =
  | { readonly kind: 'argon2id'; readonly hash: string; readonly outdated: boolean }
  | { readonly kind: 'bcrypt'; readonly hash: string; readonly outdated: true }
  | { readonly kind: 'sha512'; readonly salt: string; readonly digest: string; readonly outdated: true }

const ARGON2ID_FORM = /^\$argon2id\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=\d{1,3}\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/
const BCRYPT_FORM = /^\$2[aby]\$(0[4-9]|[1-3]\d)\$[A-Za-z0-9./]{53}$/
const SHA512_FORM = /^\$sha512-512\$([^$]*)\$([^$]*)$/

/**
 * Forms that are more expensive count as damaged: one login would occupy a thread for many seconds, and the process
 * would exit for lack of memory.
 */
const MAX_COST = { argon2Memory: 262_144, argon2Passes: 16, bcryptCost: 16 }

/** Parses a stored password; null for an unknown or damaged form. */
export function readStoredForm(stored: string): StoredForm | null {
  return readArgon2id(stored) ?? readBcrypt(stored) ?? readSha512(stored)
}

function readArgon2id(stored: string): StoredForm | null {
  const found = ARGON2ID_FORM.exec(stored)
  if (!found) return null
  const [memory, passes] = [Number(found[1]), Number(found[2])]
  if (memory > MAX_COST.argon2Memory || passes > MAX_COST.argon2Passes) return null
  return { kind: 'argon2id', hash: stored, outdated: memory < ARGON2ID.memoryCost || passes < ARGON2ID.timeCost }
}

function readBcrypt(stored: string): StoredForm | null {
  const found = BCRYPT_FORM.exec(stored)
  return found && Number(found[1]) <= MAX_COST.bcryptCost ? { kind: 'bcrypt', hash: stored, outdated: true } : null
}

function readSha512(stored: string): StoredForm | null {
  const pair = exportedPair(stored)
  return pair && { kind: 'sha512', salt: pair.salt, digest: pair.password, outdated: true }
}

/**
 * Returns the form in which a password exported from the hosted service is stored: `$sha512-512$<salt>$<password>`. The
 * salt is percent-encoded, because `$` is the separator and PostgreSQL stores no NUL. The letters and digits of which
 * salts usually consist stay unchanged.
 * @param password base64 of the last digest (protocol/moving-in, Users in exports), not the password that the user
 *   types
 * @throws ApiError 1 when that is not the base64 of 64 bytes, or the salt is not Unicode text
 */
export function storedFormOf(password: string, salt: string): string {
  if (!isDigest(password)) throw errors.badArgument(notice('hostedPasswordInvalid'))
  if (!salt.isWellFormed()) throw errors.badArgument(notice('hostedSaltInvalid'))
  return `$sha512-512$${encodeURIComponent(salt)}$${password}`
}

/** Returns the exported pair of a password in the form of the hosted service; null for all other forms. */
export function exportedPair(stored: string): { password: string; salt: string } | null {
  const [, encodedSalt, password] = SHA512_FORM.exec(stored) ?? []
  if (encodedSalt === undefined || password === undefined || !isDigest(password)) return null
  try {
    return { password, salt: decodeURIComponent(encodedSalt) }
  } catch {
    return null
  }
}

/** Returns whether this is the canonical base64 of 64 bytes: padded, and without stray bits in the last letter. */
function isDigest(base64: string): boolean {
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length === 64 && bytes.toString('base64') === base64
}
