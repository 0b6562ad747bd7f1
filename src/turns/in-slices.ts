import { FairTurns } from './fair-turns.ts'
import type { Party } from './party.ts'

/** Milliseconds of work that a job does at once, and of each of its further slices. */
const FIRST_MS = 1
const SLICE_MS = 3

/**
 * For work of requests. One slot for the process, as there is one event loop. It stays taken after a slice for as long as
 * the slice was: all such work together has at most half of the event loop.
 */
const REQUESTS = new FairTurns({
  places: 1,
  waiting: { atAddress: 100, ofApp: 1000, inAll: 1000 },
  patience: 20_000,
})

/** For work that no request waits for: it is never refused. */
export const BACKGROUND = new FairTurns({
  places: 1,
  waiting: { atAddress: Number.POSITIVE_INFINITY, ofApp: Number.POSITIVE_INFINITY, inAll: Number.POSITIVE_INFINITY },
  patience: 2 ** 31 - 1,
})

/**
 * Does long work of the event loop in slices of a few milliseconds, which alternate fairly between principals. Short work
 * is done at once.
 * @param steps yields wherever it can pause: at least each tenth of a millisecond
 * @returns what the steps return
 * @throws ApiError 429 or 503 when too much waits; 499 when the client has disconnected; what the steps throw
 */
export async function inSlices<Result>(
  party: Party,
  steps: Iterator<unknown, Result, undefined>,
  queue: FairTurns = REQUESTS,
): Promise<Result> {
  let slice = sliceOf(steps, FIRST_MS)
  while (!slice.done) {
    slice = await queue.perform(
      party,
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
