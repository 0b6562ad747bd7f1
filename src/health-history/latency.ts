/** Upper bounds of the latency groups in seconds. One more group follows for slower requests. */
export const LATENCY_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] as const

/**
 * Returns the latency that a share of the requests stays within. Requests are assumed to be spread evenly inside a group.
 * @param counts requests by group, one more than there are bounds
 * @param share 0 to 1: 0.5 is the median
 * @returns milliseconds; null when there were no requests
 */
export function quantile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const wanted = total * share
  let passed = 0
  for (const [group, count] of counts.entries()) {
    if (count > 0 && passed + count >= wanted) {
      const from = LATENCY_BOUNDS[group - 1] ?? 0
      const to = LATENCY_BOUNDS[group] ?? from
      return 1000 * (from + ((to - from) * (wanted - passed)) / count)
    }
    passed += count
  }
  return 1000 * LATENCY_BOUNDS.at(-1)!
}
