import { entry, number, rowDecoder, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import type { Files } from '../../files/files.ts'
import { notice } from '../../notices/notice.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../values/json.ts'
import type { FieldDifference } from '../verification.ts'
import type { ParsedObject } from '../write/objects/parse-object.ts'
import type { Comparison } from './comparison.ts'
import type { VerifyApp } from './verify-app.ts'

/** The bytes of a file according to the source. */
interface WantedBytes {
  readonly key: string
  readonly size: number | null
  /** Hexadecimal. */
  readonly md5: string | null
}

const MAX_KEY = 1000
const MD5 = /^[0-9a-f]{32}$/i

/** Compares a list of files, whose lines have `key`, `size` and `md5`. */
export function bytesComparison({ files }: VerifyApp): Comparison<WantedBytes> {
  return {
    read: readWanted,
    keysOf: ({ key }) => [key],
    isCompared: () => true,
    async compare(wanted) {
      const differing = await differingBytes(files, wanted)
      return wanted.map(({ key }) => {
        const fields = differing.get(key)
        if (!fields) return null
        const what = fields.some(({ field, here }) => field === 'bytes' && here === null) ? 'missing' : 'different'
        return { what, id: key, changedThere: null, changedHere: null, fields: what === 'missing' ? [] : fields }
      })
    },
  }
}

function readWanted(text: string): WantedBytes {
  const line = parseJson(text, notice('theLine'))
  const { key, size = null, md5 = null } = isJsonObject(line) ? line : ({} as JsonObject)
  if (typeof key !== 'string' || key === '' || !isStorable(key))
    throw errors.incorrectType(notice('keyForm', { maximum: MAX_KEY }))
  return { key, ...extentOf(size, md5) }
}

function extentOf(size: unknown, md5: unknown): Pick<WantedBytes, 'size' | 'md5'> {
  return {
    size: typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : null,
    md5: typeof md5 === 'string' && MD5.test(md5) ? md5.toLowerCase() : null,
  }
}

/** Returns the bytes of a file according to its record (protocol/files, File record); nothing when they are stored elsewhere. */
export function bytesOfRecord({ fields: { key, metaData = null } }: ParsedObject): WantedBytes[] {
  const { __source, size, _checksum } = isJsonObject(metaData) ? metaData : ({} as JsonObject)
  if (typeof key !== 'string' || key === '' || !isStorable(key) || __source === 'external') return []
  const { md5, size: expectedSize } = extentOf(size, _checksum)
  // Clients report the size, and some report a wrong one. A matching MD5 is sufficient.
  return [{ key, size: md5 === null ? expectedSize : null, md5 }]
}

function isStorable(key: string): boolean {
  return key.length <= MAX_KEY && !key.includes('\u0000') && key.isWellFormed()
}

const decodeBytes = rowDecoder({ size: number('size'), md5: text('md5') })

/** Compares the bytes according to the source with the stored ones. @returns the differences by key */
export async function differingBytes(
  { database, tables }: Pick<Files, 'database' | 'tables'>,
  wanted: readonly WantedBytes[],
): Promise<Map<string, readonly FieldDifference[]>> {
  const rows = await database.query(sql`
    SELECT key, size, md5 FROM ${tables.files} WHERE key = ANY(${wanted.map(({ key }) => key)}::text[])`)
  const here = new Map(rows.map(entry(text('key'), decodeBytes)))
  const differing = new Map<string, readonly FieldDifference[]>()
  for (const { key, size, md5 } of wanted) {
    const stored = here.get(key)
    const fields: FieldDifference[] = stored
      ? [
          ...(size !== null && size !== stored.size
            ? [{ field: notice('sizeOfBytes'), there: String(size), here: String(stored.size) }]
            : []),
          ...(md5 !== null && md5 !== stored.md5
            ? [{ field: notice('md5OfBytes'), there: JSON.stringify(md5), here: JSON.stringify(stored.md5) }]
            : []),
        ]
      : [{ field: 'bytes', there: JSON.stringify(key.slice(0, 100)), here: null }]
    if (fields.length > 0) differing.set(key, fields)
  }
  return differing
}
