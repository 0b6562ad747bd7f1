import { createHash, randomUUID } from 'node:crypto'
import { date, rowDecoder, text } from '../database/decode-row.ts'
import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { newSecret } from '../values/secrets.ts'
import { type Administrator, administratorOf } from './administrator.ts'
import { secretHash } from './secret-hash.ts'

/** Maximum time that a session stays unused, and maximum lifetime, in seconds. */
const IDLE_SECONDS = 7 * 24 * 3600
export const MAX_SECONDS = 30 * 24 * 3600
/** Interval at which the last use of a session is updated, in seconds. */
const LAST_USE_INTERVAL_SECONDS = 60
/** Maximum number of sessions of one administrator: a new session replaces the least recently used one. */
const MAX_SESSIONS = 50

export interface AdministratorSession {
  readonly id: string
  readonly administrator: Administrator
}

/** A session as listed to its administrator. */
export interface ShownSession {
  readonly id: string
  readonly address: string
  readonly userAgent: string
  /** ISO */
  readonly createdAt: string
  /** ISO; up to a minute old */
  readonly usedAt: string
}

/**
 * Starts a session.
 * @returns the secret for the browser's cookie; only its hash is stored
 */
export async function beginSession(
  database: Executor,
  administratorId: string,
  { address, userAgent }: { readonly address: string; readonly userAgent: string },
): Promise<string> {
  const secret = newSecret()
  await database.query(sql`
    INSERT INTO homeport.administrator_sessions (secret_hash, id, administrator, address, user_agent)
    VALUES (${secretHash(secret)}, ${randomUUID()}, ${administratorId}, ${address}, ${userAgent.slice(0, 300)})`)
  await database.query(sql`
    DELETE FROM homeport.administrator_sessions
    WHERE used_at < now() - make_interval(secs => ${IDLE_SECONDS}) OR created_at < now() - make_interval(secs => ${MAX_SECONDS})
      OR id IN (
        SELECT id FROM homeport.administrator_sessions WHERE administrator = ${administratorId}
        ORDER BY used_at DESC, created_at DESC OFFSET ${MAX_SESSIONS})`)
  return secret
}

/**
 * Finds the session of a cookie and records its use.
 * @returns null when it has ended or is unknown
 */
export async function findSession(database: Executor, secret: string): Promise<AdministratorSession | null> {
  const hash = secretHash(secret)
  const [row] = await database.query(sql`
    SELECT administrators.*, session.id AS session_id, session.used_at < now() - make_interval(secs => ${LAST_USE_INTERVAL_SECONDS}) AS stale
    FROM homeport.administrator_sessions AS session JOIN homeport.administrators ON administrators.id = administrator
    WHERE secret_hash = ${hash} AND session.used_at > now() - make_interval(secs => ${IDLE_SECONDS})
      AND session.created_at > now() - make_interval(secs => ${MAX_SECONDS})`)
  if (!row) return null
  if (row.stale)
    await database.query(sql`UPDATE homeport.administrator_sessions SET used_at = now() WHERE secret_hash = ${hash}`)
  return { id: text('session_id')(row), administrator: administratorOf(row) }
}

export async function listSessions(database: Executor, administratorId: string): Promise<ShownSession[]> {
  const rows = await database.query(sql`
    SELECT * FROM homeport.administrator_sessions WHERE administrator = ${administratorId} ORDER BY used_at DESC, id`)
  return rows.map(decodeSession)
}

/**
 * Ends a session.
 * @returns whether the administrator had this session
 */
export async function endSession(database: Executor, administratorId: string, id: string): Promise<boolean> {
  const ended = await database.query(sql`
    DELETE FROM homeport.administrator_sessions WHERE id = ${id} AND administrator = ${administratorId} RETURNING id`)
  return ended.length > 0
}

/** @param except id of a session to keep; null: none */
export async function endSessions(database: Executor, administratorId: string, except: string | null): Promise<void> {
  await database.query(sql`
    DELETE FROM homeport.administrator_sessions
    WHERE administrator = ${administratorId} AND id IS DISTINCT FROM ${except}`)
}

/**
 * Returns the token by which a page proves that a change was made by the console. Another site can make the browser
 * send the cookie, but cannot read this token.
 */
export function csrfTokenOf(secret: string): string {
  return createHash('sha256').update(`csrf ${secret}`).digest('base64url')
}

const decodeSession = rowDecoder({
  id: text('id'),
  address: text('address'),
  userAgent: text('user_agent'),
  createdAt: date('created_at'),
  usedAt: date('used_at'),
})
