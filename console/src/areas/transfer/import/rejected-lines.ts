import { parse } from 'csv-parse/browser/esm/sync'
import { readRejectedRow } from '../../../../../src/import/forms/rejected-row.ts'
import { isType } from './cells.ts'
import { type FileRecord, recordOfRow } from './rows.ts'

/** The start of the first line of a file of rejected records. */
const REJECTED = /^#filetype:JSON-streaming\s*\{"type":\s*"Rejected"/

export function isRejectedFile(beginning: string): boolean {
  return REJECTED.test(beginning)
}

/** Parses a rejected record, possibly corrected: its line contains `object`, or `text` of JSON or CSV. */
export function recordOfRejected(at: number, line: string): FileRecord {
  try {
    const { object, text } = JSON.parse(line) as { readonly object?: unknown; readonly text?: unknown }
    if (object !== undefined) return { at, text: JSON.stringify(object) }
    return recordOfRejectedRow(at, String(text)) ?? { at, text: String(text) }
  } catch {
    return { at, text: line.slice(0, 2000), reason: 'The line must be valid JSON.' }
  }
}

function recordOfRejectedRow(at: number, text: string): FileRecord | null {
  if (text.trimStart().startsWith('{')) return null
  const row = readRejectedRow(rowsOf(text), isType)
  if (!row) return null
  const { types, names } = row.head
  return recordOfRow(
    at,
    names.map((name, index) => ({ name, type: types[index] ?? '' })),
    row.cells,
  )
}

function rowsOf(text: string): string[][] {
  try {
    return parse(text, { relax_column_count: true }) as string[][]
  } catch {
    return []
  }
}
