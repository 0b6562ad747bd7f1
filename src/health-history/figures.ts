/** Counters of a process since its start. */
export interface Counted {
  readonly requests: number
  /** Responses with 4XX. */
  readonly refused: number
  /** Responses with 5XX. */
  readonly failed: number
  /** Requests by duration (`latency.ts`). */
  readonly latency: readonly number[]
}

/** The current state of a node. Sizes in bytes. */
export interface State {
  readonly httpConnections: number
  readonly websockets: number
  /** Statements waiting for a database connection. */
  readonly waiting: number
  readonly memory: number
  readonly diskFree: number
  readonly diskTotal: number
}

/** Figures of the database, the same on every node. */
export interface DatabaseFigures {
  /** Jobs that are due but not running, at most `MAX_COUNTED`. */
  readonly dueJobs: number
  /** Jobs that failed their last attempt. */
  readonly failedJobs: number
  /** Bytes */
  readonly databaseSize: number
  /** Pages found in the cache of the database, and pages read from disk, since its counters were last reset. */
  readonly cacheHits: number
  readonly cacheMisses: number
}

/** Maximum number of due jobs that are counted. */
export const MAX_COUNTED = 100_000

/** A row of the history: the counts of the last `seconds`, and the state at their end. */
export interface HistoryRow extends Counted, State, DatabaseFigures {
  readonly node: string
  readonly seconds: number
  /** Share of the time in which the event loop had work, 0 to 1. */
  readonly busy: number
}
