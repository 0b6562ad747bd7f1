import { text } from '../../database/decode-row.ts'
import { type Sql, sql } from '../../database/sql.ts'
import { FILE, type Files } from '../files.ts'
import { KEPT } from '../loose-blobs.ts'

/** Keys behind `after`, up to and including `upTo`. */
export interface KeyRange {
  readonly after: string
  readonly upTo: string
}

/** Keys that have bytes for more than a day, and no record. */
export async function strayRows(files: Files, range: KeyRange): Promise<string[]> {
  const { database, tables } = files
  const rows = await database.query(sql`SELECT key FROM ${tables.files} AS file WHERE ${isStray(files, range)}`)
  return rows.map(text('key'))
}

/** Forgets these keys, and has their bytes removed. @returns them */
export async function deleteStrayRows(files: Files, range: KeyRange): Promise<string[]> {
  const { database, tables } = files
  const rows = await database.query(sql`
    DELETE FROM ${tables.files} AS file WHERE ${isStray(files, range)} RETURNING key`)
  if (rows.length > 0) files.loosened()
  return rows.map(text('key'))
}

function isStray({ objects }: Files, { after, upTo }: KeyRange): Sql {
  const { table } = objects.classes.get(FILE)!
  return sql`file.key > ${after} AND file.key <= ${upTo}
    AND file.stored_at < now() - ${KEPT}::interval
    AND NOT EXISTS (
      SELECT FROM ${table} AS record
      WHERE left(record.data->>'key', 200) = left(file.key, 200) AND record.data->>'key' = file.key
    )`
}

/** Rows that one run looks at. */
const RUN = 1000

/**
 * Looks for keys that have bytes and no record, some at a time, and has those bytes removed.
 * @param after the key behind which it begins; '' for the first
 * @returns where to go on; '' when all have been looked at
 */
export async function sweepStrayRows(files: Files, after: string): Promise<string> {
  const { database, tables } = files
  const rows = await database.query(sql`
    SELECT key FROM ${tables.files} WHERE key > ${after} ORDER BY key LIMIT ${RUN}`)
  const last = rows.at(-1)
  if (!last) return ''
  await deleteStrayRows(files, { after, upTo: text('key')(last) })
  return rows.length < RUN ? '' : text('key')(last)
}
