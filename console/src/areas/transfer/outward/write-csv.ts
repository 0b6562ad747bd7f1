import { ownMember } from '../../../api/own-member.ts'
import type { Column } from './columns.ts'

type Fields = { readonly [name: string]: unknown }

/** The first two lines of typed CSV. */
export function csvHead(columns: readonly Column[]): string {
  return line(columns.map(({ type }) => type)) + line(columns.map(({ name }) => name))
}

/** An object as a line of typed CSV. What it lacks is an empty cell; so are null and the empty text, which CSV cannot tell apart. */
export function csvLine(columns: readonly Column[], object: Fields): string {
  return line(columns.map(({ name, type }) => cell(type, ownMember(object, name))))
}

/** The first line of CSV for spreadsheets. */
export function sheetHead(columns: readonly Column[]): string {
  return line(columns.map(({ name }) => withoutFormula('string', name)))
}

/**
 * Writes an object as a line of CSV for spreadsheets. A text that a spreadsheet would run as a formula gets an apostrophe: a user who
 * writes an object could otherwise run commands on the computer of the administrator who opens the file.
 */
export function sheetLine(columns: readonly Column[], object: Fields): string {
  return line(columns.map(({ name, type }) => withoutFormula(type, cell(type, ownMember(object, name)))))
}

/** Characters that begin a formula, also as input methods for Chinese and Japanese write them, which spreadsheets convert. */
const BEGINNINGS = '=+\\-@＝＋－＠﹦﹢﹣﹫'
/** Characters that spreadsheets skip at the beginning of a cell, and quotes. */
const SKIPPED = '[\\s\\p{Cc}\\p{Cf}"]*'
const AT_BEGINNING = new RegExp(`^(?:${SKIPPED}[${BEGINNINGS}]|[\\t\\r\\n])`, 'u')
/**
 * A formula behind what separates cells elsewhere: where the separator is a semicolon or a tab, quotes inside of what is a cell there
 * count for nothing.
 */
const BEHIND_SEPARATOR = new RegExp(`([;\\t\\r\\n]${SKIPPED})(?=[${BEGINNINGS}])`, 'gu')
const NUMBERS = /^-?[\d.]+(e[+-]?\d+)?( -?[\d.]+(e[+-]?\d+)?)?$/i

function withoutFormula(type: string, text: string): string {
  if ((type === 'double' || type === 'geopoint') && NUMBERS.test(text)) return text
  const inside = text.replace(BEHIND_SEPARATOR, "$1'")
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
