import { percentile } from '../statistics.ts'
import type { Kind, Observation, Observed } from './probe.ts'
import type { Usage } from './usage.ts'

/** Limits for honest reads: a multiple of the time without the attack, or milliseconds. */
const MAX_RATIO = 5
const MAX_MILLISECONDS = 100
/** Maximum memory of the server in bytes. */
const MAX_MEMORY = 512 * 1024 * 1024

export interface Outcome {
  readonly name: string
  readonly what: string
  readonly before: Observation
  readonly during: Observation
  readonly usage: Usage
  /** The exit code or signal of the server; null while it runs. */
  readonly end: number | string | null
  /** Milliseconds until it responds quickly again; null after the timeout. */
  readonly recovery: number | null
  /** The results of the attacker, with their number. */
  readonly tally: readonly (readonly [string, number])[]
}

const READS: readonly Kind[] = ['get', 'query']

/** Returns the 99th percentile of these kinds in milliseconds. */
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

/** Returns the exceeded limits; empty when there are none. */
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
