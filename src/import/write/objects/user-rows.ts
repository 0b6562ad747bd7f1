import type { Accounts } from '../../../accounts/accounts.ts'
import { text } from '../../../database/decode-row.ts'
import type { Executor } from '../../../database/pool.ts'
import { type Sql, sql } from '../../../database/sql.ts'
import type { ImportedObject } from './parse-object.ts'

type Tables = Pick<Accounts, 'credentials' | 'identities'>

/**
 * Stores the credentials of users that were just written: passwords, session tokens and third-party accounts. Existing
 * credentials are replaced where the import has new ones.
 * @throws any rejection of the database, when a token or an account belongs to another user
 */
export async function writeLogins(
  transaction: Executor,
  { credentials, identities }: Tables,
  users: readonly ImportedObject[],
): Promise<void> {
  if (users.length === 0) return
  const known = users.filter((user) => user.credentials?.password || user.credentials?.sessionToken)
  if (known.length > 0) {
    await transaction.query(sql`
      INSERT INTO ${credentials} AS stored (user_id, password, session_token)
      SELECT *
      FROM unnest(
        ${known.map(({ id }) => id)}::text[],
        ${known.map((user) => user.credentials!.password)}::text[],
        ${known.map((user) => user.credentials!.sessionToken)}::text[])
      ON CONFLICT (user_id) DO UPDATE
      SET password = coalesce(excluded.password, stored.password),
          session_token = coalesce(excluded.session_token, stored.session_token)`)
  }
  await transaction.query(sql`DELETE FROM ${identities} WHERE user_id = ANY(${users.map(({ id }) => id)}::text[])`)
  const links = users.flatMap(({ id, identities }) => identities.map((identity) => ({ id, ...identity })))
  if (links.length === 0) return
  await transaction.query(sql`
    INSERT INTO ${identities} (platform, uid, user_id)
    SELECT *
    FROM unnest(
      ${links.map(({ platform }) => platform)}::text[],
      ${links.map(({ uid }) => uid)}::text[],
      ${links.map(({ id }) => id)}::text[])`)
}

/**
 * Adds missing credentials to existing users: a pull from a live app has no passwords, and an export provides them later. An
 * imported password is replaced by another one, with the session token, unless the user was changed here after the time in the
 * export. A password that was set or used here is a hash of our own, and is kept.
 * @param table the table of users
 * @returns the ids of the changed users
 * @throws any rejection of the database, when a token belongs to another user
 */
export async function fillLogins(
  transaction: Executor,
  { credentials }: Tables,
  table: Sql,
  users: readonly ImportedObject[],
): Promise<string[]> {
  const known = users.filter((user) => user.credentials?.password || user.credentials?.sessionToken)
  if (known.length === 0) return []
  const replaced = await transaction.query(sql`
    UPDATE ${credentials} AS stored
    SET password = given.password, session_token = coalesce(given.session_token, stored.session_token)
    FROM unnest(
      ${known.map(({ id }) => id)}::text[],
      ${known.map(({ updatedAt }) => updatedAt)}::timestamptz[],
      ${known.map((user) => user.credentials!.password)}::text[],
      ${known.map((user) => user.credentials!.sessionToken)}::text[]
    ) AS given (id, updated_at, password, session_token), ${table} AS object
    WHERE stored.user_id = given.id AND object.id = given.id AND object.updated_at <= given.updated_at
      AND stored.password <> given.password AND stored.password NOT LIKE '$argon2id$%'
    RETURNING stored.user_id`)
  const rows = await transaction.query(sql`
    INSERT INTO ${credentials} AS stored (user_id, password, session_token)
    SELECT *
    FROM unnest(
      ${known.map(({ id }) => id)}::text[],
      ${known.map((user) => user.credentials!.password)}::text[],
      ${known.map((user) => user.credentials!.sessionToken)}::text[])
    ON CONFLICT (user_id) DO UPDATE
    SET password = coalesce(stored.password, excluded.password),
        session_token = coalesce(stored.session_token, excluded.session_token)
    WHERE (stored.password IS NULL AND excluded.password IS NOT NULL)
      OR (stored.session_token IS NULL AND excluded.session_token IS NOT NULL)
    RETURNING user_id`)
  return [...new Set([...replaced, ...rows].map(text('user_id')))]
}
