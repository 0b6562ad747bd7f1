import { RE2JS } from 're2js'
import { errors } from '../../errors.ts'
import { PatternCursor } from './pattern-cursor.ts'
import { type Flags, PatternParser, withFlags } from './pattern-parse.ts'
import { printForPostgres, printForRe2 } from './pattern-print.ts'
import { expandedSize, isLinear, type Prefix, prefixOf } from './pattern-tree.ts'

/** A regular expression in the forms in which it runs. */
export interface Pattern {
  readonly source: string
  readonly options: string
  /** for PostgreSQL's operator `~` */
  readonly postgres: string
  /** for RE2; null when the pattern needs lookarounds or back references, which cannot run in linear time */
  readonly re2: string | null
  /** the literal text with which what matches begins, null when none is known; an index can find it */
  readonly prefix: Prefix | null
}

/** Characters of a pattern. */
const MAX_LENGTH = 1000
/** Parts of a pattern once `{n,m}` is written out; more would take either engine long to compile. */
const MAX_SIZE = 5000

const NO_FLAGS: Flags = { ignoreCase: false, multiLine: false, dotAll: false, extended: false }

/**
 * Reads a PCRE pattern (spec/1, Where operators: `$regex` with `$options`) of at most 1000 characters and, with its
 * repetitions written out, 5000 parts. Both engines get only what this parser understood, spelled in their own way.
 * @param options any of the letters i, m, x and s
 * @param place names the field in error texts
 * @throws ApiError 102 for what is no pattern or not supported
 */
export function compilePattern(source: string, options: string, place: string): Pattern {
  const cursor = new PatternCursor(source, place)
  if (source.length > MAX_LENGTH) cursor.fail(`is longer than ${MAX_LENGTH} characters`)
  const { tree, refersBack } = new PatternParser(cursor, withFlags(NO_FLAGS, options)).parse()
  if (expandedSize(tree) > MAX_SIZE)
    cursor.fail(`is too large: with its repetitions written out it has more than ${MAX_SIZE} parts`)
  return {
    source,
    options,
    postgres: printForPostgres(tree, refersBack),
    re2: isLinear(tree) ? printForRe2(tree) : null,
    prefix: prefixOf(tree),
  }
}

const compiled = new WeakMap<Pattern, RE2JS>()

/**
 * Whether the pattern is found in a text, in time that grows with the text alone, so that no pattern can hold up the
 * process.
 * @throws ApiError 102 for a pattern that only the database can run
 */
export function foundIn(pattern: Pattern, text: string): boolean {
  let expression = compiled.get(pattern)
  if (!expression) {
    expression = compileForRe2(pattern)
    compiled.set(pattern, expression)
  }
  return expression.test(text)
}

function compileForRe2(pattern: Pattern): RE2JS {
  if (pattern.re2 !== null) {
    try {
      return RE2JS.compile(pattern.re2)
    } catch {
      // RE2 has limits of its own on the size of a pattern; below, the caller is told.
    }
  }
  throw errors.invalidQuery(
    `The regular expression '${pattern.source}' is not available in live queries: it has a lookaround, a back reference or a '$' before its end, or is too large.`,
  )
}
