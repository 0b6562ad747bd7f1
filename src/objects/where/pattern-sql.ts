import { type Sql, sql } from '../../database/sql.ts'
import { KEY_LENGTH } from './columns.ts'
import type { Pattern } from './patterns/pattern.ts'

const LAST_CODE = 0x10ffff

/**
 * Returns whether a pattern is found in a text. A pattern with a literal start becomes a range that an index serves; if it
 * consists only of that start, the range is sufficient.
 * @param key the first 200 characters of the text, which the index holds; or the text itself
 */
export function patternOnText(pattern: Pattern, text: Sql, key: Sql): Sql {
  const { literal } = pattern
  if (literal && !literal.atStart && !literal.atEnd) return sql`strpos(${text}, ${literal.text}::text) > 0`
  const expression = sql`${text} ~ ${pattern.postgres}::text`
  if (pattern.prefix === null) return expression
  const characters = [...pattern.prefix.text]
  const range = startsWith(key, characters.slice(0, KEY_LENGTH).join(''))
  return pattern.prefix.isEntire && characters.length <= KEY_LENGTH ? range : sql`${range} AND ${expression}`
}

/** Returns the range of texts that begin with a prefix: from the prefix up to the next text that does not. */
function startsWith(key: Sql, prefix: string): Sql {
  const end = afterPrefix(prefix)
  return end === null ? sql`${key} >= ${prefix}::text` : sql`${key} >= ${prefix}::text AND ${key} < ${end}::text`
}

/** Returns the smallest text, by code point, above all texts that begin with the prefix; null when there is none. */
export function afterPrefix(prefix: string): string | null {
  const codes = [...prefix].map((character) => character.codePointAt(0)!)
  while (codes.at(-1) === LAST_CODE) codes.pop()
  const last = codes.pop()
  if (last === undefined) return null
  // Surrogates are not characters, so U+E000 follows U+D7FF.
  return String.fromCodePoint(...codes, last === 0xd7ff ? 0xe000 : last + 1)
}
