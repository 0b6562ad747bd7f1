import { randomBytes } from 'node:crypto'
import { text } from '../database/decode-row.ts'
import { isMissingTable } from '../database/faults.ts'
import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { Files, FileTables } from './files.ts'

/** Blobs that one transaction deletes. */
const RUN = 50

/** How long unfinished uploads and their blobs are kept, as an SQL interval. */
export const RETENTION = '1 day'

/** Reserves a name for a blob before it is written. If this process crashes, the sweep deletes the blob. */
export async function newBlob({ database, tables }: Pick<Files, 'database' | 'tables'>): Promise<string> {
  const blob = randomBytes(16).toString('hex')
  await database.query(sql`INSERT INTO ${tables.orphanedBlobs} (blob) VALUES (${blob})`)
  return blob
}

/**
 * Marks a blob as referenced, within a transaction.
 * @returns false when the blob was begun too long ago and is being deleted
 */
export async function useBlob(transaction: Executor, tables: FileTables, blob: string): Promise<boolean> {
  const rows = await transaction.query(sql`DELETE FROM ${tables.orphanedBlobs} WHERE blob = ${blob} RETURNING blob`)
  return rows.length > 0
}

/**
 * Abandons a blob that is not needed. It is deleted only if nothing references it: after a broken database connection the
 * transaction may have committed. If this fails, the sweep deletes the blob after a day.
 */
export async function giveUpBlob(
  { appId, blobs, database, tables, loosened }: Pick<Files, 'appId' | 'blobs' | 'database' | 'tables' | 'loosened'>,
  blob: string,
): Promise<void> {
  try {
    await database.query(sql`UPDATE ${tables.orphanedBlobs} SET since = '-infinity' WHERE blob = ${blob}`)
    loosened()
  } catch (error) {
    // The app was deleted meanwhile, so no sweep will run.
    if (isMissingTable(error)) await blobs.remove(appId, blob).catch(() => {})
  }
}

/**
 * Deletes unreferenced blobs: those of deleted files, and those begun more than a day ago. A row stays locked until its bytes are
 * deleted, so no other node deletes them at the same time, and an upload that finishes late finds its blob missing.
 * @returns the number of deleted blobs
 */
export async function removeOrphanedBlobs(
  { appId, blobs, pictures, tables, database }: Pick<Files, 'appId' | 'blobs' | 'pictures' | 'tables' | 'database'>,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0
  while (!signal?.aborted) {
    const count = await database.transaction(async (transaction) => {
      const rows = await transaction.query(sql`
        SELECT blob FROM ${tables.orphanedBlobs}
        WHERE since < now() - ${RETENTION}::interval
        ORDER BY since
        LIMIT ${RUN}
        FOR UPDATE SKIP LOCKED`)
      const names = rows.map(text('blob'))
      for (const blob of names) {
        await blobs.remove(appId, blob)
        await pictures.forget(appId, blob)
      }
      if (names.length > 0)
        await transaction.query(sql`DELETE FROM ${tables.orphanedBlobs} WHERE blob = ANY(${names}::text[])`)
      return names.length
    })
    removed += count
    if (count < RUN) break
  }
  return removed
}
