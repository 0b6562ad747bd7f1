interface Counts {
  /** Processor time, in milliseconds, that the worker had used when its previous test file ended. */
  ended: number
  counts: Record<string, number>
}

const everywhere = globalThis as { homeportTestCosts?: Counts }
everywhere.homeportTestCosts ??= { ended: 0, counts: {} }

/** Counts per worker. Global, because isolated test files load this module again. */
export const costState: Counts = everywhere.homeportTestCosts

/** Counts one expensive thing that the current test file did. */
export function countCost(name: 'servers' | 'apps' | 'databases' | 'browsers'): void {
  costState.counts[name] = (costState.counts[name] ?? 0) + 1
}
