import { parse as parseSync } from 'csv-parse/sync'
import { type NoticeValue, notice } from '../../notices/notice.ts'
import { NoticedError, noticeOf } from '../../notices/noticed-error.ts'
import { canonicalDate, DATE_FORM } from '../../values/date.ts'
import type { Json } from '../../values/json.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import { SourceFault } from '../sources/source-fault.ts'
import { csvRows, hasPlausibleRows } from './csv-rows.ts'
import { jsonOfFile } from './parse-json.ts'
import { type ImportRecord, MAX_RECORD } from './record.ts'
import { type CsvHead, csvRow, readRejectedRow, rejectedRow } from './rejected-row.ts'

/** Types of columns (protocol/moving-in, Import forms). */
const TYPE = /^(int|long|number|double|string|date|boolean|file|array|object|any|geopoint|acl|pointer:[A-Za-z_]\w*)$/i
const PLAIN_DATES = new Set(['createdAt', 'updatedAt'])

/** Returns whether a file with this first line is typed CSV. */
export function isTypedCsv(line: string): boolean {
  const cells = line.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'))
  return cells.every((cell) => TYPE.test(cell))
}

/**
 * Yields the rows of typed CSV as lines of a JSON export (protocol/moving-in, Import forms). The first line has the types of the
 * columns, the second their names. For an empty cell the object has no field.
 * @throws SourceFault when the file is cut off
 */
export async function* csvRecords(reader: ByteReader): AsyncGenerator<ImportRecord> {
  let head: CsvHead | null = null
  let types: readonly string[] | null = null
  let at = 0
  for await (const cells of csvRows(reader)) {
    at++
    if (types) {
      const named = { types, names: cells.map((cell) => cell.trim()) }
      types = null
      if (!head || isFurtherHead(named, head)) {
        head = named
        checkHead(head)
        continue
      }
      yield recordOf(at - 1, head, named.types)
    }
    if (!head || areTypes(cells)) types = cells.map((cell) => cell.trim())
    else yield recordOf(at, head, cells)
  }
  if (head && types) yield recordOf(at, head, types)
}

function areTypes(cells: readonly string[]): boolean {
  return cells.every((cell) => TYPE.test(cell.trim()))
}

/**
 * Returns whether two rows are the head of a further file, because users concatenate the files of a class: types and names that
 * are the same as at the beginning of the file, or names with an `objectId`.
 */
function isFurtherHead({ types, names }: CsvHead, first: CsvHead): boolean {
  const isSame = types.join() === first.types.join() && names.join() === first.names.join()
  return isSame || (types.length === names.length && names.includes('objectId'))
}

/** Maximum characters of types and names, which are repeated in each rejected row. All fields of a class fit. */
const MAX_HEAD = 64 * 1024

/** @throws SourceFault for column heads longer than any class needs */
function checkHead({ types, names }: CsvHead): void {
  const length = [...types, ...names].reduce((sum, cell) => sum + cell.length, 0)
  if (length > MAX_HEAD) throw new SourceFault(notice('columnHeadTooLong', { characters: length, maximum: MAX_HEAD }))
}

/**
 * Yields the rows of a relation's CSV (protocol/moving-in, Import forms): the owning id, the related id. A first row with these
 * names defines their order.
 */
export async function* csvMembers(reader: ByteReader): AsyncGenerator<ImportRecord> {
  let at = 0
  let head: readonly string[] | null = null
  for await (const row of csvRows(reader)) {
    at++
    const cells = row.map((cell) => cell.trim())
    if (at === 1 && namesMembers(cells)) {
      head = cells
      continue
    }
    yield memberOf(at, head, cells)
  }
}

