import { wordsOf } from '../words.ts'

/** Maximum position in a tsvector. PostgreSQL also limits a tsvector to 1 MB. */
const MAX_POSITION = 16_383
/** Maximum indexed words of a field. */
export const MAX_WORDS = MAX_POSITION - 1
const MAX_POSITIONS = 256
const MAX_BYTES = 900_000

/**
 * Returns the words of an object as a tsvector text. Each word is prefixed with the number of its field. Words beyond the limits
 * of the type are left out. Pauses after each word.
 * @param texts by field number
 */
export function* indexedDocument(texts: ReadonlyMap<number, string>): Generator<undefined, string, undefined> {
  const positions = new Map<string, number[]>()
  let bytes = 0
  for (const [field, text] of texts) {
    for (const word of wordsOf(text, MAX_WORDS)) {
      yield
      const lexeme = wordLexeme(field, word.text)
      const known = positions.get(lexeme)
      if (known && known.length >= MAX_POSITIONS) continue
      bytes += known ? 2 : Buffer.byteLength(lexeme) + 8
      if (bytes > MAX_BYTES) return print(positions)
      if (known) known.push(word.position + 1)
      else positions.set(lexeme, [word.position + 1])
    }
  }
  return print(positions)
}

export function wordLexeme(field: number, word: string): string {
  return `${field}:${word}`
}

/** Quotes a lexeme for a tsvector or tsquery. */
export function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

function print(positions: ReadonlyMap<string, readonly number[]>): string {
  return [...positions].map(([lexeme, at]) => `${quoted(lexeme)}:${at.join(',')}`).join(' ')
}
