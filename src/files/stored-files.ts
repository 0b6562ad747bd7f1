import type { Executor } from '../database/pool.ts'
import type { Row } from '../database/row.ts'
import { sql } from '../database/sql.ts'
import type { Files, FileTables } from './files.ts'
import { useBlob } from './loose-blobs.ts'

/** The bytes that a key has. */
export interface StoredFile {
  readonly key: string
  readonly blob: string
  /** Bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly md5: string
  readonly mimeType: string
  readonly name: string
  readonly storedAt: Date
}

/** @returns null when there are no bytes of this key here */
export async function findStored(
  { database, tables }: Pick<Files, 'database' | 'tables'>,
  key: string,
): Promise<StoredFile | null> {
  // The database has no such texts.
  if (key.includes('\0')) return null
  const [row] = await database.query(sql`
    SELECT key, blob, size, md5, mime_type, name, (extract(epoch FROM stored_at) * 1000)::bigint AS stored_at
    FROM ${tables.files}
    WHERE key = ${key}`)
  return row ? storedFile(row) : null
}

function storedFile(row: Row): StoredFile {
  return {
    key: String(row.key),
    blob: String(row.blob),
    size: Number(row.size),
    md5: String(row.md5),
    mimeType: String(row.mime_type),
    name: String(row.name),
    storedAt: new Date(Number(row.stored_at)),
  }
}

/**
 * Gives a key its bytes, in a transaction. What it had before is removed.
 * @returns false when the blob is being removed, because it was begun too long ago
 */
export async function storeUnderKey(
  transaction: Executor,
  tables: FileTables,
  { key, blob, size, md5, mimeType, name }: Omit<StoredFile, 'storedAt'>,
): Promise<boolean> {
  if (!(await useBlob(transaction, tables, blob))) return false
  await transaction.query(sql`
    INSERT INTO ${tables.files} (key, blob, size, md5, mime_type, name)
    VALUES (${key}, ${blob}, ${size}, ${md5}, ${mimeType}, ${name})
    ON CONFLICT (key) DO UPDATE
    SET blob = excluded.blob, size = excluded.size, md5 = excluded.md5, mime_type = excluded.mime_type, name = excluded.name, stored_at = now()`)
  return true
}

/** Bytes of all files of the app. */
export async function totalSize({ database, tables }: Pick<Files, 'database' | 'tables'>): Promise<number> {
  const [row] = await database.query(sql`SELECT coalesce(sum(size), 0) AS total FROM ${tables.files}`)
  return Number(row!.total)
}
