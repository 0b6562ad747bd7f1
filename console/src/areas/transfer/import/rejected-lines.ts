import { parse } from 'csv-parse/browser/esm/sync'
import { readRejectedRow } from '../../../../../src/import/forms/rejected-row.ts'
import { isType } from './cells.ts'
import { type FileRecord, recordOfRow } from './rows.ts'

/**
 * Parses a rejected record, possibly corrected: its line contains `object`, or `text` of JSON or CSV.
 * @param className the class that it is imported into; a record of another class is rejected
 */
export function recordOfRejected(at: number, line: string, className: string): FileRecord {
  try {
    const { className: named, field, object, text } = JSON.parse(line) as { readonly [member: string]: unknown }
    const isOther = (named !== undefined && named !== className) || field !== undefined
    if (isOther)
      return {
        at,
        text: line,
        reason: `The record belongs to ${[named, field].filter(Boolean).join('.')}, not to ${className}.`.slice(
          0,
          1000,
        ),
      }
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
