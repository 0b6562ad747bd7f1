import { isSameSecret } from '../apps/keys.ts'
import { sql } from '../database/sql.ts'
import type { Json } from '../values/json.ts'
import type { Accounts } from './accounts.ts'

/** What a code may be used for. `generic`: whatever the app makes of it (`requestSmsCode`). */
export type CodePurpose = 'generic' | 'login' | 'verify' | 'reset' | 'change'

/** How often a code may be entered; each code is used once. */
const MAX_TRIES = 5

/**
 * Uses up the code that was sent to a number.
 * @param number with its country code
 * @returns null when there is no such code for one of these purposes: it is wrong, expired, used, or was tried too often
 */
export async function redeemCode(
  accounts: Accounts,
  number: string,
  purposes: readonly CodePurpose[],
  code: Json,
): Promise<{ readonly userId: string | null } | null> {
  // The try is counted before the code is compared, so that many guesses at once are not more than were allowed.
  const rows = await accounts.database.query(sql`
    UPDATE ${accounts.smsCodes}
    SET tries = tries + 1
    WHERE phone = ${number} AND purpose = ANY(${purposes}::text[]) AND expires_at > now() AND tries < ${MAX_TRIES}
    RETURNING purpose, code`)
  const right = rows.find((row) => typeof code === 'string' && isSameSecret(code, String(row.code)))
  if (!right) return null
  const [used] = await accounts.database.query(sql`
    DELETE FROM ${accounts.smsCodes}
    WHERE phone = ${number} AND purpose = ${String(right.purpose)} AND code = ${String(right.code)}
    RETURNING user_id`)
  return used ? { userId: used.user_id === null ? null : String(used.user_id) } : null
}
