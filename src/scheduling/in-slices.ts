import { FairSemaphore } from './fair-semaphore.ts'
import type { Principal } from './principal.ts'

/** Milliseconds of work that a job does at once, and of each of its further slices. */
const FIRST_MS = 1
const SLICE_MS = 3

/** The queues of long work on the event loop of one process. */
export interface SliceQueues {
  /**
   * For work of requests. One slot, as there is one event loop. It stays taken after a slice for as long as the slice was:
   * all such work together has at most half of the event loop.
   */
  readonly requests: FairSemaphore
  /** For work that no request waits for: it is never refused. */
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
 * Does long work of the event loop in slices of a few milliseconds, which alternate fairly between principals. Short work
 * is done at once.
 * @param steps yields wherever it can pause: at least each tenth of a millisecond
 * @returns what the steps return
 * @throws ApiError 429 or 503 when too much waits; 499 when the client has disconnected; what the steps throw
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
