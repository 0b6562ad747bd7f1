import { isHeader } from '../../../../../src/import/forms/header-line.ts'
import type { Encoding } from '../../../../../src/import/sources/detect-encoding.ts'
import type { ClassDescription } from '../../../api/classes.ts'
import { ownMember } from '../../../api/own-member.ts'
import { type Column, csvType } from '../export/columns.ts'
import { areTypes, guessType } from './cells.ts'
import { csvRows } from './csv-rows.ts'
import { encodingOf, isAllOf } from './file-text.ts'
import { linesOf } from './lines.ts'
import { type FileRecord, LEFT_OUT, recordOfRow } from './rows.ts'

/** The detected form of a file. */
export interface Understood {
  readonly form: 'csv' | 'jsonl' | 'json'
  readonly encoding: Encoding
  /** The columns of CSV with their default types; for JSON the members found, with their types. */
  readonly columns: readonly Column[]
  /** Rows before the first record */
  readonly headRows: number
  /** Example values of the columns. */
  readonly examples: readonly (readonly string[])[]
}

/** Rows used to detect column types, and rows displayed. */
const LOOKED_AT = 200
const SHOWN = 5
/** A JSON list is read as a whole, and temporarily needs several times its size. */
const MAX_JSON = 64 * 1024 * 1024

/** The JSON list is too large to be read as a whole. */
export class TooLarge extends Error {}

/**
 * Detects the form of a file from its beginning.
 * @param given its encoding, if selected
 * @throws TooLarge, IsSpreadsheet; Error when it cannot be imported
 */
export async function understand(
  file: File,
  { className, fields }: ClassDescription,
  given?: Encoding,
): Promise<Understood> {
  const encoding = given ?? (await encodingOf(file))
  const start = new TextDecoder(encoding).decode(await file.slice(0, 4096).arrayBuffer())
  const beginning = start.trimStart()
  const isList = beginning.startsWith('[') || /^\{\s*"results"\s*:/.test(beginning)
  if (isList && file.size > MAX_JSON) throw new TooLarge()
  if (isList) return understandRecords(file, 'json', encoding, className)
  if (beginning.startsWith('{') || beginning.startsWith('#') || isHeader(beginning))
    return understandRecords(file, 'jsonl', encoding, className)
  const rows: (readonly string[])[] = []
  for await (const { cells } of csvRows(file, encoding)) if (rows.push(cells) >= LOOKED_AT) break
  const [first = [], second = []] = rows
  const isTyped = areTypes(first)
  const headRows = isTyped ? 2 : 1
  const names = (isTyped ? second : first).map((name) => name.trim())
  const data = rows.slice(headRows)
  const columns = names.map((name, index): Column => {
    const field = ownMember(fields, name)
    const known = field && csvType(field)
    const type = isTyped
      ? first[index]!.trim()
      : (known ??
        guessType(
          name,
          data.map((cells) => cells[index] ?? ''),
        ))
    return { name, type: /^\w{1,128}$/.test(name) ? type : LEFT_OUT }
  })
  return {
    form: 'csv',
    encoding,
    columns,
    headRows,
    examples: names.map((_, index) => data.slice(0, SHOWN).map((row) => row[index] ?? '')),
  }
}

async function understandRecords(
  file: File,
  form: 'json' | 'jsonl',
  encoding: Encoding,
  className: string,
): Promise<Understood> {
  const seen = new Map<string, { type: string; examples: string[] }>()
  let count = 0
  for await (const { text, reason } of recordsOf(file, { form, encoding, columns: [], headRows: 0 }, className)) {
    if (reason === undefined) {
      for (const [name, value] of Object.entries(parsed(text))) {
        const known = seen.get(name) ?? { type: typeName(value), examples: [] }
        known.examples.push(typeof value === 'string' ? value : JSON.stringify(value))
        seen.set(name, known)
      }
    }
    if (++count >= SHOWN) break
  }
  const columns = [...seen].map(([name, { type }]) => ({ name, type }))
  return { form, encoding, columns, headRows: 0, examples: [...seen.values()].map(({ examples }) => examples) }
}

/**
 * Yields the records of a file while reading it.
 * @param understood its form, and the columns of CSV with their types; columns without a type are excluded
 * @param className the class that it is imported into; records of other classes are rejected
 */
export async function* recordsOf(file: File, understood: Readable, className: string): AsyncGenerator<FileRecord> {
  const hasOtherBytes = !(await isAllOf(file, understood.encoding))
  for await (const record of recordsAsDecoded(file, understood, className)) {
    const isDamaged = hasOtherBytes && record.reason === undefined && record.text.includes('\ufffd')
    yield isDamaged ? { ...record, reason: `It holds bytes that are no text of ${understood.encoding}.` } : record
  }
}

type Readable = Pick<Understood, 'form' | 'encoding' | 'columns' | 'headRows'>

async function* recordsAsDecoded(
  file: File,
  { form, encoding, columns, headRows }: Readable,
  className: string,
): AsyncGenerator<FileRecord> {
  if (form === 'csv') {
    for await (const { at, cells } of csvRows(file, encoding)) if (at > headRows) yield recordOfRow(at, columns, cells)
    return
  }
  if (form === 'jsonl') {
    yield* linesOf(file, encoding, className)
    return
  }
  const content: unknown = JSON.parse(new TextDecoder(encoding).decode(await file.arrayBuffer()))
  const list = Array.isArray(content) ? content : ((content as { results?: unknown }).results ?? [])
  for (const [index, one] of (list as unknown[]).entries()) yield { at: index + 1, text: JSON.stringify(one) }
}

function parsed(text: string): object {
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'Array'
  if (typeof value === 'object' && value !== null) return String((value as { __type?: unknown }).__type ?? 'Object')
  return value === null ? '' : `${(typeof value)[0]!.toUpperCase()}${(typeof value).slice(1)}`
}
