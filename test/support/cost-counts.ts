interface Counts {
  /** CPU time of the worker at the end of its previous test file, in milliseconds. */
  ended: number
  counts: Record<string, number>
}

const everywhere = globalThis as { homeportTestCosts?: Counts }
everywhere.homeportTestCosts ??= { ended: 0, counts: {} }

/** Counts per worker. Global, because isolated test files reload this module. */
export const costState: Counts = everywhere.homeportTestCosts

/** Counts one expensive operation of the current test file. */
export function countCost(name: 'servers' | 'apps' | 'databases' | 'browsers'): void {
  costState.counts[name] = (costState.counts[name] ?? 0) + 1
}
