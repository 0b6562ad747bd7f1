import { rejectedRow } from '../../../../../src/import/forms/rejected-row.ts'
import type { Column } from '../export/columns.ts'
import { cellValue } from './cells.ts'

/** A record of a file: its line or position from 1, and its JSON; or the reason for its rejection. */
export interface FileRecord {
  readonly at: number
  readonly text: string
  readonly reason?: string
}

/** The type of an excluded column. */
export const LEFT_OUT = ''

/** Maximum characters of a reason, which can contain a column name. */
const MAX_REASON = 1000

/** Converts a CSV row to a record. A rejected one includes its columns, so that it can be corrected. */
export function recordOfRow(at: number, columns: readonly Column[], cells: readonly string[]): FileRecord {
  try {
    if (cells.length !== columns.length)
      throw new Error(`The row has ${cells.length} cells, but the header has ${columns.length}.`)
    const members = columns.flatMap(({ name, type }, index) => {
      const cell = cells[index]!
      return type === LEFT_OUT || cell === '' ? [] : [[name, cellValue(name, type, cell)]]
    })
    return { at, text: JSON.stringify(Object.fromEntries(members)) }
  } catch (error) {
    const head = { types: columns.map(({ type }) => type), names: columns.map(({ name }) => name) }
    return { at, text: rejectedRow(head, cells), reason: (error as Error).message.slice(0, MAX_REASON) }
  }
}
