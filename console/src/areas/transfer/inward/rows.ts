import { rejectedRow } from '../../../../../src/import/forms/rejected-row.ts'
import type { Column } from '../outward/columns.ts'
import { cellValue } from './cells.ts'

/** A record of a file: its line or place from 1, and what it is as JSON; or why it cannot be taken. */
export interface FileRecord {
  readonly at: number
  readonly text: string
  readonly reason?: string
}

/** A column of it is left out. */
export const LEFT_OUT = ''

/** Characters of a reason, which may hold the name of a column. */
const MAX_REASON = 1000

/** A row of CSV as a record. One that cannot be taken has its columns with it, so that it can be corrected. */
export function recordOfRow(at: number, columns: readonly Column[], cells: readonly string[]): FileRecord {
  try {
    if (cells.length !== columns.length) throw new Error(`The row has ${cells.length} cells, not ${columns.length}.`)
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
