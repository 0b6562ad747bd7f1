import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Row } from '../database/pool.ts'
import { matches, type StoredObject } from '../objects/where/matches.ts'
import { dateFromDatabase } from '../values/date.ts'
import type { ConditionIndex } from './condition-index.ts'
import type { LiveQuery } from './live-query.ts'

/** A state of an object that conditions are tested against. */
export interface State {
  readonly row: Row
  readonly object: StoredObject
  /** Characters of its fields as JSON. */
  readonly length: number
}

export function stateOf(row: Row): State {
  const data = String(row.data)
  const object: StoredObject = {
    id: String(row.id),
    createdAt: dateFromDatabase(String(row.created_at)),
    updatedAt: dateFromDatabase(String(row.updated_at)),
    data: JSON.parse(data),
  }
  return { row, object, length: data.length }
}

/** A query that a change of an object concerns. */
export interface Match {
  readonly query: LiveQuery
  /** Whether the object met the condition before, and meets it now. */
  readonly before: boolean
  readonly after: boolean
}

/** For so many milliseconds conditions are tested without a pause. */
const SLICE = 4
/** Conditions that are tested between two looks at the clock. */
const TESTED_AT_ONCE = 16

/**
 * The queries whose conditions an object meets before or after a change. Where there are many, everything else has its
 * turn in between.
 * @param before null for an object that is new, `after` for one that is gone
 */
export async function findMatches(index: ConditionIndex, before: State | null, after: State | null): Promise<Match[]> {
  const found: Match[] = []
  let tested = 0
  let began = performance.now()
  for (const query of index.candidates(before?.object ?? null, after?.object ?? null)) {
    const [met, meets] = [isMetBy(query, before), isMetBy(query, after)]
    if (met || meets) found.push({ query, before: met, after: meets })
    if (++tested % TESTED_AT_ONCE !== 0 || performance.now() - began < SLICE) continue
    await nextTurn()
    began = performance.now()
  }
  return found
}

/**
 * Steps that one test may take, at the worst; about a tenth of a second. What would take more counts as not met: a long
 * text and a large regular expression, or a list of thousands and an array of thousands.
 */
const MAX_STEPS = 20_000_000

function isMetBy({ where, effort }: LiveQuery, state: State | null): boolean {
  return state !== null && effort * state.length <= MAX_STEPS && matches(where, state.object)
}
