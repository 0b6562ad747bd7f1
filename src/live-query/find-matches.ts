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
  /** Characters of its fields as JSON. */
  readonly length: number
}

const data = text('data')

export function stateOf(row: Row): State {
  return { row, object: storedObject(row), length: data(row).length }
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
/** Steps, and conditions, that are tested between two looks at the clock. */
const STEPS_AT_ONCE = 100_000
const TESTED_AT_ONCE = 16

/**
 * Steps that one test may take: at the worst 40 milliseconds, in which nothing can interrupt it. What would take more
 * counts as not met: a long text and a large regular expression, or a list of thousands and an array of thousands.
 */
const MAX_STEPS = 5_000_000

/** What a test may take to count as costly, and all costly ones of a change together: a second. */
const COSTLY = 50_000
const MAX_COSTLY_STEPS = 100_000_000

/**
 * The queries whose conditions an object meets before or after a change. Where there are many, everything else has its
 * turn in between. Costly ones are left out when those before them have taken a second: they are those of few, who would
 * keep all others from being notified.
 * @param before null for an object that is new, `after` for one that is gone
 */
export async function findMatches(index: ConditionIndex, before: State | null, after: State | null): Promise<Match[]> {
  const found: Match[] = []
  let [tested, steps, costly] = [0, 0, 0]
  let began = performance.now()
  for (const query of index.candidates(before?.object ?? null, after?.object ?? null)) {
    const needed = Math.max(stepsFor(query, before), stepsFor(query, after))
    const isCostly = needed > COSTLY
    if (needed > MAX_STEPS || (isCostly && costly > MAX_COSTLY_STEPS)) continue
    const met = isMetBy(query, before)
    if (isCostly) await nextTurn()
    const meets = isMetBy(query, after)
    if (met || meets) found.push({ query, before: met, after: meets })
    if (isCostly) costly += 2 * needed
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

/** What a test takes. By the length of the object it is known at once, and mostly little. */
function stepsFor({ where, effort }: LiveQuery, state: State | null): number {
  if (state === null) return 0
  const atMost = effort * state.length
  return atMost <= COSTLY ? atMost : stepsOf(where, state.object)
}

function isMetBy({ where }: LiveQuery, state: State | null): boolean {
  return state !== null && matches(where, state.object)
}
