/** A value of a statement, sent beside its text; JSON goes as text with a `::jsonb` cast in the statement. */
export type SqlValue = string | number | boolean | null | readonly (string | null)[]

/** A piece of SQL: `strings` with a value between each two. Built by the `sql` tag, joined into larger pieces. */
export class Sql {
  readonly strings: readonly string[]
  readonly values: readonly SqlValue[]

  constructor(strings: readonly string[], values: readonly SqlValue[]) {
    this.strings = strings
    this.values = values
  }
}

/** SQL with values: sql`id = ${id}` makes a parameter, sql`WHERE ${condition}` inserts another piece. */
export function sql(strings: TemplateStringsArray, ...parts: readonly (Sql | SqlValue)[]): Sql {
  const texts: string[] = [strings[0]!]
  const values: SqlValue[] = []
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index]!
    const after = strings[index + 1]!
    if (part instanceof Sql) {
      texts[texts.length - 1] += part.strings[0]!
      for (let inner = 0; inner < part.values.length; inner++) {
        values.push(part.values[inner]!)
        texts.push(part.strings[inner + 1]!)
      }
      texts[texts.length - 1] += after
    } else {
      values.push(part)
      texts.push(after)
    }
  }
  return new Sql(texts, values)
}

/** SQL text as it is. Only for text that no caller of the API has a hand in. */
export function raw(text: string): Sql {
  return new Sql([text], [])
}

/** The one place where a name becomes part of a statement. */
export function identifier(...names: readonly string[]): Sql {
  return raw(names.map((name) => `"${name.replaceAll('"', '""')}"`).join('.'))
}

/** A text as a literal, for index definitions, which take no parameters. */
export function literal(text: string): Sql {
  if (text.includes('\u0000')) throw new Error(`not usable in a literal: ${JSON.stringify(text)}`)
  const quoted = text.replaceAll("'", "''")
  return raw(text.includes('\\') ? `E'${quoted.replaceAll('\\', '\\\\')}'` : `'${quoted}'`)
}

export function join(pieces: readonly Sql[], separator: string): Sql {
  const texts: string[] = ['']
  const values: SqlValue[] = []
  pieces.forEach((piece, position) => {
    texts[texts.length - 1] += (position === 0 ? '' : separator) + piece.strings[0]!
    for (let index = 0; index < piece.values.length; index++) {
      values.push(piece.values[index]!)
      texts.push(piece.strings[index + 1]!)
    }
  })
  return new Sql(texts, values)
}

/** The statement as the driver takes it: `$1`, `$2`, … and the list of values. */
export function toQuery(statement: Sql): { text: string; values: SqlValue[] } {
  let text = statement.strings[0]!
  for (let index = 1; index < statement.strings.length; index++) text += `$${index}${statement.strings[index]!}`
  return { text, values: statement.values as SqlValue[] }
}
