import { parse } from 'csv-parse/browser/esm/sync'
import type { Field } from '../../../api/classes.ts'
import { clipboardText, escapeUnseen } from '../../../parts/clipboard-text.ts'
import { parseJson, Unparsed } from '../../../parts/entry/parse-entry.ts'
import { CellFault } from '../../transfer/inward/cells.ts'
import { parseField } from '../editors/parse-field.ts'

/** Cells that are pasted at once. */
export const MOST_CELLS = 5000

/** The type of the exact text of a cell in the clipboard; other programs do not read it. */
const CELL = 'application/x-homeport-cell'

/**
 * Copies a value: strings unchanged, all others as JSON. Other programs get the text without control characters, which a
 * terminal would run.
 */
export function copyCell(clipboard: Pick<DataTransfer, 'setData'>, value: unknown): void {
  const exact = typeof value === 'string' ? value : value === undefined ? '' : escapeUnseen(JSON.stringify(value))
  clipboard.setData('text/plain', clipboardText(exact))
  clipboard.setData(CELL, exact)
}

/** Returns the cells of the clipboard, line by line: a cell of the grid as it was copied, else the block of a spreadsheet. */
export function blockIn(clipboard: Pick<DataTransfer, 'getData'>): string[][] {
  const text = clipboard.getData('text/plain')
  const exact = clipboard.getData(CELL)
  // Another page can copy one text and name another one as the exact value.
  const isOfCell = exact !== '' && clipboardText(exact) === clipboardText(text)
  return isOfCell ? [[exact]] : blockOf(text)
}

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

/** A cell that is no value of its column. Its message names the column's type as CSV does. */
export class PasteFault extends CellFault {
  /** Says what form is right; null: the column takes no text */
  readonly unparsed: Unparsed | null

  constructor(name: string, type: string, cell: string, unparsed: Unparsed | null) {
    super(name, type === 'Number' ? 'double' : type.toLowerCase(), cell)
    this.unparsed = unparsed
  }
}

/** Types whose values are written in cells of text. */
const TYPES = new Set([
  'String',
  'Number',
  'Boolean',
  'Date',
  'Object',
  'Array',
  'GeoPoint',
  'File',
  'Pointer',
  'ACL',
  'Any',
])

/**
 * Parses a pasted cell as a value of its column; undefined: the object is to lack the field. Values that were copied in
 * the grid are JSON.
 * @throws PasteFault where it is none
 */
export function pastedValue(name: string, field: Field, cell: string): unknown {
  if (cell === '') return undefined
  if (!TYPES.has(field.type)) throw new PasteFault(name, field.type, cell, null)
  const value = typedValue(field, cell) ?? (field.type === 'Any' ? anyValue(cell) : parseField(field, cell))
  if (value instanceof Unparsed) throw new PasteFault(name, field.type, cell, value)
  return value
}

/** JSON, and any other cell is a text. */
function anyValue(cell: string): unknown {
  const value = parseJson(cell)
  return value instanceof Unparsed ? cell : value
}

/** A value with `__type` that names the type of the column; undefined for all other texts. */
function typedValue({ type }: Field, cell: string): unknown {
  if (type === 'String' || !/^\{\s*"__type"/.test(cell)) return undefined
  const value = parseJson(cell)
  return (value as { readonly __type?: unknown }).__type === type ? value : undefined
}
