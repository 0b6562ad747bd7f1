import { errors } from '../../errors.ts'
import type { PatternCost } from './patterns/pattern-cost.ts'
import type { Where } from './tree.ts'

/** Maximum nesting depth of conditions: `$and`, `$or`, `$not` and inner queries each count. */
const MAX_DEPTH = 32
/** Maximum conditions of a `where`, including inner queries. */
const MAX_NODES = 2000
/** Maximum values of all lists of a `where` together; a statement takes at most 65,535 parameters. */
const MAX_VALUES = 20_000
/** Maximum size of all regular expressions of a `where` together: characters, and the units of `costOf`. */
const MAX_PATTERNS = { length: 20_000, parts: 20_000, transitions: 100_000 }
/** Maximum nesting depth of inner queries. */
const MAX_SUB_QUERIES = 4

/** The parser's position in a condition, what is allowed there, and the counts so far. */
export interface ParseContext {
  readonly depth: number
  readonly subQueries: number
  /** Whether `$nearSphere` is allowed: it orders the results, so it must apply to all of them. */
  readonly nearSphere: boolean
  /** Running counts, shared by the whole `where`. */
  readonly counted: { nodes: number; values: number; length: number; parts: number; transitions: number }
  /** Parses the condition of an inner query. Passed in, because operators and conditions need each other. */
  readonly parseQuery: (wire: unknown, context: ParseContext) => Where
}

export function outermost(parseQuery: ParseContext['parseQuery']): ParseContext {
  return {
    parseQuery,
    depth: 0,
    subQueries: 0,
    nearSphere: true,
    counted: { nodes: 0, values: 0, length: 0, parts: 0, transitions: 0 },
  }
}

/** Returns the context one level deeper. @throws ApiError 102 beyond 32 levels */
export function deeper(context: ParseContext): ParseContext {
  if (context.depth >= MAX_DEPTH)
    throw errors.invalidQuery(`The condition must be nested at most ${MAX_DEPTH} levels deep.`)
  return { ...context, depth: context.depth + 1 }
}

/** Returns the context inside an inner query. @throws ApiError 102 beyond 4 levels of inner queries */
export function insideSubQuery(context: ParseContext): ParseContext {
  if (context.subQueries >= MAX_SUB_QUERIES) {
    throw errors.invalidQuery(`Inner queries must be nested at most ${MAX_SUB_QUERIES} levels deep.`)
  }
  return { ...deeper(context), subQueries: context.subQueries + 1, nearSphere: true }
}

/** Counts conditions. @throws ApiError 102 beyond 2000 */
export function count(context: ParseContext, conditions: number): void {
  context.counted.nodes += conditions
  if (context.counted.nodes > MAX_NODES)
    throw errors.invalidQuery(`The query must have at most ${MAX_NODES} conditions.`)
}

/** Counts values of lists. @throws ApiError 102 beyond 20,000 */
export function countValues(context: ParseContext, values: number): void {
  context.counted.values += values
  if (context.counted.values > MAX_VALUES) {
    throw errors.invalidQuery(`The lists of the query must have at most ${MAX_VALUES} values in total.`)
  }
}

/** Counts the characters of a regular expression before it is parsed. @throws ApiError 102 beyond 20,000 */
export function countPattern(context: ParseContext, source: string): void {
  context.counted.length += source.length
  if (context.counted.length > MAX_PATTERNS.length) {
    throw errors.invalidQuery(
      `The regular expressions of the query must have at most ${MAX_PATTERNS.length} characters in total.`,
    )
  }
}

/** Counts the cost of compiling a regular expression. @throws ApiError 102 when those of a `where` exceed the limit together */
export function countPatternCost({ counted }: ParseContext, { parts, transitions }: PatternCost): void {
  counted.parts += parts
  counted.transitions += transitions
  if (counted.parts > MAX_PATTERNS.parts || counted.transitions > MAX_PATTERNS.transitions) {
    throw errors.invalidQuery('The regular expressions of the query are too large in total, with repetitions expanded.')
  }
}
