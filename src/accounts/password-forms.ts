import { errors } from '../errors.ts'
import { notice } from '../notices/notice.ts'

/** What new hashes cost: 19 MiB (`memoryCost` is in KiB), 2 passes, 1 lane, as OWASP advises for argon2id. */
export const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** A stored password, read. */
export type StoredForm =
  | { readonly kind: 'argon2id'; readonly hash: string; readonly outdated: boolean }
  | { readonly kind: 'bcrypt'; readonly hash: string; readonly outdated: true }
  | { readonly kind: 'sha512'; readonly salt: string; readonly digest: string; readonly outdated: true }

const ARGON2ID_FORM = /^\$argon2id\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=\d{1,3}\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+$/
const BCRYPT_FORM = /^\$2[aby]\$(0[4-9]|[1-3]\d)\$[A-Za-z0-9./]{53}$/
const SHA512_FORM = /^\$sha512-512\$([^$]*)\$([^$]*)$/

/**
 * Forms that cost more than this are taken for damaged: one login would hold a thread for many seconds, and the process
 * ends when there is no memory for it.
 */
const MOST = { argon2Memory: 262_144, argon2Passes: 16, bcryptCost: 16 }

/** Reads a stored password; null when it has none of the forms we know, or is damaged. */
export function readStoredForm(stored: string): StoredForm | null {
  return readArgon2id(stored) ?? readBcrypt(stored) ?? readSha512(stored)
}

function readArgon2id(stored: string): StoredForm | null {
  const found = ARGON2ID_FORM.exec(stored)
  if (!found) return null
  const [memory, passes] = [Number(found[1]), Number(found[2])]
  if (memory > MOST.argon2Memory || passes > MOST.argon2Passes) return null
  return { kind: 'argon2id', hash: stored, outdated: memory < ARGON2ID.memoryCost || passes < ARGON2ID.timeCost }
}

function readBcrypt(stored: string): StoredForm | null {
  const found = BCRYPT_FORM.exec(stored)
  return found && Number(found[1]) <= MOST.bcryptCost ? { kind: 'bcrypt', hash: stored, outdated: true } : null
}

function readSha512(stored: string): StoredForm | null {
  const pair = exportedPair(stored)
  return pair && { kind: 'sha512', salt: pair.salt, digest: pair.password, outdated: true }
}

/**
 * The form in which we store what an export of the hosted service says of a user: `$sha512-512$<salt>$<password>`. The
 * salt is percent-encoded, because a `$` in it would end it and PostgreSQL stores no NUL; the letters and digits of which
 * salts usually consist stay as they are.
 * @param password base64 of the last digest (protocol/moving-in, Users in exports), not what the user types
 * @throws ApiError 1 when that is not the base64 of 64 bytes, or the salt is not Unicode text
 */
export function storedFormOf(password: string, salt: string): string {
  if (!isDigest(password)) throw errors.badArgument(notice('hostedPasswordInvalid'))
  if (!salt.isWellFormed()) throw errors.badArgument(notice('hostedSaltInvalid'))
  return `$sha512-512$${encodeURIComponent(salt)}$${password}`
}

/** What an export says of a user whose password is in the form of the hosted service; null for all other forms. */
export function exportedPair(stored: string): { password: string; salt: string } | null {
  const [, encodedSalt, password] = SHA512_FORM.exec(stored) ?? []
  if (encodedSalt === undefined || password === undefined || !isDigest(password)) return null
  try {
    return { password, salt: decodeURIComponent(encodedSalt) }
  } catch {
    return null
  }
}

/** Whether this is the one base64 text of 64 bytes: with its padding, and without stray bits in the last letter. */
function isDigest(base64: string): boolean {
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length === 64 && bytes.toString('base64') === base64
}
