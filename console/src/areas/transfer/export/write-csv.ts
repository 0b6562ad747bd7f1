import { ownMember } from '../../../api/own-member.ts'
import type { Column } from './columns.ts'

type Fields = { readonly [name: string]: unknown }

/** Returns the first two lines of typed CSV. */
export function csvHead(columns: readonly Column[]): string {
  return line(columns.map(({ type }) => type)) + line(columns.map(({ name }) => name))
}

/**
 * Returns an object as a line of typed CSV. A missing value, null and the empty text are empty cells, which CSV cannot
 * distinguish.
 */
export function csvLine(columns: readonly Column[], object: Fields): string {
  return line(columns.map(({ name, type }) => cell(type, ownMember(object, name))))
}

/** Returns the first line of CSV for spreadsheets. */
export function sheetHead(columns: readonly Column[]): string {
  return line(columns.map(({ name }) => withoutFormula('string', name)))
}

/**
 * Returns an object as a line of CSV for spreadsheets. A text that a spreadsheet would run as a formula gets an apostrophe:
 * otherwise a user could run commands on the computer of the administrator opening the file.
 */
export function sheetLine(columns: readonly Column[], object: Fields): string {
  return line(columns.map(({ name, type }) => withoutFormula(type, cell(type, ownMember(object, name)))))
}

/**
 * Characters that start a formula, including full-width variants of Chinese and Japanese input methods, which spreadsheets
 * convert.
 */
const BEGINNINGS = '=+\\-@＝＋－＠﹦﹢﹣﹫'
/** Characters that spreadsheets skip at the start of a cell, and quotes. */
const SKIPPED = '[\\s\\p{Cc}\\p{Cf}"]*'
const AT_BEGINNING = new RegExp(`^(?:${SKIPPED}[${BEGINNINGS}]|[\\t\\r\\n])`, 'u')
/**
 * A formula after a character that separates cells in other locales: when the separator is a semicolon or a tab, quotes inside
 * such a cell have no effect.
 */
const AFTER_SEPARATOR = new RegExp(`([;\\t\\r\\n]${SKIPPED})(?=[${BEGINNINGS}])`, 'gu')
const NUMBERS = /^-?[\d.]+(e[+-]?\d+)?( -?[\d.]+(e[+-]?\d+)?)?$/i

function withoutFormula(type: string, text: string): string {
  if ((type === 'double' || type === 'geopoint') && NUMBERS.test(text)) return text
  const inside = text.replace(AFTER_SEPARATOR, "$1'")
  return AT_BEGINNING.test(text) ? `'${inside}` : inside
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
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
