import { randomBytes } from 'node:crypto'
import { json } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { type Json, numberOf } from '../../values/json.ts'
import { checkKeyName } from '../../values/names.ts'
import type { Caller } from '../access/caller.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, type Parameters, parseView, parseWhereParameter } from '../query-parameters.ts'
import type { ObjectStore } from '../store.ts'
import { type PageOrder, type PageQuery, type Position, readPage } from './keyset-page.ts'

export interface ScanQuery extends PageQuery {
  readonly cursor: string | null
}

/** protocol/storage, Scan: a cursor is valid for 10 minutes. */
const CURSOR_LIFETIME = 10 * 60 * 1000

export function parseScanQuery(parameters: Parameters): ScanQuery {
  const scanKey = parameters.scan_key ?? 'objectId'
  if (typeof scanKey !== 'string') throw errors.invalidQuery("The parameter 'scan_key' must be a field name.")
  const descending = scanKey.startsWith('-')
  const cursor = parameters.cursor ?? null
  if (cursor !== null && typeof cursor !== 'string')
    throw errors.invalidQuery("The parameter 'cursor' must be a string.")
  return {
    where: parseWhereParameter(parameters.where),
    limit: scanSize(parameters.limit),
    key: checkKeyName(descending ? scanKey.slice(1) : scanKey),
    descending,
    cursor: cursor || null,
    view: { ...parseView({ ...parameters, returnACL: undefined }), asStored: true },
  }
}

/** Returns the page size: default 100, maximum 1000 (protocol/storage, Limits). */
function scanSize(raw: Json | undefined): number {
  const limit = numberOf(raw ?? DEFAULT_LIMIT)
  return Number.isInteger(limit) && limit >= 1 ? Math.min(limit, MAX_LIMIT) : DEFAULT_LIMIT
}

/**
 * Returns one page of a scan of a class. Each page starts after the last object of the previous one, so concurrent writes neither
 * hide nor repeat other objects.
 * @returns the objects as JSON texts, and the cursor of the next page; null at the end
 * @throws ApiError 101 when the class does not exist, 102 when the cursor is unknown or has expired
 */
export async function scanObjects(
  store: ObjectStore,
  className: string,
  query: ScanQuery,
  caller: Caller,
): Promise<{ results: string[]; cursor: string | null }> {
  const kept = query.cursor === null ? null : await readCursor(store, className, query.cursor)
  const { key, descending } = kept ?? query
  const { results, next } = await readPage(store, className, { ...query, key, descending }, kept, caller)
  return { results, cursor: next && (await keep(store, className, { key, descending, ...next })) }
}

/** The position of a scan, and its order. */
type ScanPosition = Position & PageOrder

async function keep(store: ObjectStore, className: string, position: ScanPosition): Promise<string> {
  const cursor = randomBytes(12).toString('base64url')
  const expires = new Date(Date.now() + CURSOR_LIFETIME).toISOString()
  await store.database.query(sql`
    INSERT INTO ${store.scans} (cursor, class_name, position, expires_at)
    VALUES (${cursor}, ${className}, ${JSON.stringify(position)}::jsonb, ${expires}::timestamptz)`)
  return cursor
}

/**
 * Returns the position of a cursor. Cursors stay valid after use, so that a page whose response was lost can be requested again.
 */
async function readCursor(store: ObjectStore, className: string, cursor: string): Promise<ScanPosition> {
  const now = new Date().toISOString()
  const [row] = await store.database.query(sql`
    WITH expired AS (DELETE FROM ${store.scans} WHERE expires_at <= ${now}::timestamptz)
    SELECT position
    FROM ${store.scans}
    WHERE cursor = ${cursor} AND class_name = ${className} AND expires_at > ${now}::timestamptz`)
  if (!row) throw errors.invalidQuery("The 'cursor' is unknown or has expired; cursors are valid for 10 minutes.")
  return json<ScanPosition>('position')(row)
}
