/**
 * Returns how much each principal may use so that all together use at most what is available: the largest level at which the sum
 * of the requested amounts, each cut at the level, fits. Principals that request less get all of it, and their remainder goes to
 * the others (max-min fairness). If everything fits, the level is the largest requested amount plus what is left.
 * @param wanted the amounts that the principals request
 * @param available the total that all may use together
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
