/**
 * The number of property cases and their seed: fixed in `npm test`, so that runs are reproducible, and fresh in `npm run fuzz`
 * (scripts/fuzz.mjs), which sets these variables.
 */
const SEED = Number(process.env.HOMEPORT_TEST_FUZZ_SEED ?? 20261122)
const TIMES = Number(process.env.HOMEPORT_TEST_FUZZ_TIMES ?? 1)

/** Returns the settings of `fc.assert` for a property with `count` cases by default. */
export const runs = (count: number) => ({ numRuns: count * TIMES, seed: SEED })

/** Returns a timeout in milliseconds, scaled from the default number of cases to the current one. */
export const timeFor = (usual: number) => usual * TIMES

/** Limits the search for a smaller failing example of slow properties. Milliseconds. */
export const bounded = (limit: number) => ({ interruptAfterTimeLimit: timeFor(limit) })
