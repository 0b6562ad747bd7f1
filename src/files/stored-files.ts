import { number, text } from '../database/decode-row.ts'
import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { Files, FileTables } from './files.ts'
import type { StoredFile } from './look-up.ts'
import { useBlob } from './orphaned-blobs.ts'

export type { StoredFile }

/** Finds the stored bytes of a key. @returns null when the key has no bytes here */
export async function findStored({ lookUp }: Pick<Files, 'lookUp'>, key: string): Promise<StoredFile | null> {
  // PostgreSQL cannot store such a text.
  if (key.includes('\0')) return null
  return (await lookUp(key)) ?? null
}

/**
 * Assigns a blob to a key, within a transaction. The previous blob of the key is deleted.
 * @returns false when the blob was begun too long ago and is being deleted
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

/** Returns the keys that have no bytes here. */
export async function missingKeys(
  { database, tables }: Pick<Files, 'database' | 'tables'>,
  keys: readonly string[],
): Promise<string[]> {
  // PostgreSQL cannot store the other texts.
  const possible = keys.filter((key) => !key.includes('\0') && key.isWellFormed())
  const rows = await database.query(sql`SELECT key FROM ${tables.files} WHERE key = ANY(${possible}::text[])`)
  const here = new Set(rows.map(text('key')))
  return keys.filter((key) => !here.has(key))
}

/** Returns the bytes of all files of the app. */
export async function totalSize({ database, tables }: Pick<Files, 'database' | 'tables'>): Promise<number> {
  const [row] = await database.query(sql`SELECT coalesce(sum(size), 0) AS total FROM ${tables.files}`)
  return number('total')(row!)
}
