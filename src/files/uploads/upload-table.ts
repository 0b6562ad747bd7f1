import { createHash } from 'node:crypto'
import { boolean, type Decoder, json, jsonOrNull, number, rowDecoder, text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import type { JsonObject } from '../../values/json.ts'
import type { Files, FileTables } from '../files.ts'
import { RETENTION } from '../orphaned-blobs.ts'

/** Larger than any upload, and exact as a JavaScript number. */
const UNLIMITED = Number.MAX_SAFE_INTEGER

/** The fields of the record that will be created. */
interface UploadRecord {
  readonly name: string
  readonly provider: string
  readonly bucket: string
  readonly metaData: JsonObject
  /** null: detected from the bytes */
  readonly mimeType: string | null
  readonly checksum: string | null
  /** Whether the bytes were counted by the announced size, or need not be counted. */
  readonly counted: boolean
}

/** An upload that a client has requested. */
export interface Upload {
  readonly tokenHash: string
  readonly fileId: string
  readonly key: string
  readonly record: UploadRecord
  readonly acl: JsonObject | undefined
  /** The user who uploads; null: not logged in. */
  readonly owner: string | null
  /** Bytes; null: not announced. */
  readonly size: number | null
  readonly stored: boolean
  /** The blob that the client uploads directly to the store; null when it sends the bytes to this server. */
  readonly blob: string | null
  /** ISO date that was sent to the client and that the record will have. */
  readonly createdAt: string
}

/** Returns the hash of a token. Only the hash is stored, so read access to the database does not permit uploads. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export async function insertUpload(
  { database, tables }: Pick<Files, 'database' | 'tables'>,
  { tokenHash, fileId, key, record, acl, owner, size, blob, createdAt }: Omit<Upload, 'stored'>,
): Promise<void> {
  await database.query(sql`
    INSERT INTO ${tables.uploads} (token_hash, file_id, key, record, acl, owner, size, blob, created_at)
    VALUES (
      ${tokenHash}, ${fileId}, ${key}, ${JSON.stringify(record)}, ${acl ? JSON.stringify(acl) : null}, ${owner}, ${size}, ${blob},
      ${createdAt}
    )`)
}

/** Finds the upload of a token. @returns null for an unknown token, or one issued more than a day ago */
export async function findUpload(
  { database, tables }: Pick<Files, 'database' | 'tables'>,
  token: string,
): Promise<Upload | null> {
  const [row] = await database.query(sql`
    SELECT
      token_hash, file_id, key, record, acl, owner, size, stored, blob,
      (extract(epoch FROM created_at) * 1000)::bigint AS created_at
    FROM ${tables.uploads}
    WHERE token_hash = ${hashOfToken(token)} AND created_at > now() - ${RETENTION}::interval`)
  return row ? uploadOf(row) : null
}

const uploadOf: Decoder<Upload> = rowDecoder({
  tokenHash: text('token_hash'),
  fileId: text('file_id'),
  key: text('key'),
  record: json<UploadRecord>('record'),
  acl: (row) => jsonOrNull<JsonObject>('acl')(row) ?? undefined,
  owner: text.orNull('owner'),
  size: number.orNull('size'),
  stored: boolean('stored'),
  blob: text.orNull('blob'),
  createdAt: number('created_at', (milliseconds) => new Date(milliseconds).toISOString()),
})

/** Returns whether the file of an upload is stored; null when the upload was deleted. */
export async function isStored({ database, tables }: Files, { tokenHash }: Upload): Promise<boolean | null> {
  const [row] = await database.query(sql`SELECT stored FROM ${tables.uploads} WHERE token_hash = ${tokenHash}`)
  return row ? boolean('stored')(row) : null
}

/** Consumes a token, within a transaction. @returns false when it was consumed concurrently */
export async function useUpload(transaction: Executor, tables: FileTables, { tokenHash }: Upload): Promise<boolean> {
  const rows = await transaction.query(sql`
    UPDATE ${tables.uploads}
    SET stored = true
    WHERE token_hash = ${tokenHash} AND NOT stored
    RETURNING file_id`)
  return rows.length > 0
}

/**
 * Adds to the bytes that all attempts of an upload have moved; a negative number is a refund.
 * @returns false, without adding, when the total would exceed `max`
 */
export async function chargeUpload(
  { database, tables }: Pick<Files, 'database' | 'tables'>,
  { tokenHash }: Upload,
  bytes: number,
  max: number,
): Promise<boolean> {
  const rows = await database.query(sql`
    UPDATE ${tables.uploads}
    SET received = received + ${String(bytes)}::bigint
    WHERE token_hash = ${tokenHash} AND received + ${String(bytes)}::bigint <= ${String(Math.min(max, UNLIMITED))}::bigint
    RETURNING token_hash`)
  return rows.length > 0
}

export async function deleteUpload(executor: Executor, tables: FileTables, { tokenHash }: Upload): Promise<void> {
  await executor.query(sql`DELETE FROM ${tables.uploads} WHERE token_hash = ${tokenHash}`)
}

/** Uploads that one statement deletes. */
const RUN = 1000

/** Deletes uploads that were begun more than a day ago, with their parts. */
export async function deleteOldUploads(
  { database, tables }: Pick<Files, 'database' | 'tables'>,
  signal?: AbortSignal,
): Promise<void> {
  for (let count = RUN; count === RUN && !signal?.aborted; ) {
    const rows = await database.query(sql`
      DELETE FROM ${tables.uploads}
      WHERE token_hash IN (
        SELECT token_hash FROM ${tables.uploads} WHERE created_at < now() - ${RETENTION}::interval LIMIT ${RUN}
      )
      RETURNING token_hash`)
    count = rows.length
  }
}
