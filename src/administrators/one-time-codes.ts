import { Secret, TOTP } from 'otpauth'
import { text } from '../database/decode-row.ts'
import type { Database, Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { errors } from '../errors.ts'

/** The defaults of authenticator apps (RFC 6238): SHA-1, 6 digits, a step of 30 seconds. */
const PERIOD = 30
/** Tolerated clock difference of a phone, in steps. */
const WINDOW = 1

export interface NewCodes {
  /** For entry by hand. */
  readonly secret: string
  /** `otpauth://…`, the content of the QR code. */
  readonly uri: string
}

/**
 * Creates a secret for one-time codes. Codes are required once one was confirmed (`confirmCodes`).
 * @throws ApiError 1 when one-time codes are enabled already
 */
export async function beginCodes(database: Executor, { id, name }: { id: string; name: string }): Promise<NewCodes> {
  const secret = new Secret({ size: 20 })
  const begun = await database.query(sql`
    UPDATE homeport.administrators SET pending_totp = ${secret.base32} WHERE id = ${id} AND totp IS NULL RETURNING id`)
  if (begun.length === 0) throw errors.badArgument('One-time codes are already enabled; disable them first.')
  return { secret: secret.base32, uri: codesOf(secret.base32, name).toString() }
}

/**
 * Enables one-time codes.
 * @throws ApiError 1 when the code is wrong or no secret was created
 */
export async function confirmCodes(database: Database, id: string, code: string): Promise<void> {
  const [row] = await database.query(sql`SELECT pending_totp FROM homeport.administrators WHERE id = ${id}`)
  const pending = row ? text.orNull('pending_totp')(row) : null
  const step = pending === null ? null : stepOf(pending, code)
  if (step === null) throw errors.badArgument('code: wrong or expired')
  const confirmed = await database.query(sql`
    UPDATE homeport.administrators SET totp = pending_totp, pending_totp = NULL, totp_step = ${step}
    WHERE id = ${id} AND pending_totp = ${pending} RETURNING id`)
  if (confirmed.length === 0) throw errors.badArgument('code: replaced by a newer secret; use its code')
}

export async function endCodes(database: Executor, id: string): Promise<void> {
  await database.query(sql`UPDATE homeport.administrators SET totp = NULL, pending_totp = NULL WHERE id = ${id}`)
}

/**
 * Checks a code and uses it up, so that an observer of the screen cannot use it again.
 * @returns whether it is right and new
 */
export async function takeCode(database: Executor, id: string, secret: string, code: string): Promise<boolean> {
  const step = stepOf(secret, code)
  if (step === null) return false
  const taken = await database.query(sql`
    UPDATE homeport.administrators SET totp_step = ${step}
    WHERE id = ${id} AND totp = ${secret} AND totp_step < ${step} RETURNING id`)
  return taken.length > 0
}

/** Returns the time step of a code; null when it matches no step near the current time. */
function stepOf(secret: string, code: string): number | null {
  const delta = codesOf(secret, '').validate({ token: code, window: WINDOW })
  return delta === null ? null : Math.floor(Date.now() / 1000 / PERIOD) + delta
}

function codesOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: 'Homeport', label, secret, period: PERIOD, digits: 6 })
}
