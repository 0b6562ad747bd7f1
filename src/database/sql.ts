import type { Text } from '../values/text-in-pieces.ts'

/** A value of a statement, sent as a parameter; JSON is sent as text with a `::jsonb` cast in the statement. */
export type SqlValue = Text | number | boolean | null | readonly (string | null)[]

/**
 * A piece of SQL: `strings` with a part between each two, which is a value or a smaller piece. Pieces are composed by reference
 * and converted to text once, in `toQuery`.
 */
export class Sql {
  readonly strings: readonly string[]
  readonly parts: readonly (Sql | SqlValue)[]

  constructor(strings: readonly string[], parts: readonly (Sql | SqlValue)[]) {
    this.strings = strings
    this.parts = parts
  }
}

/**
 * SQL with values: sql`id = ${id}` makes a parameter, sql`WHERE ${condition}` inserts another piece.
 * @example
 * toQuery(sql`SELECT 1 WHERE ${sql`id = ${'a'}`}`) // { text: 'SELECT 1 WHERE id = $1', values: ['a'] }
 */
export function sql(strings: TemplateStringsArray, ...parts: readonly (Sql | SqlValue)[]): Sql {
  return new Sql(strings, parts)
}

/** Returns SQL text unchanged. Must not be used for text that callers of the API can influence. */
export function raw(text: string): Sql {
  return new Sql([text], [])
}

/** Returns a quoted identifier. This is the only place where a name becomes part of a statement. */
export function identifier(...names: readonly string[]): Sql {
  return raw(names.map((name) => `"${name.replaceAll('"', '""')}"`).join('.'))
}

/** Returns a text as a literal, for index definitions, which take no parameters. */
export function literal(text: string): Sql {
  if (text.includes('\u0000')) throw new Error(`not usable in a literal: ${JSON.stringify(text)}`)
  const quoted = text.replaceAll("'", "''")
  return raw(text.includes('\\') ? `E'${quoted.replaceAll('\\', '\\\\')}'` : `'${quoted}'`)
}

export function join(pieces: readonly Sql[], separator: string): Sql {
  if (pieces.length === 0) return raw('')
  const strings = pieces.map((_, index) => (index === 0 ? '' : separator))
  return new Sql([...strings, ''], pieces)
}

/** Returns the statement in the driver's form: `$1`, `$2`, … and the list of values. */
export function toQuery(statement: Sql): { text: string; values: SqlValue[] } {
  const values: SqlValue[] = []
  return { text: print(statement, (value) => `$${values.push(value)}`), values }
}

/** Returns the text of a piece, with the result of `placeholderFor` for each value. */
export function print({ strings, parts }: Sql, placeholderFor: (value: SqlValue) => string): string {
  let text = strings[0]!
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index]!
    text += part instanceof Sql ? print(part, placeholderFor) : placeholderFor(part)
    text += strings[index + 1]!
  }
  return text
}

/** Returns an array of texts in PostgreSQL's array notation, for statements that pass an array as text. */
export function arrayLiteral(items: readonly (string | null)[]): string {
  const quoted = items.map((item) =>
    item === null ? 'NULL' : `"${item.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`,
  )
  return `{${quoted.join(',')}}`
}
