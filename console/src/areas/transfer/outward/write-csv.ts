import type { Column } from './columns.ts'

type Fields = { readonly [name: string]: unknown }

/** The first two lines of typed CSV. */
export function csvHead(columns: readonly Column[]): string {
  return line(columns.map(({ type }) => type)) + line(columns.map(({ name }) => name))
}

/** An object as a line of typed CSV. What it lacks is an empty cell; so are null and the empty text, which CSV cannot tell apart. */
export function csvLine(columns: readonly Column[], object: Fields): string {
  return line(columns.map(({ name, type }) => cell(type, object[name])))
}

/** The first line of CSV for spreadsheets. */
export function sheetHead(columns: readonly Column[]): string {
  return line(columns.map(({ name }) => name))
}

/**
 * An object as a line of CSV for spreadsheets. A text that a spreadsheet would run as a formula begins with an apostrophe:
 * whoever may write an object could otherwise have the computer of whoever opens the file do what they like.
 */
export function sheetLine(columns: readonly Column[], object: Fields): string {
  return line(columns.map(({ name, type }) => withoutFormula(type, cell(type, object[name]))))
}

function withoutFormula(type: string, text: string): string {
  const isNumber = type === 'double' || type === 'geopoint'
  return !isNumber && /^\s*[=+\-@]|^[\t\r\n]/.test(text) ? `'${text}` : text
}

function cell(type: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  const fields = value as Fields
  switch (type) {
    case 'string':
      return String(value)
    case 'double':
    case 'boolean':
      return JSON.stringify(value)
    case 'date':
      return typeof value === 'string' ? value : String(fields.iso)
    case 'geopoint':
      return `${fields.longitude} ${fields.latitude}`
    case 'file':
      return String(fields.objectId ?? fields.id ?? JSON.stringify(value))
    default:
      return type.startsWith('pointer:') ? String(fields.objectId) : JSON.stringify(value)
  }
}

function line(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