/** Returns whether a line has the names of the columns of members, among others, as `mongoexport` writes them. */
export function isHeadOfMembers(line: string): boolean {
  return namesMembers(line.split(',').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1')))
}

function namesMembers(cells: readonly string[]): boolean {
  return cells.includes('owningId') && cells.includes('relatedId')
}

/** @param head the names of the columns, if the file has them */
function memberOf(at: number, head: readonly string[] | null, cells: readonly string[]): ImportRecord {
  const [owning, related] = head ? [head.indexOf('owningId'), head.indexOf('relatedId')] : [0, 1]
  const [owningId, relatedId] = [cells[owning], cells[related]]
  if (cells.length === (head?.length ?? 2)) return { at, text: JSON.stringify({ owningId, relatedId }) }
  const text = [...(head ? [csvRow(head)] : []), csvRow(cells)].join('\n')
  return { at, text, reason: notice('memberRowColumns', { columns: cells.length }) }
}

/**
 * Parses a rejected row, possibly corrected, as a record (`rejected-row.ts`).
 * @param isMember whether the row belongs to a relation; its optional head has names only
 * @returns null when the text is not such a row
 */
export function recordOfRejectedRow(at: number, text: string, isMember: boolean): ImportRecord | null {
  const rows = rowsOf(text)
  if (isMember) {
    const head = rows?.[0] && namesMembers(rows[0]) ? rows[0] : null
    return rows?.length === (head ? 2 : 1) ? memberOf(at, head, rows.at(-1)!) : null
  }
  const row = rows && readRejectedRow(rows, (type) => TYPE.test(type))
  return row ? recordOf(at, row.head, row.cells) : null
}

function rowsOf(text: string): string[][] | null {
  if (!hasPlausibleRows(text)) return null
  try {
    return parseSync(text, { relaxColumnCount: true, maxRecordSize: MAX_RECORD })
  } catch {
    return null
  }
}

/** Maximum characters of a column name in a reason. */
const MAX_NAME = 500

function recordOf(at: number, head: CsvHead, cells: readonly string[]): ImportRecord {
  const { types, names } = head
  try {
    // Bytes that are not UTF-8 were decoded to this character.
    if (cells.some((cell) => cell.includes('\ufffd'))) throw new NoticedError(notice('rowNotUtf8'))
    if (cells.length !== names.length)
      throw new NoticedError(notice('rowColumns', { columns: cells.length, named: names.length }))
    const members = cells.flatMap((cell, index): [string, Json][] => {
      const name = names[index]!
      return cell === '' || types[index] === '' ? [] : [[name, cellValue(name, types[index] ?? 'string', cell)]]
    })
    return { at, text: JSON.stringify(Object.fromEntries(members)) }
  } catch (error) {
    return { at, text: rejectedRow(head, cells), reason: noticeOf(error) }
  }
}

/** @throws Error that names the column */
function cellValue(name: string, type: string, cell: string): Json {
  const [kind, className] = type.split(':') as [string, string?]
  const wrong = (what: NoticeValue) =>
    new NoticedError(
      notice('cellInvalid', { column: name.slice(0, MAX_NAME), expected: what, value: cell.slice(0, 60) }),
    )
  switch (kind.toLowerCase()) {
    case 'string':
      return cell
    case 'int':
    case 'long':
    case 'number':
    case 'double': {
      const number = Number(cell)
      if (cell.trim() === '' || !Number.isFinite(number)) throw wrong(notice('aNumber'))
      return number
    }
    case 'boolean': {
      const text = cell.trim().toLowerCase()
      if (text !== 'true' && text !== 'false') throw wrong(notice('aBoolean'))
      return text === 'true'
    }
    case 'date': {
      const iso = canonicalDate(cell.trim())
      if (iso === null) throw wrong(notice('aDateInForm', { form: DATE_FORM }))
      return PLAIN_DATES.has(name) ? iso : { __type: 'Date', iso }
    }
    case 'geopoint': {
      const [longitude, latitude, ...rest] = cell.trim().split(/\s+/).map(Number)
      if (rest.length > 0 || !Number.isFinite(longitude) || !Number.isFinite(latitude)) throw wrong(notice('aGeoPoint'))
      return { __type: 'GeoPoint', latitude: latitude!, longitude: longitude! }
    }
    case 'file':
      return cell.startsWith('{') ? jsonOf(cell, wrong) : { __type: 'File', id: cell.trim() }
    case 'pointer':
      return { __type: 'Pointer', className: className!, objectId: cell.trim() }
    default:
      return jsonOf(cell, wrong)
  }
}

function jsonOf(cell: string, wrong: (what: NoticeValue) => Error): Json {
  try {
    return jsonOfFile(cell)
  } catch {
    throw wrong('JSON')
  }
}
