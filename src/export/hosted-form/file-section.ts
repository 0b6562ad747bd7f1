import { createHash } from 'node:crypto'
import type pg from 'pg'
import { sql } from '../../database/sql.ts'
import type { FileTables } from '../../files/files.ts'
import { batches } from '../rows.ts'
import type { Section } from './section.ts'

interface FileRow {
  readonly key: string
  readonly size: string
  readonly md5: string
  readonly mime_type: string
  readonly name: string
}

/** Returns the section of all files whose bytes are stored here: their keys, and the paths of their bytes next to the list. */
export function fileSection(tables: FileTables, client: pg.Client): Section {
  return {
    name: '4 files',
    fileOf: (part) => `file-keys.${part}.jsonl`,
    comment: { type: 'Files' },
    optional: true,
    async *records(after) {
      const statement = sql`
        SELECT key, size::text, md5, mime_type, name
        FROM ${tables.files}
        WHERE ${after ? sql`key > ${after[0]!}` : sql`TRUE`}
        ORDER BY key`
      for await (const rows of batches<FileRow>(client, statement))
        yield { text: rows.map(lineOf).join(''), last: [rows.at(-1)!.key] }
    },
  }
}

function lineOf({ key, size, md5, mime_type, name }: FileRow): string {
  return `${JSON.stringify({ key, path: pathOfBytes(key), size: Number(size), md5, mime_type, name })}\n`
}

/**
 * Returns the path of a file's bytes in an export. The key itself is unsuitable: two keys may differ only by case, or one key may
 * be a folder of the other.
 */
function pathOfBytes(key: string): string {
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 40)
  const [ending = ''] = /\.[A-Za-z0-9]{1,10}$/.exec(key) ?? []
  return `files/${digest.slice(0, 2)}/${digest}${ending.toLowerCase()}`
}
