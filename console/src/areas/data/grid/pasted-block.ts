import { parse } from 'csv-parse/browser/esm/sync'
import type { Field } from '../../../api/classes.ts'
import { CellFault, cellValue } from '../../transfer/inward/cells.ts'

/** Cells that are pasted at once. */
export const MOST_CELLS = 5000

/** Types that stand in a cell of text. */
const TYPES = new Set(['String', 'Number', 'Boolean', 'Date', 'Object', 'Array', 'GeoPoint', 'File', 'Pointer', 'ACL'])

/** What a spreadsheet puts into the clipboard: lines of cells that tabs separate, those with tabs or breaks in quotes. */
export function blockOf(text: string): string[][] {
  return parse(text.replace(/\r?\n$/, ''), {
    delimiter: '\t',
    relax_column_count: true,
    // A text that only begins with a quote is no quoted one.
    relax_quotes: true,
    skip_empty_lines: false,
  })
}

/**
 * What a pasted cell stands for in its column; undefined: nothing. Values that were copied in the grid are JSON.
 * @throws CellFault where it is nothing of the kind
 */
export function pastedValue(name: string, field: Field, cell: string): unknown {
  if (cell === '') return undefined
  if (!TYPES.has(field.type)) throw new CellFault(name, field.type, cell)
  const type = field.type === 'Number' ? 'double' : field.type.toLowerCase()
  if (type !== 'string' && /^\{\s*"__type"/.test(cell)) return cellValue(name, 'object', cell)
  const value = cellValue(name, field.type === 'Pointer' ? `pointer:${field.className}` : type, cell)
  const fits =
    field.type === 'Array'
      ? Array.isArray(value)
      : field.type !== 'Object' && field.type !== 'ACL'
        ? true
        : isPlain(value)
  if (!fits) throw new CellFault(name, field.type, cell)
  return value
}

function isPlain(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
