import { setImmediate as nextTurn } from 'node:timers/promises'
import { text } from '../database/decode-row.ts'
import type { Row } from '../database/row.ts'
import { storedObject } from '../objects/store.ts'
import { matches, type StoredObject } from '../objects/where/matches.ts'
import type { ConditionIndex } from './condition-index.ts'
import { stepsOf } from './effort.ts'
import type { LiveQuery } from './live-query.ts'

/** A state of an object that conditions are tested against. */
export interface State {
  readonly row: Row
  readonly object: StoredObject
  /** Length of its fields as JSON, in characters. */
  readonly length: number
}

const data = text('data')

export function stateOf(row: Row): State {
  return { row, object: storedObject(row), length: data(row).length }
}

/** A query that a change of an object affects. */
export interface Match {
  readonly query: LiveQuery
  /** Whether the object met the condition before, and meets it now. */
  readonly before: boolean
  readonly after: boolean
}

/** How long conditions are tested without yielding, in milliseconds. */
const SLICE = 4
/** Maximum numbers of steps, and of conditions, between two readings of the clock. */
const STEPS_AT_ONCE = 100_000
const TESTED_AT_ONCE = 16

/**
 * Maximum number of steps of one test: up to 40 milliseconds, which nothing can interrupt. Tests above it count as not met: a
 * long text with a large regular expression, or a list of thousands with an array of thousands.
 */
const MAX_STEPS = 5_000_000

/** From this number of steps on a test is expensive. All expensive tests of a change together are limited to a second. */
const EXPENSIVE_STEPS = 50_000
const MAX_EXPENSIVE_STEPS = 100_000_000

/**
 * Finds the queries whose conditions an object meets before or after a change. Yields to other work when there are many.
 * Expensive queries are skipped after earlier ones have taken a second: few clients have them, and they would delay the
 * notifications of all others.
 * @param before null for a new object
 * @param after null for a deleted object
 */
export async function findMatches(index: ConditionIndex, before: State | null, after: State | null): Promise<Match[]> {
  const found: Match[] = []
  let [tested, steps, expensive] = [0, 0, 0]
  let began = performance.now()
  for (const query of index.candidates(before?.object ?? null, after?.object ?? null)) {
    const needed = Math.max(stepsFor(query, before), stepsFor(query, after))
    const isExpensive = needed > EXPENSIVE_STEPS
    if (needed > MAX_STEPS || (isExpensive && expensive > MAX_EXPENSIVE_STEPS)) continue
    const matched = isMatchedBy(query, before)
    if (isExpensive) await nextTurn()
    const meets = isMatchedBy(query, after)
    if (matched || meets) found.push({ query, before: matched, after: meets })
    if (isExpensive) expensive += 2 * needed
    steps += 2 * needed
    if (++tested < TESTED_AT_ONCE && steps < STEPS_AT_ONCE) continue
    tested = 0
    steps = 0
    if (performance.now() - began < SLICE) continue
    await nextTurn()
    began = performance.now()
  }
  return found
}

/** Returns the steps of a test. The length of the object gives an immediate upper bound, which mostly suffices. */
function stepsFor({ where, effort }: LiveQuery, state: State | null): number {
  if (state === null) return 0
  const upperBound = effort * state.length
  return upperBound <= EXPENSIVE_STEPS ? upperBound : stepsOf(where, state.object)
}

function isMatchedBy({ where }: LiveQuery, state: State | null): boolean {
  return state !== null && matches(where, state.object)
}
