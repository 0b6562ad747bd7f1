import { canonicalDate, DATE_FORM } from '../../../../../src/values/date.ts'
import { parseBoolean, parseGeoPoint, parseIsoTime, parseNumber, Unparsed } from '../../../parts/entry/parse-entry.ts'

const PLAIN_DATES = new Set(['createdAt', 'updatedAt'])

/** The selectable column types; besides, `pointer:` with a class. */
export const CELL_TYPES = ['string', 'double', 'boolean', 'date', 'object', 'array', 'geopoint', 'file', 'acl'] as const

const TYPE = /^(int|long|number|double|string|date|boolean|file|array|object|any|geopoint|acl|pointer:[A-Za-z_]\w*)$/i

/** Returns whether cells of a first line are column types, as in CSV of the hosted service. */
export function areTypes(cells: readonly string[]): boolean {
  return cells.length > 0 && cells.every((cell) => TYPE.test(cell.trim()))
}

/** Returns whether a text is a column type. */
export function isType(text: string): boolean {
  return TYPE.test(text)
}

/**
 * Parses a cell to its stored value.
 * @throws CellFault when it is invalid
 */
export function cellValue(name: string, type: string, cell: string): unknown {
  const [kind, className] = type.split(':') as [string, string?]
  switch (kind.toLowerCase()) {
    case 'string':
      return cell
    case 'int':
    case 'long':
    case 'number':
    case 'double':
      return readOr(() => new CellFault(name, type, cell), parseNumber(cell))
    case 'boolean':
      return readOr(() => new CellFault(name, type, cell), parseBoolean(cell))
    case 'date': {
      const time = readOr(() => new CellFault(name, type, cell), parseIsoTime(cell))
      return PLAIN_DATES.has(name) ? time.iso : time
    }
    case 'geopoint':
      return readOr(() => new CellFault(name, type, cell), parseGeoPoint(cell))
    case 'file':
      return cell.startsWith('{') ? jsonOf(name, type, cell) : { __type: 'File', id: cell.trim() }
    case 'pointer':
      return { __type: 'Pointer', className, objectId: cell.trim() }
    default:
      return jsonOf(name, type, cell)
  }
}

/** An invalid cell for the type of its column. */
export class CellFault extends Error {
  constructor(name: string, type: string, cell: string) {
    const form = type.toLowerCase() === 'date' ? ` in the form ${DATE_FORM}` : ''
    super(`'${name}' must be of the type ${type}${form}, not '${cell.slice(0, 60)}'.`)
  }
}

function readOr<Value>(fault: () => CellFault, read: Value | Unparsed): Value {
  if (read instanceof Unparsed) throw fault()
  return read
}

function jsonOf(name: string, type: string, cell: string): unknown {
  try {
    return JSON.parse(cell) as unknown
  } catch {
    throw new CellFault(name, type, cell)
  }
}

/** Detects the type of a column from some of its cells; an empty column is a string. */
export function guessType(name: string, cells: readonly string[]): string {
  const given = cells.filter((cell) => cell !== '')
  const all = (holds: (cell: string) => boolean) => given.length > 0 && given.every(holds)
  if (name === 'ACL') return 'acl'
  if (PLAIN_DATES.has(name)) return 'date'
  if (name === 'objectId') return 'string'
  if (all((cell) => /^(true|false)$/i.test(cell.trim()))) return 'boolean'
  // Texts with a leading zero are not numbers: postal codes and phone numbers have them.
  if (all((cell) => /^-?(0|[1-9]\d{0,14})(\.\d+)?([eE][+-]?\d+)?$/.test(cell.trim()))) return 'double'
  if (all((cell) => canonicalDate(cell.trim()) !== null)) return 'date'
  if (all((cell) => isJson(cell, Array.isArray))) return 'array'
  if (all((cell) => isJson(cell, (value) => typeof value === 'object' && !Array.isArray(value) && value !== null)))
    return 'object'
  return 'string'
}

function isJson(cell: string, holds: (value: unknown) => boolean): boolean {
  try {
    return holds(JSON.parse(cell))
  } catch {
    return false
  }
}
