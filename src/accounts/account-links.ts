import { type Decoder, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Database, Executor } from '../database/pool.ts'
import { type Sql, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import { newSecret } from '../values/secrets.ts'
import type { Accounts } from './accounts.ts'
import { hashOfSecret } from './tokens.ts'

export type LinkKind = 'verification' | 'reset'

/** The target of a link in a mail. */
export interface AccountLink {
  readonly appId: string
  readonly userId: string
  /** The address that the mail was sent to. */
  readonly email: string
}

/** One week for verification (protocol/accounts, Login lockout), one hour for a new password. */
const LIFE: { readonly [kind in LinkKind]: string } = { verification: '7 days', reset: '1 hour' }

/**
 * Maximum number of links of a kind per address and hour (protocol/accounts, E-mail flows: too many emails). Counted by
 * address and not by user, because users are quickly created and deleted, and the recipient may be unrelated to the
 * user.
 */
const MAX_LINKS_AN_HOUR = 10

/**
 * Creates a link and returns its token. Only the hash of the token is stored.
 * @throws ApiError 1 when the address has received too many links
 */
export async function makeLink(
  accounts: Accounts,
  transaction: Executor,
  kind: LinkKind,
  userId: string,
  email: string,
): Promise<string> {
  const [row] = await transaction.query(sql`
    SELECT count(*) AS count
    FROM homeport.links
    WHERE app_id = ${accounts.appId} AND email = ${email} AND kind = ${kind}
      AND created_at > now() - interval '1 hour'`)
  if (number('count')(row!) >= MAX_LINKS_AN_HOUR)
    throw errors.badArgument('Too many emails have been sent to this address; try again in an hour.')
  const token = newSecret()
  await transaction.query(sql`
    WITH old AS (
      SELECT token_hash
      FROM homeport.links
      WHERE expires_at < now() - interval '1 day'
      LIMIT 10
      FOR UPDATE SKIP LOCKED
    ), removed AS (
      DELETE FROM homeport.links AS link USING old WHERE link.token_hash = old.token_hash
    )
    INSERT INTO homeport.links (token_hash, app_id, kind, user_id, email, expires_at)
    VALUES (${hashOfSecret(token)}, ${accounts.appId}, ${kind}, ${userId}, ${email}, now() + ${LIFE[kind]}::interval)`)
  return token
}

/** Returns the link with this token if it is still usable, and leaves it usable. */
export function findLink(database: Database, kind: LinkKind, token: string): Promise<AccountLink | null> {
  return find(database, kind, token, sql`used_at IS NULL AND expires_at > now()`)
}

/** Returns the link with this token if it has been used. */
export function findUsedLink(database: Database, kind: LinkKind, token: string): Promise<AccountLink | null> {
  return find(database, kind, token, sql`used_at IS NOT NULL`)
}

async function find(database: Database, kind: LinkKind, token: string, state: Sql): Promise<AccountLink | null> {
  const [row] = await database.query(sql`
    SELECT app_id, user_id, email
    FROM homeport.links
    WHERE token_hash = ${hashOfSecret(token)} AND kind = ${kind} AND ${state}`)
  return row ? decodeLink(row) : null
}

/**
 * Marks a link as used. Of two concurrent calls, one succeeds.
 * @returns whether the link was still usable
 */
export async function useLink(transaction: Executor, kind: LinkKind, token: string): Promise<boolean> {
  const rows = await transaction.query(sql`
    UPDATE homeport.links
    SET used_at = now()
    WHERE token_hash = ${hashOfSecret(token)} AND kind = ${kind} AND used_at IS NULL AND expires_at > now()
    RETURNING token_hash`)
  return rows.length > 0
}

/** Expires the user's links: after a change of the address that they were sent to, or once they have served their purpose. */
export async function forgetLinks(
  accounts: Accounts,
  transaction: Executor,
  userId: string,
  kind: LinkKind | null = null,
): Promise<void> {
  await transaction.query(sql`
    UPDATE homeport.links
    SET expires_at = least(expires_at, now())
    WHERE app_id = ${accounts.appId} AND user_id = ${userId} AND kind = coalesce(${kind}, kind)`)
}

const decodeLink: Decoder<AccountLink> = rowDecoder({
  appId: text('app_id'),
  userId: text('user_id'),
  email: text('email'),
})
