import { createHash, randomUUID } from 'node:crypto'
import { date, rowDecoder, text } from '../database/decode-row.ts'
import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { newSecret } from '../values/secrets.ts'
import { type Administrator, administratorOf } from './administrator.ts'
import { secretHash } from './secret-hash.ts'

/** Seconds that a session lasts without being used, and in all. */
const IDLE_SECONDS = 7 * 24 * 3600
export const MAX_SECONDS = 30 * 24 * 3600
/** Seconds after which a use is noted again. */
const NOTED_EVERY = 60
/** Sessions of one administrator: the one that was used longest ago gives way. */
const MAX_SESSIONS = 50

export interface AdministratorSession {
  readonly id: string
  readonly administrator: Administrator
}

/** A session as its owner is shown it. */
export interface ShownSession {
  readonly id: string
  readonly address: string
  readonly userAgent: string
  /** ISO */
  readonly createdAt: string
  /** ISO; up to a minute old */
  readonly usedAt: string
}

/** @returns the secret that the browser keeps in a cookie, which is stored nowhere here */
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

/** Finds the session of a cookie, and notes that it is used. @returns null when it has ended or never was */
export async function findSession(database: Executor, secret: string): Promise<AdministratorSession | null> {
  const hash = secretHash(secret)
  const [row] = await database.query(sql`
    SELECT administrators.*, session.id AS session_id, session.used_at < now() - make_interval(secs => ${NOTED_EVERY}) AS stale
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

/** @returns whether there was such a session of the administrator */
export async function endSession(database: Executor, administratorId: string, id: string): Promise<boolean> {
  const ended = await database.query(sql`
    DELETE FROM homeport.administrator_sessions WHERE id = ${id} AND administrator = ${administratorId} RETURNING id`)
  return ended.length > 0
}

/** @param except id of a session that goes on; null: none does */
export async function endSessions(database: Executor, administratorId: string, except: string | null): Promise<void> {
  await database.query(sql`
    DELETE FROM homeport.administrator_sessions
    WHERE administrator = ${administratorId} AND id IS DISTINCT FROM ${except}`)
}

/**
 * What a page shows with each change that it was made by the console and not by a page of somebody else, who can make the
 * browser send the cookie and cannot read this.
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
