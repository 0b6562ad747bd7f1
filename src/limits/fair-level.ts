/**
 * Returns how much each principal may use so that all together use no more than there is: the largest level for which the sum
 * of what is wanted, each cut at the level, fits. Principals that want less keep all of it, and what they leave goes to the
 * others (max-min fairness). Where everything fits, the one that wants the most may have what is left besides.
 * @param wanted what each principal wants
 * @param available what all together may use
 */
export function fairLevel(wanted: Iterable<number>, available: number): number {
  const ascending = [...wanted].sort((left, right) => left - right)
  let left = available
  for (const [index, amount] of ascending.entries()) {
    const level = left / (ascending.length - index)
    if (amount > level) return Math.max(0, level)
    left -= amount
  }
  return (ascending.at(-1) ?? 0) + left
}
