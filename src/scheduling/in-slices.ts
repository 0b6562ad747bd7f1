import { FairSemaphore } from './fair-semaphore.ts'
import type { Principal } from './principal.ts'

/** Milliseconds of work in the first slice of a job, and in each further slice. */
const FIRST_MS = 1
const SLICE_MS = 3

/** The queues of long work on the event loop of one process. */
export interface SliceQueues {
  /**
   * For work of requests. It has one slot, because there is one event loop. The slot stays taken after a slice for as long as the
   * slice took, so all such work together uses at most half of the event loop.
   */
  readonly requests: FairSemaphore
  /** For work that no request waits for. It is never refused. */
  readonly background: FairSemaphore
}

export function openSliceQueues(): SliceQueues {
  const unbounded = {
    atAddress: Number.POSITIVE_INFINITY,
    ofApp: Number.POSITIVE_INFINITY,
    inAll: Number.POSITIVE_INFINITY,
  }
  return {
    requests: new FairSemaphore({
      slots: 1,
      waiting: { atAddress: 100, ofApp: 1000, inAll: 1000 },
      timeoutMs: 20_000,
    }),
    background: new FairSemaphore({ slots: 1, waiting: unbounded, timeoutMs: 2 ** 31 - 1 }),
  }
}

/**
 * Runs long work of the event loop in slices of a few milliseconds, which alternate fairly between principals. Short work
 * completes at once.
 * @param steps yields wherever it can pause: at least every tenth of a millisecond
 * @returns the return value of the steps
 * @throws ApiError 429 or 503 when too much work waits; 499 when the client has disconnected; what the steps throw
 */
export async function inSlices<Result>(
  queue: FairSemaphore,
  principal: Principal,
  steps: Iterator<unknown, Result, undefined>,
): Promise<Result> {
  let slice = sliceOf(steps, FIRST_MS)
  while (!slice.done) {
    slice = await queue.run(
      principal,
      async () => sliceOf(steps, SLICE_MS),
      ({ took }) => took,
    )
  }
  return slice.result
}

type Slice<Result> = { readonly took: number } & (
  | { readonly done: true; readonly result: Result }
  | { readonly done: false }
)

function sliceOf<Result>(steps: Iterator<unknown, Result, undefined>, milliseconds: number): Slice<Result> {
  const since = performance.now()
  for (;;) {
    const step = steps.next()
    const took = performance.now() - since
    if (step.done) return { done: true, result: step.value, took }
    if (took >= milliseconds) return { done: false, took }
  }
}
