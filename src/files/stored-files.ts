import { number, text } from '../database/decode-row.ts'
import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { Files, FileTables } from './files.ts'
import type { StoredFile } from './look-up.ts'
import { useBlob } from './loose-blobs.ts'

export type { StoredFile }

/** @returns null when there are no bytes of this key here */
export async function findStored({ lookUp }: Pick<Files, 'lookUp'>, key: string): Promise<StoredFile | null> {
  // The database has no such texts.
  if (key.includes('\0')) return null
  return (await lookUp(key)) ?? null
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

/** Those of some keys that have no bytes here. */
export async function missingKeys(
  { database, tables }: Pick<Files, 'database' | 'tables'>,
  keys: readonly string[],
): Promise<string[]> {
  // The database has no such texts.
  const possible = keys.filter((key) => !key.includes('\0') && key.isWellFormed())
  const rows = await database.query(sql`SELECT key FROM ${tables.files} WHERE key = ANY(${possible}::text[])`)
  const here = new Set(rows.map(text('key')))
  return keys.filter((key) => !here.has(key))
}

/** Bytes of all files of the app. */
export async function totalSize({ database, tables }: Pick<Files, 'database' | 'tables'>): Promise<number> {
  const [row] = await database.query(sql`SELECT coalesce(sum(size), 0) AS total FROM ${tables.files}`)
  return number('total')(row!)
}
