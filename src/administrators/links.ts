import { text } from '../database/decode-row.ts'
import type { Database, Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import { newSecret } from '../values/secrets.ts'
import { secretHash } from './secret-hash.ts'

/** Lifetime of a link in seconds. */
const LIFETIME = 72 * 3600

export interface EntryLink {
  /** The secret in the link; only its hash is stored. */
  readonly token: string
  /** ISO */
  readonly expiresAt: string
}

/**
 * Creates a link for one login of an administrator, and replaces the previous link.
 * @throws ApiError 404
 */
export async function makeLink(database: Executor, administratorId: string): Promise<EntryLink> {
  const token = newSecret()
  const expiresAt = new Date(Date.now() + LIFETIME * 1000).toISOString()
  const made = await database.query(sql`
    INSERT INTO homeport.administrator_links (secret_hash, administrator, expires_at)
    SELECT ${secretHash(token)}, id, ${expiresAt}::timestamptz FROM homeport.administrators WHERE id = ${administratorId}
    ON CONFLICT (administrator) DO UPDATE SET secret_hash = excluded.secret_hash, expires_at = excluded.expires_at
    RETURNING administrator`)
  if (made.length === 0) throw errors.notFound('Administrator not found.')
  return { token, expiresAt }
}

/**
 * Uses up a link. The login needs no password: the link removes the password and the one-time codes, and ends all
 * sessions.
 * @returns id of the administrator
 * @throws ApiError 401 when the link was used, has expired or is unknown
 */
export function useLink(database: Database, token: string): Promise<string> {
  return database.transaction(async (transaction) => {
    const [used] = await transaction.query(sql`
      DELETE FROM homeport.administrator_links WHERE secret_hash = ${secretHash(token)} RETURNING administrator, expires_at > now() AS valid`)
    if (!used?.valid) throw errors.unauthorized('This link has expired or was used. Request another one.')
    const id = text('administrator')(used)
    await transaction.query(sql`
      UPDATE homeport.administrators SET password = NULL, totp = NULL, pending_totp = NULL WHERE id = ${id}`)
    await transaction.query(sql`DELETE FROM homeport.administrator_sessions WHERE administrator = ${id}`)
    return id
  })
}
