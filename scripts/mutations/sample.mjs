/** SQL contains most rules and has few mutants; a number is often a size that no test can detect. */
const WEIGHTS = { sql: 3, number: 0.5 }

/**
 * Selects random mutants, each at most once. The same seed selects the same ones of the same sources.
 * @template {{ operator: string }} T
 * @param {readonly T[]} mutants
 * @param {number} count
 * @param {number} seed
 * @returns {T[]} in random order, so that a prefix is a sample too
 */
export function sample(mutants, count, seed) {
  const random = generator(seed)
  const keyed = mutants.map((mutant) => ({
    mutant,
    // The largest keys are a weighted sample without replacement (Efraimidis and Spirakis).
    key: random() ** (1 / (WEIGHTS[mutant.operator] ?? 1)),
  }))
  const chosen = keyed.sort((one, other) => other.key - one.key).slice(0, count)
  return chosen.map(({ mutant }) => mutant)
}

/** Returns a generator of numbers from 0 to 1 (mulberry32). */
function generator(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
