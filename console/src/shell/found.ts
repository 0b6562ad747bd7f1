/** A searchable entry. */
export interface Findable {
  /** Matched by any part of it */
  readonly label: string
  /** Matched only by prefix: random IDs contain almost any short text. */
  readonly also?: readonly string[]
}

export interface Group<T extends Findable> {
  readonly heading: string
  readonly entries: readonly T[]
}

/** @returns the matches of a text, each group sorted by relevance, and the group with the best match first */
export function found<T extends Findable>(text: string, groups: readonly Group<T>[]): Group<T>[] {
  const needle = text.trim().toLowerCase()
  if (needle === '') return groups.filter(({ entries }) => entries.length > 0)
  return groups
    .map(({ heading, entries }) => {
      const rated = entries
        .map((entry) => ({ entry, rate: likeness(needle, entry) }))
        .filter(({ rate }) => rate > 0)
        .sort((a, b) => b.rate - a.rate)
      return { heading, entries: rated.map(({ entry }) => entry), best: rated[0]?.rate ?? 0 }
    })
    .filter(({ best }) => best > 0)
    .sort((a, b) => b.best - a.best)
    .map(({ heading, entries }) => ({ heading, entries }))
}

/** @returns 0: no match */
function likeness(needle: string, { label, also = [] }: Findable): number {
  const name = label.toLowerCase()
  if (name === needle) return 4
  if (name.startsWith(needle)) return 3
  if (name.includes(` ${needle}`)) return 2
  if (name.includes(needle) || also.some((other) => other.toLowerCase().startsWith(needle))) return 1
  return 0
}
