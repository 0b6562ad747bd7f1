/** What became of one item. */
export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown }

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Lets work that arrives together be done together: items that come in while `atOnce` runs are under way wait and make
 * up the next run. One item alone is run at once, so nothing is gained by waiting and nothing is lost.
 * @param run does the work for all items and says for each, in order, what became of it; if it throws, all items fail
 * @param size most items of one run
 */
export function gather<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>,
  { atOnce, size }: { readonly atOnce: number; readonly size: number },
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  let running = 0
  let scheduled = false

  const schedule = () => {
    if (scheduled || running >= atOnce) return
    scheduled = true
    // Not before the other requests that this turn of the event loop brings have been read.
    setImmediate(() => {
      scheduled = false
      if (waiting.length > 0 && running < atOnce) void start()
    })
  }
  const start = async () => {
    const batch = waiting.slice(0, size)
    waiting = waiting.slice(size)
    running++
    if (waiting.length > 0) schedule()
    try {
      const outcomes = await run(batch.map(({ item }) => item))
      batch.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index]!
        if ('error' in outcome) reject(outcome.error)
        else resolve(outcome.result)
      })
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      running--
      if (waiting.length > 0) schedule()
    }
  }
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
}
