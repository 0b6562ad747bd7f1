import { text } from '../../database/decode-row.ts'
import { type Sql, sql } from '../../database/sql.ts'
import { FILE, type Files } from '../files.ts'
import { RETENTION } from '../orphaned-blobs.ts'

/** Keys after `after`, up to and including `upTo`. */
export interface KeyRange {
  readonly after: string
  readonly upTo: string
}

/** Returns keys that have had bytes for more than a day but have no record. */
export async function orphanedRows(files: Files, range: KeyRange): Promise<string[]> {
  const { database, tables } = files
  const rows = await database.query(sql`SELECT key FROM ${tables.files} AS file WHERE ${isOrphaned(files, range)}`)
  return rows.map(text('key'))
}

/** Deletes the rows of these keys and schedules the deletion of their bytes. @returns the keys */
export async function deleteOrphanedRows(files: Files, range: KeyRange): Promise<string[]> {
  const { database, tables } = files
  const rows = await database.query(sql`
    DELETE FROM ${tables.files} AS file WHERE ${isOrphaned(files, range)} RETURNING key`)
  if (rows.length > 0) files.loosened()
  return rows.map(text('key'))
}

function isOrphaned({ objects }: Files, { after, upTo }: KeyRange): Sql {
  const { table } = objects.classes.get(FILE)!
  return sql`file.key > ${after} AND file.key <= ${upTo}
    AND file.stored_at < now() - ${RETENTION}::interval
    AND NOT EXISTS (
      SELECT FROM ${table} AS record
      WHERE left(record.data->>'key', 200) = left(file.key, 200) AND record.data->>'key' = file.key
    )`
}

/** Rows checked per run. */
const RUN = 1000

/**
 * Checks one batch of rows for bytes without a record and schedules the deletion of those bytes.
 * @param after the key after which the batch begins; '' for the first batch
 * @returns the key to continue after; '' when all rows were checked
 */
export async function sweepOrphanedRows(files: Files, after: string): Promise<string> {
  const { database, tables } = files
  const rows = await database.query(sql`
    SELECT key FROM ${tables.files} WHERE key > ${after} ORDER BY key LIMIT ${RUN}`)
  const last = rows.at(-1)
  if (!last) return ''
  await deleteOrphanedRows(files, { after, upTo: text('key')(last) })
  return rows.length < RUN ? '' : text('key')(last)
}
