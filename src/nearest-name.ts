/**
 * Returns the name that was probably meant by a misspelled one: the one with the fewest inserted, removed, replaced or swapped
 * characters, if these are at most a third of the characters.
 */
export function nearestName(misspelled: string, names: readonly string[]): string | undefined {
  const [nearest] = names
    .map((name) => ({ name, edits: edits(misspelled, name) }))
    .filter(({ name, edits }) => edits <= Math.max(name.length, misspelled.length) / 3)
    .sort((one, other) => one.edits - other.edits)
  return nearest?.name
}

/** Returns the edit distance in which a swap of neighbors is one edit (optimal string alignment). */
function edits(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      let least = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1))
      if (from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1])
        least = Math.min(least, beforeLast[column - 2]! + 1)
      current.push(least)
    }
    beforeLast = last
    last = current
  }
  return last[to.length]!
}
