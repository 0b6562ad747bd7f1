import { parse } from 'csv-parse/browser/esm/sync'
import type { Field } from '../../../api/classes.ts'
import { clipboardText, escapeUnseen } from '../../../parts/clipboard-text.ts'
import { parseJson, Unparsed } from '../../../parts/entry/parse-entry.ts'
import { CellFault } from '../../transfer/import/cells.ts'
import { parseField } from '../editors/parse-field.ts'

/** Maximum number of cells pasted at once. */
export const MAX_CELLS = 5000

/** The clipboard type of the exact text of a cell; other programs do not read it. */
const CELL = 'application/x-homeport-cell'

/**
 * Copies a value: strings unchanged, all others as JSON. Other programs get the text without control characters, which a
 * terminal would execute.
 */
export function copyCell(clipboard: Pick<DataTransfer, 'setData'>, value: unknown): void {
  const exact = typeof value === 'string' ? value : value === undefined ? '' : escapeUnseen(JSON.stringify(value))
  clipboard.setData('text/plain', clipboardText(exact))
  clipboard.setData(CELL, exact)
}

/** Returns the cells of the clipboard by line: a copied grid cell, else a spreadsheet block. */
export function blockIn(clipboard: Pick<DataTransfer, 'getData'>): string[][] {
  const text = clipboard.getData('text/plain')
  const exact = clipboard.getData(CELL)
  // Another page can copy one text and claim another as the exact value.
  const isOfCell = exact !== '' && clipboardText(exact) === clipboardText(text)
  return isOfCell ? [[exact]] : blockOf(text)
}

/** Parses the clipboard format of spreadsheets: lines of tab-separated cells, quoted when they contain tabs or line breaks. */
export function blockOf(text: string): string[][] {
  return parse(text.replace(/\r?\n$/, ''), {
    delimiter: '\t',
    relax_column_count: true,
    // A text that only starts with a quote is not quoted.
    relax_quotes: true,
    skip_empty_lines: false,
  })
}

/** An invalid cell for its column. Its message contains the column's CSV type. */
export class PasteFault extends CellFault {
  /** Describes the valid form; null: the column accepts no text */
  readonly unparsed: Unparsed | null

  constructor(name: string, type: string, cell: string, unparsed: Unparsed | null) {
    super(name, type === 'Number' ? 'double' : type.toLowerCase(), cell)
    this.unparsed = unparsed
  }
}

/** Types that can be written as text cells. */
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
 * Parses a pasted cell as a value of its column; undefined: removes the field from the object. Values copied in the grid are
 * JSON.
 * @throws PasteFault when it is invalid
 */
export function pastedValue(name: string, field: Field, cell: string): unknown {
  if (cell === '') return undefined
  if (!TYPES.has(field.type)) throw new PasteFault(name, field.type, cell, null)
  const value = typedValue(field, cell) ?? (field.type === 'Any' ? anyValue(cell) : parseField(field, cell))
  if (value instanceof Unparsed) throw new PasteFault(name, field.type, cell, value)
  return value
}

/** Parses JSON; falls back to a string. */
function anyValue(cell: string): unknown {
  const value = parseJson(cell)
  return value instanceof Unparsed ? cell : value
}

/** Returns a value whose `__type` is the type of the column; undefined for all other texts. */
function typedValue({ type }: Field, cell: string): unknown {
  if (type === 'String' || !/^\{\s*"__type"/.test(cell)) return undefined
  const value = parseJson(cell)
  return (value as { readonly __type?: unknown }).__type === type ? value : undefined
}
