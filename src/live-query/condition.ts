import { errors } from '../errors.ts'
import { parseWhere } from '../objects/where/parse.ts'
import { foundIn } from '../objects/where/patterns/pattern.ts'
import type { Where } from '../objects/where/tree.ts'
import { canonicalJson, type Json, parseJson } from '../values/json.ts'
import { effortOf, partsOf } from './effort.ts'

/** The condition of a live query, prepared for tests in memory. */
export interface Condition {
  readonly where: Where
  readonly fields: readonly string[]
  readonly effort: number
}

/** Maximum number of characters of a condition as JSON: every node keeps it in memory. */
const MAX_LENGTH = 16_384

/** Maximum number of parts of all regular expressions of a condition: compiling these takes about three milliseconds. */
const MAX_PARTS = 2000

/**
 * Parses the `where` of a subscription: an object, its JSON text (protocol/realtime, HTTP), or nothing.
 * @returns its canonical JSON text, which is the same for the same condition
 * @throws ApiError 102 when it is too long, 107 when the text is not JSON
 */
export function canonicalCondition(wire: Json | undefined): string {
  const given = typeof wire === 'string' && wire !== '' ? parseJson(wire, "'where' of the query") : wire
  const condition = given === undefined || given === null || given === '' ? {} : given
  // Checked first, because the canonical text is as long, and more expensive to make.
  const text = JSON.stringify(condition).length > MAX_LENGTH ? null : canonicalJson(condition as Json)
  if (text === null)
    throw errors.invalidQuery(`The 'where' of a live query must have at most ${MAX_LENGTH} characters.`)
  return text
}

/**
 * Parses a condition for use in memory.
 * @throws ApiError 102 for inner queries, `$relatedTo` and regular expressions that do not run in linear time, and those of
 *   `parseWhere`
 */
export function parseCondition(text: string): Condition {
  const where = parseWhere(JSON.parse(text))
  const fields = new Set<string>()
  collectFields(where, fields)
  if (partsOf(where) > MAX_PARTS) {
    throw errors.invalidQuery(
      `The regular expressions of a live query must have at most ${MAX_PARTS} parts in total, with repetitions expanded.`,
    )
  }
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
        'Live queries do not support inner queries ($inQuery, $select and their negations) or $relatedTo.',
      )
    case 'pattern':
      // Rejects expressions that cannot run in memory, while the subscriber can still be sent an error.
      foundIn(where.pattern, '')
  }
  fields.add(where.path[0])
}
