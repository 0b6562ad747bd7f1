import { readStoredForm } from '../../accounts/password-forms.ts'
import { sql } from '../../database/sql.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import type { FieldDifference } from '../verification.ts'
import type { ParsedObject } from '../write/objects/parse-object.ts'
import type { VerifyApp } from './verify-app.ts'

interface DifferingLogin {
  readonly fields: readonly FieldDifference[]
  readonly notes: readonly Notice[]
}

const MADE_ANEW = notice('passwordNotComparable')

/**
 * Compares by what users log in: hashes of passwords, session tokens and third-party accounts. What the source does not tell
 * is not compared: a live app keeps its hashes to itself. Nothing of it is told but that it differs.
 * @returns by the id of the user
 */
export async function differingLogins(
  { objects: { database }, accounts: { credentials, identities } }: VerifyApp,
  users: readonly ParsedObject[],
): Promise<Map<string, DifferingLogin>> {
  const ids = users.map(({ id }) => id)
  const known = await database.query(sql`
    SELECT user_id, password, session_token FROM ${credentials} WHERE user_id = ANY(${ids}::text[])`)
  const linked = await database.query(sql`
    SELECT user_id, platform, uid FROM ${identities} WHERE user_id = ANY(${ids}::text[])`)
  const byUser = new Map(known.map((row) => [String(row.user_id), row]))
  const links = new Set(linked.map(({ user_id, platform, uid }) => JSON.stringify([user_id, platform, uid])))
  return new Map(
    users.map(({ id, credentials: given, identities }) => {
      const here = byUser.get(id)
      const password = compared(given?.password ?? null, textOf(here?.password))
      const token = given?.sessionToken ?? null
      const isLinked = identities.every(({ platform, uid }) => links.has(JSON.stringify([id, platform, uid])))
      const fields = [
        ...(password === 'different' ? ['password'] : []),
        ...(token !== null && token !== textOf(here?.session_token) ? ['sessionToken'] : []),
        ...(isLinked ? [] : ['authData']),
      ]
      return [
        id,
        {
          fields: fields.map((field) => ({ field, there: null, here: null })),
          notes: password === 'made anew' ? [MADE_ANEW] : [],
        },
      ]
    }),
  )
}

/** A hash that is here in our own form, and there in another one, was made at a login. */
function compared(there: string | null, here: string | null): 'same' | 'different' | 'made anew' {
  if (there === null || there === here) return 'same'
  if (here === null) return 'different'
  const [from, to] = [readStoredForm(there)?.kind, readStoredForm(here)?.kind]
  return to === 'argon2id' && from !== 'argon2id' ? 'made anew' : 'different'
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
