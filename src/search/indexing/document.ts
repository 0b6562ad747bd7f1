import { wordsOf } from '../words.ts'

/** PostgreSQL counts positions up to here, and stores no more than 1 MB of words of an object. */
const MAX_POSITION = 16_383
/** Words of a field that are indexed. */
export const MAX_WORDS = MAX_POSITION - 1
const MAX_POSITIONS = 256
const MAX_BYTES = 900_000

/**
 * The words of an object as a value of PostgreSQL's type tsvector. A word has the number of its field before it. What is
 * beyond the bounds of the type is left out. Pauses after each word.
 * @param texts by the number of the field
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

/** A lexeme as tsvector and tsquery read it. */
export function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

function print(positions: ReadonlyMap<string, readonly number[]>): string {
  return [...positions].map(([lexeme, at]) => `${quoted(lexeme)}:${at.join(',')}`).join(' ')
}
