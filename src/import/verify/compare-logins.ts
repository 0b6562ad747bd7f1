import { readStoredForm } from '../../accounts/password-forms.ts'
import { entry, rowDecoder, text } from '../../database/decode-row.ts'
import type { Row } from '../../database/row.ts'
import { sql } from '../../database/sql.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import type { FieldDifference } from '../verification.ts'
import type { ParsedObject } from '../write/objects/parse-object.ts'
import type { VerifyApp } from './verify-app.ts'

interface DifferingLogin {
  readonly fields: readonly FieldDifference[]
  readonly notes: readonly Notice[]
}

const NOT_COMPARABLE = notice('passwordNotComparable')

/**
 * Compares the credentials of users: password hashes, session tokens and third-party accounts. Credentials that the source does
 * not export are skipped; a live app never returns hashes. The result has no secrets, only whether they differ.
 * @returns the differences by user id
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
  const byUser = new Map(known.map(entry(text('user_id'), credentialsOf)))
  const links = new Set(linked.map(linkOf))
  return new Map(
    users.map(({ id, credentials: given, identities }) => {
      const here = byUser.get(id)
      const password = compared(given?.password ?? null, here?.password ?? null)
      const token = given?.sessionToken ?? null
      const isLinked = identities.every(({ platform, uid }) => links.has(JSON.stringify([id, platform, uid])))
      const fields = [
        ...(password === 'different' ? ['password'] : []),
        ...(token !== null && token !== (here?.token ?? null) ? ['sessionToken'] : []),
        ...(isLinked ? [] : ['authData']),
      ]
      return [
        id,
        {
          fields: fields.map((field) => ({ field, there: null, here: null })),
          notes: password === 'rehashed' ? [NOT_COMPARABLE] : [],
        },
      ]
    }),
  )
}

const credentialsOf = rowDecoder({ password: text.orNull('password'), token: text.orNull('session_token') })

const identityOf = rowDecoder({ userId: text('user_id'), platform: text('platform'), uid: text('uid') })

function linkOf(row: Row): string {
  const { userId, platform, uid } = identityOf(row)
  return JSON.stringify([userId, platform, uid])
}

/** Compares two hashes. A hash in our own form, where the source has another form, was created at a login. */
function compared(there: string | null, here: string | null): 'same' | 'different' | 'rehashed' {
  if (there === null || there === here) return 'same'
  if (here === null) return 'different'
  const [from, to] = [readStoredForm(there)?.kind, readStoredForm(here)?.kind]
  return to === 'argon2id' && from !== 'argon2id' ? 'rehashed' : 'different'
}
