import { errors } from '../../errors.ts'

/** A word, value or sign of a CQL text, with its position. */
export interface Token {
  readonly kind: 'name' | 'text' | 'number' | 'sign' | 'end'
  /** As written; for a text, its unquoted value. */
  readonly text: string
  /** Offset in characters from the beginning. */
  readonly at: number
}

const SPACE = /\s*/y
/** A name may be a path: `author.name`. */
const NAME = /[A-Za-z_]\w*(?:\.\w+)*/y
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const SIGN = /<=|>=|!=|<>|[=<>(),*?[\]{}:+-]/y
const TEXT = /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"/y

const ESCAPED: { readonly [letter: string]: string } = {
  n: '\n',
  r: '\r',
  t: '\t',
  "'": "'",
  '"': '"',
  '\\': '\\',
}

/** Splits a CQL text into tokens; the last one is its end. @throws ApiError 300 */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  for (;;) {
    at += take(SPACE)!.length
    if (at === text.length) return [...tokens, { kind: 'end', text: 'the end', at }]
    const [kind, found] = next(take)
    if (kind === null) throw syntaxError(text, at, `unexpected ${text.slice(at, at + 20)}`)
    tokens.push({ kind, text: kind === 'text' ? unquoted(found) : found, at })
    at += found.length
  }
}

function next(take: (pattern: RegExp) => string | undefined): [Token['kind'], string] | [null] {
  for (const [kind, pattern] of [
    ['name', NAME],
    ['number', NUMBER],
    ['text', TEXT],
    ['sign', SIGN],
  ] as const) {
    const found = take(pattern)
    if (found !== undefined) return [kind, found]
  }
  return [null]
}

/** Unquotes a text. A backslash that escapes nothing is kept, because regular expressions contain many. */
function unquoted(written: string): string {
  const quote = written.charAt(0)
  return written
    .slice(1, -1)
    .replaceAll(/\\([\s\S])|''|""/g, (pair, escaped: string | undefined) =>
      escaped === undefined ? (pair.charAt(0) === quote ? quote : pair) : (ESCAPED[escaped] ?? pair),
    )
}

/** Returns the error for an invalid CQL text, with the position (protocol/storage, Objects). */
export function syntaxError(text: string, at: number, what: string): Error {
  const lines = text.slice(0, at).split('\n')
  return errors.invalidCql(`Parse error at line ${lines.length}, column ${lines.at(-1)!.length + 1}: ${what}.`)
}
