/** What honest clients do, and how often a second. */
export const RATES = { get: 60, query: 30, chat: 10, login: 2 } as const
export type Kind = keyof typeof RATES

/** Latencies of one kind in milliseconds, ascending; what failed counts with the time that it took, or the patience. */
export interface Observed {
  readonly latencies: readonly number[]
  readonly failures: number
}

export type Observation = Readonly<Record<Kind, Observed>> & {
  /** The first failures in words. */
  readonly faults: readonly string[]
}
