import { percentile } from '../statistics.ts'
import type { Outcome } from './crowd.ts'

interface Observed {
  readonly acknowledged: number
  /** Milliseconds for each arrival. */
  readonly latencies: readonly number[]
  readonly began: number
  readonly bytes: number
}

/** Returns the outcome. Must be called when the last message has arrived. */
export function outcomeOf({ acknowledged, latencies, began, bytes }: Observed): Outcome {
  const elapsed = performance.now() - began
  const sorted = Float64Array.from(latencies).sort()
  const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)]
  return { acknowledged, delivered: sorted.length, elapsed, p50, p99, bytes }
}
