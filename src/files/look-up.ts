import { coalesce } from '../database/coalesce.ts'
import { type Decoder, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { raw, type Sql, sql, toQuery } from '../database/sql.ts'
import { Statement } from '../database/statement.ts'
import { DEFAULT_MIME_TYPE, normalizeMimeType } from './mime-type.ts'

/** The stored bytes of a key. */
export interface StoredFile {
  readonly key: string
  readonly blob: string
  /** Bytes. */
  readonly size: number
  /** Hexadecimal. */
  readonly md5: string
  /** Normalized. */
  readonly mimeType: string
  readonly name: string
  readonly storedAt: Date
}

/** Enough for the database to stay busy while responses are sent. */
const LOOKUPS = { atOnce: 3, size: 100 }

/** Finds the stored file of a key. Concurrent lookups share one statement, because it is most of the cost of a download. */
export type LookUp = (key: string) => Promise<StoredFile | undefined>

/** Returns a lookup in a table. @param files the table of files */
export function lookUpIn(database: Database, files: Sql): LookUp {
  const { text } = toQuery(sql`
    SELECT key, blob, size, md5, mime_type, name, (extract(epoch FROM stored_at) * 1000)::bigint AS stored_at
    FROM ${files}
    WHERE key = ANY(${raw('$1::text[]')})`)
  const statement = new Statement(text)
  return coalesce(async (keys: readonly string[]) => {
    const rows = await database.execute(statement, [keys])
    const byKey = new Map(rows.map((row) => [row.key, storedFile(row)]))
    return keys.map((key) => ({ result: byKey.get(key) }))
  }, LOOKUPS)
}

const storedFile: Decoder<StoredFile> = rowDecoder({
  key: text('key'),
  blob: text('blob'),
  size: number('size'),
  md5: text('md5'),
  // Rows of earlier versions hold the type as clients sent it.
  mimeType: text('mime_type', (stored) => normalizeMimeType(stored) ?? DEFAULT_MIME_TYPE),
  name: text('name'),
  storedAt: number('stored_at', (milliseconds) => new Date(milliseconds)),
})
