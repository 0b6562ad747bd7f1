/** What can be found by typing. */
export interface Findable {
  /** Found by any part of it */
  readonly label: string
  /** Found by their beginnings alone: whatever is typed stands somewhere in an ID of random letters. */
  readonly also?: readonly string[]
}

export interface Group<T extends Findable> {
  readonly heading: string
  readonly entries: readonly T[]
}

/** @returns what a typed text names, each group with its best first, and the group of the best before the others */
export function found<T extends Findable>(text: string, groups: readonly Group<T>[]): Group<T>[] {
  const sought = text.trim().toLowerCase()
  if (sought === '') return groups.filter(({ entries }) => entries.length > 0)
  return groups
    .map(({ heading, entries }) => {
      const rated = entries
        .map((entry) => ({ entry, rate: likeness(sought, entry) }))
        .filter(({ rate }) => rate > 0)
        .sort((a, b) => b.rate - a.rate)
      return { heading, entries: rated.map(({ entry }) => entry), best: rated[0]?.rate ?? 0 }
    })
    .filter(({ best }) => best > 0)
    .sort((a, b) => b.best - a.best)
    .map(({ heading, entries }) => ({ heading, entries }))
}

/** @returns 0: it is not meant */
function likeness(sought: string, { label, also = [] }: Findable): number {
  const name = label.toLowerCase()
  if (name === sought) return 4
  if (name.startsWith(sought)) return 3
  if (name.includes(` ${sought}`)) return 2
  if (name.includes(sought) || also.some((other) => other.toLowerCase().startsWith(sought))) return 1
  return 0
}
