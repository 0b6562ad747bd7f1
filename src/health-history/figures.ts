/** What is counted since the process began, and only grows. */
export interface Counted {
  readonly requests: number
  /** Answered with 4XX. */
  readonly refused: number
  /** Answered with 5XX. */
  readonly failed: number
  /** Requests by how long they took (`latency.ts`). */
  readonly latency: readonly number[]
}

/** How a node is at a moment. Sizes in bytes. */
export interface State {
  readonly httpConnections: number
  readonly websockets: number
  /** Statements that wait for a connection to the database. */
  readonly waiting: number
  readonly memory: number
  readonly diskFree: number
  readonly diskTotal: number
}

/** What the database says, whichever node asks it. */
export interface DatabaseFigures {
  /** Jobs that should run by now and do not; counted to `MOST_COUNTED`. */
  readonly dueJobs: number
  /** Jobs that were given up. */
  readonly failedJobs: number
  /** Bytes */
  readonly databaseSize: number
  /** Pages that were found in the memory of the database, and that were not, since it began to count. */
  readonly cacheHits: number
  readonly cacheMisses: number
}

/** Jobs are counted no further. */
export const MOST_COUNTED = 100_000

/** A row of the history: what was counted in the `seconds` before, and how it was then. */
export interface HistoryRow extends Counted, State, DatabaseFigures {
  readonly node: string
  readonly seconds: number
  /** Share of the time in which the event loop had work, 0 to 1. */
  readonly busy: number
}
