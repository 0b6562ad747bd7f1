import { errors } from '../../errors.ts'
import type { PatternCost } from './pattern-cost.ts'
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

/** Where in a condition the parser is, and what may stand there. */
export interface Place {
  readonly depth: number
  readonly subQueries: number
  /** `$nearSphere` orders the results, so it may stand only where it holds for all of them. */
  readonly nearSphere: boolean
  /** Shared by the whole `where`, counts up. */
  readonly counted: { nodes: number; values: number; length: number; parts: number; transitions: number }
  /** Reads the condition of an inner query: operators and conditions need each other. */
  readonly parseQuery: (wire: unknown, place: Place) => Where
}

export function outermost(parseQuery: Place['parseQuery']): Place {
  return {
    parseQuery,
    depth: 0,
    subQueries: 0,
    nearSphere: true,
    counted: { nodes: 0, values: 0, length: 0, parts: 0, transitions: 0 },
  }
}

/** @throws ApiError 102 beyond 32 levels */
export function deeper(place: Place): Place {
  if (place.depth >= MAX_DEPTH) throw errors.invalidQuery(`The condition is nested deeper than ${MAX_DEPTH} levels.`)
  return { ...place, depth: place.depth + 1 }
}

/** The place inside an inner query. @throws ApiError 102 beyond 4 of them */
export function insideSubQuery(place: Place): Place {
  if (place.subQueries >= MAX_SUB_QUERIES) {
    throw errors.invalidQuery(`Inner queries are nested deeper than ${MAX_SUB_QUERIES} levels.`)
  }
  return { ...deeper(place), subQueries: place.subQueries + 1, nearSphere: true }
}

/** Counts conditions. @throws ApiError 102 beyond 2000 of them */
export function count(place: Place, conditions: number): void {
  place.counted.nodes += conditions
  if (place.counted.nodes > MAX_NODES) throw errors.invalidQuery(`The query has more than ${MAX_NODES} conditions.`)
}

/** Counts values of lists. @throws ApiError 102 beyond 20 000 of them */
export function countValues(place: Place, values: number): void {
  place.counted.values += values
  if (place.counted.values > MAX_VALUES) {
    throw errors.invalidQuery(`The lists of the query have more than ${MAX_VALUES} values in all.`)
  }
}

/** Counts the characters of a regular expression, before it is read. @throws ApiError 102 beyond 20 000 of them */
export function countPattern(place: Place, source: string): void {
  place.counted.length += source.length
  if (place.counted.length > MAX_PATTERNS.length) {
    throw errors.invalidQuery(`The regular expressions of the query have more than ${MAX_PATTERNS.length} characters.`)
  }
}

/** Counts what compiling a regular expression costs. @throws ApiError 102 when all of a `where` are too large together */
export function countPatternCost({ counted }: Place, { parts, transitions }: PatternCost): void {
  counted.parts += parts
  counted.transitions += transitions
  if (counted.parts > MAX_PATTERNS.parts || counted.transitions > MAX_PATTERNS.transitions) {
    throw errors.invalidQuery('The regular expressions of the query are too large together, repetitions written out.')
  }
}
