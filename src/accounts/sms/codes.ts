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

/** What a code may be used for. `generic`: whatever the app makes of it (`requestSmsCode`). */
export type CodePurpose = 'generic' | 'login' | 'verify' | 'reset' | 'change'

/** What lets a user in. */
export const LOGIN_PURPOSES: readonly CodePurpose[] = ['login', 'generic']

/** How often a code may be entered; each code is used once. */
const MAX_TRIES = 5

const QUARTER = 900_000

/** Wrong codes without a number: whoever tries them all tries them against everybody. From one address. */
const OF_ADDRESS: Limit = {
  failures: 100,
  window: QUARTER,
  lock: QUARTER,
  slow: { after: 10, step: 100, most: 5000 },
}

/** By one user. */
const OF_USER: Limit = { failures: 15, window: QUARTER, lock: QUARTER }

/**
 * Of all who did not ask for the code where they enter it, and of all who enter a wrong one: nothing locks an app, but
 * many addresses together come no further than this.
 */
const OF_STRANGERS: Limit = {
  failures: Number.POSITIVE_INFINITY,
  window: QUARTER,
  lock: 0,
  slow: { after: 100, step: 1000, most: 10_000 },
}

/** How many random codes are tried until there is one that no other number has at that moment. */
const MAX_DRAWS = 100

/** Who asks for a code. */
export interface Asker {
  /** Stands for the IP address; null when it is not known. */
  readonly from: string | null
  readonly userId: string | null
}

export interface NewCode {
  /** With its country code. */
  readonly number: string
  readonly purpose: CodePurpose
  /** minutes */
  readonly ttl: number
  /** Whose number it is to become; null for codes that change no number. */
  readonly userId: string | null
  readonly asker: Asker
}

/** A code that was sent to a number and can still be used. */
export interface LiveCode {
  readonly number: string
  readonly purpose: CodePurpose
  readonly code: string
  readonly userId: string | null
}

/** The code that a number for tests always has (protocol/accounts, Phone flows); null for other numbers. */
export function fixedCode(accounts: Accounts, number: string): string | null {
  const { testNumbers } = accounts.smsSettings()
  return Object.hasOwn(testNumbers, number) ? testNumbers[number]! : null
}

/**
 * Makes the code of a number for a purpose; it takes the place of the one before. No other number has the same code for
 * this purpose while it lives, numbers for tests aside.
 * @param transaction one that has the lock of the number (`countMessage`)
 */
export async function storeCode(
  accounts: Accounts,
  transaction: Executor,
  { number, purpose, ttl, userId, asker }: NewCode,
  draw: () => string = newCode,
): Promise<string> {
  await transaction.query(sql`
    DELETE FROM ${accounts.smsCodes} WHERE phone = ${number} AND purpose = ${purpose}`)
  const fixed = fixedCode(accounts, number)
  const known = Object.values(accounts.smsSettings().testNumbers)
  for (let draws = 0; draws < MAX_DRAWS; draws++) {
    const code = fixed ?? draw()
    // A test with a fixed code must not meet the code of somebody else.
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
        ${asker.from}, ${asker.userId}
      )
      ON CONFLICT DO NOTHING
      RETURNING code`)
    if (stored.length > 0) return code
  }
  throw errors.unavailable()
}

/** Makes a code useless that did not reach its number. */
export async function forgetCode(accounts: Accounts, { number, purpose }: NewCode, code: string): Promise<void> {
  await accounts.database.query(sql`
    DELETE FROM ${accounts.smsCodes} WHERE phone = ${number} AND purpose = ${purpose} AND code = ${code}`)
}

export function askerOf({ userId, origin }: Caller): Asker {
  return { from: origin?.clientAddress ? addressKey(origin.clientAddress) : null, userId }
}

/**
 * Finds the live code that somebody has entered. A wrong one counts against the number's codes, or where no number was
 * named against the address and the user that have tried it.
 * @param number with its country code; null: the code alone has to tell (protocol/accounts, Endpoints)
 * @returns null when there is no such code: it is wrong, expired, used, or was tried too often
 * @throws ApiError 219 when there have been too many wrong codes without a number, 429 when too many try them
 */
export function findCode(
  accounts: Accounts,
  number: string | null,
  purpose: CodePurpose,
  code: string,
  caller: Caller,
): Promise<LiveCode | null> {
  if (number !== null) return tryCode(accounts, number, [purpose], code)
  const asker = askerOf(caller)
  const find = () => findLoneCode(accounts, purpose, code, asker)
  const { lockout } = accounts
  const byUser = asker.userId === null ? find : () => lockout.guess(`codes by ${asker.userId}`, OF_USER, find)
  // The back end of an app enters the codes of all its users.
  if (asker.from === null || caller.master) return byUser()
  return lockout.guess(`codes from ${asker.from}`, OF_ADDRESS, byUser)
}

/** The try is counted before the code is compared, so that many guesses at once are not more than were allowed. */
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
 * A code that is asked for where it is entered is there at once. All others take turns that become slow when many of them
 * are wrong, and do not learn by that whether there is such a code.
 */
async function findLoneCode(
  accounts: Accounts,
  purpose: CodePurpose,
  code: string,
  asker: Asker,
): Promise<LiveCode | null> {
  if (!/^\d{6}$/.test(code)) return null
  const own = sql`asked_from = ${asker.from} OR asked_by = ${asker.userId}`
  return (
    (await selectLoneCode(accounts, purpose, code, own)) ??
    accounts.lockout.guess('codes', OF_STRANGERS, () => selectLoneCode(accounts, purpose, code, sql`TRUE`))
  )
}

/** Several numbers for tests may have the same code: the one that asked last is meant. */
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

/** Uses a code up: of two who try at once one succeeds. @returns whether it could still be used */
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
 * Uses up the code that was sent to a number, where nothing else depends on it.
 * @param number with its country code
 * @returns null when there is no such code for one of these purposes
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
