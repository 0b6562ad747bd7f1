/** The requests of honest clients per second. */
export const RATES = { get: 60, query: 30, chat: 10, login: 2 } as const
export type Kind = keyof typeof RATES

/** Latencies of one kind in milliseconds, ascending; failures count with their duration or the timeout. */
export interface Observed {
  readonly latencies: readonly number[]
  readonly failures: number
}

export type Observation = Readonly<Record<Kind, Observed>> & {
  /** The first failures as text. */
  readonly faults: readonly string[]
}
