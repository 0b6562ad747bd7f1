/**
 * How many cases a property is tried with, and which: the same ones in each run of `npm test`, so that a run says the same
 * twice, and fresh ones in `npm run fuzz` (scripts/fuzz.mjs), which sets these variables.
 */
const SEED = Number(process.env.HOMEPORT_FUZZ_SEED ?? 20261122)
const TIMES = Number(process.env.HOMEPORT_FUZZ_TIMES ?? 1)

/** The settings of `fc.assert` for a property that is usually tried `count` times. */
export const runs = (count: number) => ({ numRuns: count * TIMES, seed: SEED })

/** A time that is enough for the usual number of runs, for as many as there are now. Milliseconds. */
export const timeFor = (usual: number) => usual * TIMES

/** For properties whose runs take long: a smaller example of a failure is not searched for ever. Milliseconds. */
export const bounded = (limit: number) => ({ interruptAfterTimeLimit: timeFor(limit) })
