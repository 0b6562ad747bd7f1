import { cutWords } from '../words.ts'

/** What of an object goes into the index. */
export interface Document {
  /** By the number of the field. */
  readonly texts: ReadonlyMap<number, string>
  /** Who may read the object; null: everyone. */
  readonly readers: readonly string[] | null
}

/** PostgreSQL counts positions up to here, and stores no more than 1 MB of words of an object. */
const MAX_POSITION = 16_383
const MAX_POSITIONS = 256
const MAX_BYTES = 900_000

/** The word that stands for everyone who may read an object. */
const EVERYONE = '*'

/**
 * The words of an object as a value of PostgreSQL's type tsvector. A word has the number of its field before it; who may
 * read the object stands among them, so that a search looks at what its caller may read alone. What is beyond the bounds
 * of the type is left out.
 */
export function indexedDocument({ texts, readers }: Document): string {
  const positions = new Map<string, number[]>()
  let bytes = 0
  for (const grant of readers ?? [EVERYONE]) {
    const lexeme = readerLexeme(grant)
    positions.set(lexeme, [])
    bytes += Buffer.byteLength(lexeme) + 8
  }
  for (const [field, text] of texts) {
    for (const word of cutWords(text, MAX_POSITION - 1)) {
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

/** @param grant `*`, the id of a user, or `role:<name>` */
function readerLexeme(grant: string): string {
  return `@${grant}`
}

/** A lexeme as tsvector and tsquery read it. */
export function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/** The words of callers who may read what names them. */
export function readerLexemes(grants: readonly string[]): string[] {
  return [EVERYONE, ...grants].map(readerLexeme)
}

function print(positions: ReadonlyMap<string, readonly number[]>): string {
  return [...positions]
    .map(([lexeme, at]) => (at.length > 0 ? `${quoted(lexeme)}:${at.join(',')}` : quoted(lexeme)))
    .join(' ')
}
