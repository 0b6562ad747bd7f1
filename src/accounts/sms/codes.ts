import { rowDecoder, text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { addressKey } from '../../limits/address-key.ts'
import type { Caller } from '../../objects/access/caller.ts'
import type { Json } from '../../values/json.ts'
import { isSameSecret } from '../../values/secrets.ts'
import type { Accounts } from '../accounts.ts'
import type { Limit } from '../attempts.ts'
import { newCode } from '../tokens.ts'

/** The purpose of a code. `generic`: the app decides what it is for (`requestSmsCode`). */
export type CodePurpose = 'generic' | 'login' | 'verify' | 'reset' | 'change'

/** Purposes of codes that log a user in. */
export const LOGIN_PURPOSES: readonly CodePurpose[] = ['login', 'generic']

/** Maximum number of attempts to enter a code; each code is used once. */
const MAX_TRIES = 5

const QUARTER = 900_000

/** Limit per address for wrong codes without a number: such guesses try the codes of all users at once. */
const OF_ADDRESS: Limit = {
  failures: 100,
  window: QUARTER,
  lock: QUARTER,
  slow: { after: 10, step: 100, max: 5000 },
}

/** The same limit per user. */
const OF_USER: Limit = { failures: 15, window: QUARTER, lock: QUARTER }

/**
 * Limit for codes without a number that are entered by a client other than the one that requested them, and for wrong
 * codes. It never locks an app, but bounds the rate of guesses from many addresses together.
 */
const GUESS_LIMIT: Limit = {
  failures: Number.POSITIVE_INFINITY,
  window: QUARTER,
  lock: 0,
  slow: { after: 100, step: 1000, max: 10_000 },
}

/** Maximum number of random codes tried to find one that is not in use for another number. */
const MAX_DRAWS = 100

/** The client that requests a code. */
export interface CodeRequester {
  /** The key of its IP address; null when that is unknown. */
  readonly from: string | null
  readonly userId: string | null
}

export interface NewCode {
  /** With its country code. */
  readonly number: string
  readonly purpose: CodePurpose
  /** In minutes. */
  readonly ttl: number
  /** The user that is to get the number; null for codes that change no number. */
  readonly userId: string | null
  readonly requester: CodeRequester
}

/** A code that was sent to a number and is still usable. */
export interface LiveCode {
  readonly number: string
  readonly purpose: CodePurpose
  readonly code: string
  readonly userId: string | null
}

/** Returns the fixed code of a number for tests (protocol/accounts, Phone flows); null for other numbers. */
export function fixedCode(accounts: Accounts, number: string): string | null {
  const { testNumbers } = accounts.smsSettings()
  return Object.hasOwn(testNumbers, number) ? testNumbers[number]! : null
}

/**
 * Creates the code of a number for a purpose, and replaces the previous one. The code is unique for the purpose while
 * it is valid, except codes of numbers for tests.
 * @param transaction has to hold the lock of the number (`countMessage`)
 */
export async function storeCode(
  accounts: Accounts,
  transaction: Executor,
  { number, purpose, ttl, userId, requester }: NewCode,
  draw: () => string = newCode,
): Promise<string> {
  await transaction.query(sql`
    DELETE FROM ${accounts.smsCodes} WHERE phone = ${number} AND purpose = ${purpose}`)
  const fixed = fixedCode(accounts, number)
  const known = Object.values(accounts.smsSettings().testNumbers)
  for (let draws = 0; draws < MAX_DRAWS; draws++) {
    const code = fixed ?? draw()
    // The fixed codes of tests must not match the codes of other users.
    if (fixed === null && known.includes(code)) continue
    const stored = await transaction.query(sql`
      WITH expired AS (
        SELECT phone, purpose
        FROM ${accounts.smsCodes}
        WHERE expires_at < now()
        LIMIT 10
        FOR UPDATE SKIP LOCKED
      ), removed AS (
        DELETE FROM ${accounts.smsCodes} AS code
        USING expired
        WHERE code.phone = expired.phone AND code.purpose = expired.purpose
      )
      INSERT INTO ${accounts.smsCodes} (phone, purpose, code, user_id, fixed, expires_at, asked_from, asked_by)
      VALUES (
        ${number}, ${purpose}, ${code}, ${userId}, ${fixed !== null}, now() + make_interval(mins => ${ttl}),
        ${requester.from}, ${requester.userId}
      )
      ON CONFLICT DO NOTHING
      RETURNING code`)
    if (stored.length > 0) return code
  }
  throw errors.unavailable()
}

/** Deletes a code that could not be sent to its number. */
export async function forgetCode(accounts: Accounts, { number, purpose }: NewCode, code: string): Promise<void> {
  await accounts.database.query(sql`
    DELETE FROM ${accounts.smsCodes} WHERE phone = ${number} AND purpose = ${purpose} AND code = ${code}`)
}

export function requesterOf({ userId, origin }: Caller): CodeRequester {
  return { from: origin?.clientAddress ? addressKey(origin.clientAddress) : null, userId }
}

/**
 * Finds the valid code that a client has entered. A wrong code counts against the number's codes or, without a number,
 * against the address and the user of the caller.
 * @param number with its country code; null: the code alone identifies the number (protocol/accounts, Endpoints)
 * @returns null when the code is wrong, expired, used, or out of attempts
 * @throws ApiError 219 after too many wrong codes without a number, 429 when too many of them wait
 */
export function findCode(
  accounts: Accounts,
  number: string | null,
  purpose: CodePurpose,
  code: string,
  caller: Caller,
): Promise<LiveCode | null> {
  if (number !== null) return tryCode(accounts, number, [purpose], code)
  const requester = requesterOf(caller)
  const find = () => findLoneCode(accounts, purpose, code, requester)
  const { lockout } = accounts
  const byUser = requester.userId === null ? find : () => lockout.guess(`codes by ${requester.userId}`, OF_USER, find)
  // The master key is used by the app's backend, which enters the codes of all its users.
  if (requester.from === null || caller.master) return byUser()
  return lockout.guess(`codes from ${requester.from}`, OF_ADDRESS, byUser)
}

/** Checks a code. Counts the attempt before the comparison, so that concurrent guesses cannot exceed the maximum. */
export async function tryCode(
  accounts: Accounts,
  number: string,
  purposes: readonly CodePurpose[],
  code: Json,
): Promise<LiveCode | null> {
  const rows = await accounts.database.query(sql`
    UPDATE ${accounts.smsCodes}
    SET tries = tries + 1
    WHERE phone = ${number} AND purpose = ANY(${purposes}::text[]) AND expires_at > now() AND tries < ${MAX_TRIES}
    RETURNING purpose, code, user_id`)
  const right = rows.map(decodeCode).find((stored) => typeof code === 'string' && isSameSecret(code, stored.code))
  return right ? { number, ...right } : null
}

/**
 * Finds a code by the code alone. A code entered by the client that requested it is found at once. All others share a
 * queue that slows down after many wrong codes, so that guesses are slow whether or not a code exists.
 */
async function findLoneCode(
  accounts: Accounts,
  purpose: CodePurpose,
  code: string,
  requester: CodeRequester,
): Promise<LiveCode | null> {
  if (!/^\d{6}$/.test(code)) return null
  const own = sql`asked_from = ${requester.from} OR asked_by = ${requester.userId}`
  return (
    (await selectLoneCode(accounts, purpose, code, own)) ??
    accounts.lockout.guess('codes', GUESS_LIMIT, () => selectLoneCode(accounts, purpose, code, sql`TRUE`))
  )
}

/** Selects a code by the code alone. Several numbers for tests may have the same code: the latest request counts. */
async function selectLoneCode(
  accounts: Accounts,
  purpose: CodePurpose,
  code: string,
  condition: Sql,
): Promise<LiveCode | null> {
  const [row] = await accounts.database.query(sql`
    SELECT phone, user_id
    FROM ${accounts.smsCodes}
    WHERE purpose = ${purpose} AND code = ${code} AND expires_at > now() AND tries < ${MAX_TRIES} AND (${condition})
    ORDER BY expires_at DESC
    LIMIT 1`)
  return row ? { ...decodeLone(row), purpose, code } : null
}

/**
 * Uses up a code. Of two concurrent calls, one succeeds.
 * @returns whether the code was still usable
 */
export async function useCode(
  accounts: Accounts,
  executor: Executor,
  { number, purpose, code }: LiveCode,
): Promise<boolean> {
  const used = await executor.query(sql`
    DELETE FROM ${accounts.smsCodes}
    WHERE phone = ${number} AND purpose = ${purpose} AND code = ${code}
    RETURNING code`)
  return used.length > 0
}

/**
 * Checks and uses up the code of a number, where nothing else depends on it.
 * @param number with its country code
 * @returns null when no such code for one of these purposes is valid
 */
export async function redeemCode(
  accounts: Accounts,
  number: string,
  purposes: readonly CodePurpose[],
  code: Json,
): Promise<LiveCode | null> {
  const live = await tryCode(accounts, number, purposes, code)
  return live && (await useCode(accounts, accounts.database, live)) ? live : null
}

const decodeCode = rowDecoder({
  purpose: text('purpose', (purpose) => purpose as CodePurpose),
  code: text('code'),
  userId: text.orNull('user_id'),
})

const decodeLone = rowDecoder({ number: text('phone'), userId: text.orNull('user_id') })
