import { randomBytes } from 'node:crypto'
import { text } from '../database/decode-row.ts'
import { isMissingTable } from '../database/faults.ts'
import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { Files, FileTables } from './files.ts'

/** Blobs that one run removes: the next run goes on. */
const RUN = 50

/** How long what was begun and not finished is kept. */
export const KEPT = '1 day'

/** A name for a blob that is about to be written; whatever becomes of this process, somebody will remove it or have used it. */
export async function newBlob({ database, tables }: Pick<Files, 'database' | 'tables'>): Promise<string> {
  const blob = randomBytes(16).toString('hex')
  await database.query(sql`INSERT INTO ${tables.loose} (blob) VALUES (${blob})`)
  return blob
}

/**
 * Says in a transaction that something refers to a blob from now on.
 * @returns false when the blob is being removed, because it was begun too long ago
 */
export async function useBlob(transaction: Executor, tables: FileTables, blob: string): Promise<boolean> {
  const rows = await transaction.query(sql`DELETE FROM ${tables.loose} WHERE blob = ${blob} RETURNING blob`)
  return rows.length > 0
}

/**
 * Gives up a blob that was written for nothing. It is removed when it is certain that nothing refers to it: where the
 * connection to the database has broken, a transaction may have made a file of it all the same. What fails here, the
 * sweep does after a day.
 */
export async function giveUpBlob(
  { appId, blobs, database, tables, loosened }: Pick<Files, 'appId' | 'blobs' | 'database' | 'tables' | 'loosened'>,
  blob: string,
): Promise<void> {
  try {
    await database.query(sql`UPDATE ${tables.loose} SET since = '-infinity' WHERE blob = ${blob}`)
    loosened()
  } catch (error) {
    // The app was deleted meanwhile, and with it who would sweep.
    if (isMissingTable(error)) await blobs.remove(appId, blob).catch(() => {})
  }
}

/**
 * Removes blobs that nothing refers to: those of deleted files, and those that were begun a day ago. A row is locked until
 * its bytes are gone, so that no other node removes them too, and an upload that ends at last finds its blob missing.
 * @returns how many were removed
 */
export async function removeLooseBlobs(
  { appId, blobs, pictures, tables, database }: Pick<Files, 'appId' | 'blobs' | 'pictures' | 'tables' | 'database'>,
  signal?: AbortSignal,
): Promise<number> {
  let removed = 0
  while (!signal?.aborted) {
    const count = await database.transaction(async (transaction) => {
      const rows = await transaction.query(sql`
        SELECT blob FROM ${tables.loose}
        WHERE since < now() - ${KEPT}::interval
        ORDER BY since
        LIMIT ${RUN}
        FOR UPDATE SKIP LOCKED`)
      const names = rows.map(text('blob'))
      for (const blob of names) {
        await blobs.remove(appId, blob)
        await pictures.forget(appId, blob)
      }
      if (names.length > 0) await transaction.query(sql`DELETE FROM ${tables.loose} WHERE blob = ANY(${names}::text[])`)
      return names.length
    })
    removed += count
    if (count < RUN) break
  }
  return removed
}
