import { percentile } from '../statistics.ts'
import type { Kind, Observation, Observed } from './probe.ts'
import type { Usage } from './usage.ts'

/** Of honest reads: at most so many times as long as without the attack, or so many milliseconds. */
const MAX_RATIO = 5
const MAX_MILLISECONDS = 100
/** Bytes of the server. */
const MAX_MEMORY = 512 * 1024 * 1024

export interface Outcome {
  readonly name: string
  readonly what: string
  readonly before: Observation
  readonly during: Observation
  readonly usage: Usage
  /** How the server ended; null when it lives. */
  readonly end: number | string | null
  /** Milliseconds until it answers at once again; null when it did not in the time it was given. */
  readonly recovery: number | null
  /** What the attacker got, and how often. */
  readonly tally: readonly (readonly [string, number])[]
}

const READS: readonly Kind[] = ['get', 'query']

/** The 99th percentile in milliseconds of what was asked in these ways. */
export function p99(observation: Observation, kinds: readonly Kind[] = READS): number {
  const all = kinds.flatMap((kind) => observation[kind].latencies).sort((left, right) => left - right)
  return percentile(all, 0.99)
}

export function failures(observation: Observation): number {
  return Object.values(observation).reduce(
    (sum: number, observed: Observed | readonly string[]) => sum + ('failures' in observed ? observed.failures : 0),
    0,
  )
}

/** What of the bar was missed; empty when it held. */
export function faultsOf({ before, during, usage, end, recovery }: Outcome): readonly string[] {
  const without = p99(before)
  const under = p99(during)
  const readFailures = READS.reduce((sum, kind) => sum + during[kind].failures, 0)
  return [
    ...(end === null ? [] : [`the server ended with ${end}`]),
    ...(under > Math.max(MAX_RATIO * without, MAX_MILLISECONDS) ? ['slow reads'] : []),
    ...(readFailures > 0 ? [`${readFailures} reads failed`] : []),
    ...(usage.server > MAX_MEMORY ? ['memory'] : []),
    ...(recovery === null ? ['did not recover'] : []),
  ]
}
