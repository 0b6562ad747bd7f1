import { dateFromDatabase } from '../values/date.ts'
import type { Row } from './row.ts'

type Value = unknown

/** Decodes a row. */
export type Decoder<T> = (row: Row) => T

/** A column of a row: when called with a row, it decodes the column. */
export interface Column<T> extends Decoder<T> {
  readonly column: string
  /** Decodes the value of the column. @throws Error when it is of another type */
  readonly read: (value: Value) => T
}

/** Declares a column that is never NULL. `convert` turns the stored value into the one the program uses. */
interface Declare<Stored> {
  (column: string): Column<Stored>
  <T>(column: string, convert: (stored: Stored) => T): Column<T>
}

/** Declares a column; `orNull` declares one that may be NULL. */
interface Kind<Stored> extends Declare<Stored> {
  readonly orNull: {
    (column: string): Column<Stored | null>
    <T>(column: string, convert: (stored: Stored) => T): Column<T | null>
  }
}

/** Columns of type text, and of all types that connections return as text: uuid, timestamptz, jsonb, numeric. */
export const text = kind('text', (value) => (typeof value === 'string' ? value : undefined))

/** Columns of a numeric type. Values of bigint are exact up to 2^53. */
export const number = kind('a number', (value) => {
  if (typeof value === 'number') return value
  return typeof value === 'string' && value !== '' ? Number(value) : undefined
})

export const boolean = kind('a boolean', (value) => (typeof value === 'boolean' ? value : undefined))

/** Declares a column of type boolean whose NULL counts as false. */
export function isTrue(column: string): Column<boolean> {
  const { read } = boolean.orNull(column)
  return columnOf(column, (value) => read(value) === true)
}

/** Columns of type text[]. */
export const texts = kind('a list of texts', (value) =>
  Array.isArray(value) ? (value as readonly string[]) : undefined,
)

/** Columns of type timestamptz, as ISO 8601. */
export const date = kind('a time', (value) => (typeof value === 'string' ? dateFromDatabase(value) : undefined))

/** Declares a column of JSON written by this program, whose type is therefore known. */
export function json<T>(column: string): Column<T> {
  return text(column, (stored) => JSON.parse(stored) as T)
}

/** Declares a column of JSON that may be NULL. */
export function jsonOrNull<T>(column: string): Column<T | null> {
  return text.orNull(column, (stored) => JSON.parse(stored) as T)
}

/** Declares a column that holds one of a set of names. */
export function oneOf<const Name extends string>(column: string, names: readonly Name[]): Column<Name> {
  return text(column, (stored) => {
    const found = names.find((name) => name === stored)
    if (found === undefined) throw new Error(`the column ${column} has a name that is not known`)
    return found
  })
}

/** The result of a decoder with these members. */
type Decoded<Members> = { readonly [name in keyof Members]: Members[name] extends Decoder<infer T> ? T : never }

/**
 * Builds a decoder of rows from its members: each has the column it is read from, or a decoder of its own. The decoder is
 * compiled to an object literal (`new Function`), as Zod does with schemas: a loop over the members takes eight times as long,
 * which is noticeable for pages of history and objects.
 * @throws Error from the decoder when a row lacks a column or has a value of another type, which is a bug in the statement
 * @example
 * const decode = rowDecoder({ id: text('id'), ownerEmail: text.orNull('owner_email') })
 * decode({ id: '1', owner_email: null }) // { id: '1', ownerEmail: null }
 */
export function rowDecoder<const Members extends { readonly [name: string]: Decoder<unknown> | Column<unknown> }>(
  members: Members,
): Decoder<Decoded<Members>> {
  const list = Object.entries(members)
  const readers = list.map(([, member]) => ('read' in member ? member.read : member))
  const values = list.map(([name, member], n) => {
    const source = 'read' in member ? `row[${JSON.stringify(member.column)}]` : 'row'
    return `${JSON.stringify(name)}: read${n}(${source})`
  })
  const names = readers.map((_, n) => `read${n}`)
  return new Function(...names, `return (row) => ({ ${values.join(', ')} })`)(...readers)
}

/** Builds a decoder of rows that are entries of a map. */
export function entry<Key, Item>(key: Decoder<Key>, item: Decoder<Item>): Decoder<readonly [Key, Item]> {
  return (row) => [key(row), item(row)]
}

function kind<Stored>(name: string, read: (value: Value) => Stored | undefined): Kind<Stored> {
  const checked = (value: Value, column: string): Stored => {
    const stored = read(value)
    if (stored === undefined) throw new Error(`the column ${column} is not ${name}`)
    return stored
  }
  function declare<T>(column: string, convert?: (stored: Stored) => T): Column<unknown> {
    const read: (value: Value) => unknown = (value) => checked(value, column)
    return columnOf(column, convert ? (value) => convert(checked(value, column)) : read)
  }
  const orNull = <T>(column: string, convert?: (stored: Stored) => T): Column<unknown> => {
    const { read } = declare(column, convert)
    return columnOf(column, (value) => (value === null ? null : read(value)))
  }
  return Object.assign(declare, { orNull }) as Kind<Stored>
}

function columnOf<T>(column: string, read: (value: Value) => T): Column<T> {
  return Object.assign((row: Row) => read(row[column]), { column, read })
}
