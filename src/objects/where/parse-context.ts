import { errors } from '../../errors.ts'
import type { PatternCost } from './patterns/pattern-cost.ts'
import type { Where } from './tree.ts'

/** How deep conditions may nest: `$and`, `$or`, `$not` and inner queries each count. */
const MAX_DEPTH = 32
/** How many conditions a `where` may have, inner queries included. */
const MAX_NODES = 2000
/** How many values all lists of a `where` may have together; a statement takes no more than 65 535 parameters. */
const MAX_VALUES = 20_000
/** What all regular expressions of a `where` may have together: characters, and parts as `costOf` counts them. */
const MAX_PATTERNS = { length: 20_000, parts: 20_000, transitions: 100_000 }
/** How deep inner queries may nest. */
const MAX_SUB_QUERIES = 4

/** Where in a condition the parser is, what may stand there, and what has been counted so far. */
export interface ParseContext {
  readonly depth: number
  readonly subQueries: number
  /** `$nearSphere` orders the results, so it may stand only where it holds for all of them. */
  readonly nearSphere: boolean
  /** Shared by the whole `where`, counts up. */
  readonly counted: { nodes: number; values: number; length: number; parts: number; transitions: number }
  /** Reads the condition of an inner query: operators and conditions need each other. */
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

/** @throws ApiError 102 beyond 32 levels */
export function deeper(context: ParseContext): ParseContext {
  if (context.depth >= MAX_DEPTH) throw errors.invalidQuery(`The condition is nested deeper than ${MAX_DEPTH} levels.`)
  return { ...context, depth: context.depth + 1 }
}

/** The context inside an inner query. @throws ApiError 102 beyond 4 of them */
export function insideSubQuery(context: ParseContext): ParseContext {
  if (context.subQueries >= MAX_SUB_QUERIES) {
    throw errors.invalidQuery(`Inner queries are nested deeper than ${MAX_SUB_QUERIES} levels.`)
  }
  return { ...deeper(context), subQueries: context.subQueries + 1, nearSphere: true }
}

/** Counts conditions. @throws ApiError 102 beyond 2000 of them */
export function count(context: ParseContext, conditions: number): void {
  context.counted.nodes += conditions
  if (context.counted.nodes > MAX_NODES) throw errors.invalidQuery(`The query has more than ${MAX_NODES} conditions.`)
}

/** Counts values of lists. @throws ApiError 102 beyond 20 000 of them */
export function countValues(context: ParseContext, values: number): void {
  context.counted.values += values
  if (context.counted.values > MAX_VALUES) {
    throw errors.invalidQuery(`The lists of the query have more than ${MAX_VALUES} values in all.`)
  }
}

/** Counts the characters of a regular expression, before it is read. @throws ApiError 102 beyond 20 000 of them */
export function countPattern(context: ParseContext, source: string): void {
  context.counted.length += source.length
  if (context.counted.length > MAX_PATTERNS.length) {
    throw errors.invalidQuery(`The regular expressions of the query have more than ${MAX_PATTERNS.length} characters.`)
  }
}

/** Counts what compiling a regular expression costs. @throws ApiError 102 when all of a `where` are too large together */
export function countPatternCost({ counted }: ParseContext, { parts, transitions }: PatternCost): void {
  counted.parts += parts
  counted.transitions += transitions
  if (counted.parts > MAX_PATTERNS.parts || counted.transitions > MAX_PATTERNS.transitions) {
    throw errors.invalidQuery('The regular expressions of the query are too large together, repetitions written out.')
  }
}
