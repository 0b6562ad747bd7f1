import { errors } from '../../../errors.ts'
import { CompiledPatterns } from './compiled-patterns.ts'
import { costOf, type PatternCost } from './pattern-cost.ts'
import { PatternCursor } from './pattern-cursor.ts'
import { type Flags, PatternParser, withFlags } from './pattern-parse.ts'
import { printForPostgres, printForRe2 } from './pattern-print.ts'
import { isLinear, type Literal, literalOf, type Prefix, prefixOf } from './pattern-tree.ts'

/** A regular expression in its executable forms. */
export interface Pattern {
  readonly source: string
  readonly options: string
  readonly cost: PatternCost
  /** For PostgreSQL's operator `~`. */
  readonly postgres: string
  /** For RE2; null when the pattern needs lookarounds or back references, which cannot run in linear time. */
  readonly re2: string | null
  /** The literal text with which matching texts begin, null when there is none; an index can find it. */
  readonly prefix: Prefix | null
  /** The pattern as a literal text, as SDKs generate for `contains`, `startsWith` and `endsWith`; null for other patterns. */
  readonly literal: Literal | null
}

/** Maximum characters of a pattern. */
const MAX_LENGTH = 1000

/**
 * Maximum cost. At this cost PostgreSQL takes 20 ms and two megabytes to compile a pattern, of which it keeps 32 on a connection,
 * and the engine in memory takes 3 ms. Common patterns cost a tenth of it.
 */
const MAX_COST: PatternCost = { parts: 2000, transitions: 20_000, references: 20 }

const NO_FLAGS: Flags = { ignoreCase: false, multiLine: false, dotAll: false, extended: false }

/**
 * Compiles a PCRE pattern (protocol/storage, Where operators: `$regex` with `$options`) of at most 1000 characters and at most
 * the cost `MAX_COST`. Both engines get the parsed tree printed in their own syntax, never the original text.
 * @example
 * compilePattern('^ab+', 'i', 'name').postgres // '\\A[Aa][Bb]+'
 * @param options any of the letters i, m, x and s
 * @param path names the field in error texts
 * @throws ApiError 102 for a pattern that is invalid, too large or not supported
 */
export function compilePattern(source: string, options: string, path: string): Pattern {
  const cursor = new PatternCursor(source, path)
  if (source.length > MAX_LENGTH) cursor.fail(`is longer than ${MAX_LENGTH} characters`)
  const { tree, refersBack } = new PatternParser(cursor, withFlags(NO_FLAGS, options)).parse()
  const cost = costOf(tree)
  checkCost(cost, cursor)
  return {
    source,
    options,
    cost,
    postgres: printForPostgres(tree, refersBack),
    re2: isLinear(tree) ? printForRe2(tree) : null,
    prefix: prefixOf(tree),
    literal: literalOf(tree),
  }
}

function checkCost({ parts, transitions, references }: PatternCost, cursor: PatternCursor): void {
  if (parts > MAX_COST.parts)
    cursor.fail(`is too large: with repetitions expanded it has more than ${MAX_COST.parts} parts`)
  if (transitions > MAX_COST.transitions)
    cursor.fail("is too large: it has too many optional repetitions ('?', '*', '{0,n}') or lookarounds")
  if (references > MAX_COST.references)
    cursor.fail(`refers back to groups more than ${MAX_COST.references} times, with repetitions expanded`)
}

const compiled = new CompiledPatterns()

/**
 * Returns whether the pattern is found in a text, in time linear in the length of the text, so that no pattern can block the
 * process.
 * @throws ApiError 102 for a pattern that only the database can run
 */
export function foundIn(pattern: Pattern, text: string): boolean {
  return pattern.literal ? literalIn(pattern.literal, text) : expressionOf(pattern).test(text)
}

/** Like `$`, `atEnd` allows a final newline. */
function literalIn({ text: wanted, atStart, atEnd }: Literal, text: string): boolean {
  if (atStart && atEnd) return text === wanted || text === `${wanted}\n`
  if (atStart) return text.startsWith(wanted)
  if (atEnd) return text.endsWith(wanted) || text.endsWith(`${wanted}\n`)
  return text.includes(wanted)
}

function expressionOf(pattern: Pattern) {
  if (pattern.re2 !== null) {
    try {
      return compiled.get(pattern.re2, pattern.cost.parts)
    } catch {
      // RE2 has its own limits on repetitions; the error below reports this.
    }
  }
  throw errors.invalidQuery(
    `The regular expression '${pattern.source}' is not available in live queries: it has a lookaround, a back reference or a '$' before its end, or is too large.`,
  )
}
