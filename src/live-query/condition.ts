import { errors } from '../errors.ts'
import { parseWhere } from '../objects/where/parse.ts'
import { foundIn } from '../objects/where/pattern.ts'
import type { Where } from '../objects/where/tree.ts'
import { isJsonObject, type Json, parseJson } from '../values/json.ts'

/** The condition of a live query, ready to be tested in memory. */
export interface Condition {
  readonly where: Where
  readonly fields: readonly string[]
  readonly effort: number
}

/** Characters of a condition as JSON: it is kept in memory, on every node. */
const MAX_LENGTH = 16_384

/**
 * Reads the `where` of a subscription: an object, its JSON text (spec/realtime-protocol, 7.3), or nothing.
 * @returns its JSON text in a form that is the same for the same condition
 * @throws ApiError 102 when it is too long, 107 when the text is no JSON
 */
export function canonicalCondition(wire: Json | undefined): string {
  const given = typeof wire === 'string' && wire !== '' ? parseJson(wire, "'where' of the query") : wire
  const condition = given === undefined || given === null || given === '' ? {} : given
  const text = canonicalJson(condition as Json)
  if (text.length > MAX_LENGTH)
    throw errors.invalidQuery(`The 'where' of a live query has at most ${MAX_LENGTH} characters.`)
  return text
}

/** A JSON value as text, the members of objects in the order of their names: equal values have equal texts. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name]!)}`)
  return `{${members.join(',')}}`
}

/**
 * Parses a condition for use in memory.
 * @throws ApiError 102 for inner queries, `$relatedTo` and regular expressions that do not run in linear time, and those
 *   of `parseWhere`
 */
export function parseCondition(text: string): Condition {
  const where = parseWhere(JSON.parse(text))
  const fields = new Set<string>()
  collectFields(where, fields)
  return { where, fields: [...fields], effort: effortOf(where) }
}

function collectFields(where: Where, fields: Set<string>): void {
  switch (where.kind) {
    case 'and':
    case 'or':
      for (const part of where.of) collectFields(part, fields)
      return
    case 'not':
      collectFields(where.of, fields)
      return
    case 'relatedTo':
    case 'inQuery':
    case 'select':
      throw errors.invalidQuery(
        'Live queries know one object at a time: inner queries ($inQuery, $select, their negations) and $relatedTo are not available.',
      )
    case 'pattern':
      // Refuses what cannot run in memory, while there is somebody to be told.
      foundIn(where.pattern, '')
  }
  fields.add(where.path[0])
}

/** So many listed values count as one step: comparing is cheap. */
const CHEAP_VALUES = 4
/** No regular expression that is accepted has more parts; see `compilePattern`. */
const MAX_PATTERN_SIZE = 5000

/**
 * How many steps it takes, at the worst, to test a condition against one character of an object. Together with the
 * length of the object it bounds the time of a test, which nothing can interrupt.
 */
export function effortOf(where: Where): number {
  switch (where.kind) {
    case 'and':
    case 'or':
      return where.of.reduce((sum, part) => sum + effortOf(part), 0)
    case 'not':
      return effortOf(where.of)
    case 'oneOf':
      return 1 + where.values.length / CHEAP_VALUES
    case 'pattern':
      return 1 + sizeOf(where.pattern.re2 ?? '')
    default:
      return 1
  }
}

/** At least as many parts as an expression has, its repetitions written out: each is a step for each character. */
function sizeOf(source: string): number {
  const factors = [...source.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map((found) => Number(found[2] || found[1]) || 1)
  const size = source.length * factors.reduce((product, factor) => product * factor, 1)
  return Math.min(size, MAX_PATTERN_SIZE)
}
