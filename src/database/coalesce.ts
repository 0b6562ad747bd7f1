import type { Principal } from '../scheduling/principal.ts'

/** What became of one item. */
export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown }

export interface CoalesceOptions {
  /** Runs that may be under way at the same time. */
  readonly atOnce: number
  /** Most items of one run; where more wait, addresses take turns. */
  readonly size: number
  /**
   * Milliseconds between the beginnings of two runs that are not full, for work that may wait so that more of it is done
   * together; 0 unless given.
   */
  readonly interval?: number
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly principal: Principal | undefined
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Does work together that arrives together. Items that come in while `atOnce` runs are under way wait and make up the next
 * run. An item that comes alone is run at once.
 * @param run does the work for all items and says for each, in order, what became of it; if it throws, all items fail.
 *   `principal` is that of the items; undefined when they are of several addresses
 */
export function coalesce<Item, Result>(
  run: (items: readonly Item[], principal: Principal | undefined) => Promise<readonly Outcome<Result>[]>,
  { atOnce, size, interval = 0 }: CoalesceOptions,
): (item: Item, principal?: Principal) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  let running = 0
  let scheduled = false
  /** Until a run that is not full may begin. */
  let pause: NodeJS.Timeout | undefined
  let began = Number.NEGATIVE_INFINITY

  const begin = () => {
    scheduled = false
    pause = undefined
    if (waiting.length > 0 && running < atOnce) void start()
  }
  const schedule = () => {
    const isFull = waiting.length >= size
    if ((scheduled && !(pause && isFull)) || running >= atOnce) return
    scheduled = true
    clearTimeout(pause)
    pause = undefined
    const early = interval === 0 || isFull ? 0 : began + interval - performance.now()
    if (early > 0) pause = setTimeout(begin, early)
    // Not before the other requests that this turn of the event loop brings have been read.
    else setImmediate(begin)
  }
  const start = async () => {
    const batch = waiting.length > size ? inTurns(waiting, size) : waiting
    waiting = waiting.length > size ? without(waiting, batch) : []
    running++
    if (interval > 0) began = performance.now()
    if (waiting.length > 0) schedule()
    try {
      const outcomes = await run(
        batch.map(({ item }) => item),
        commonPrincipal(batch),
      )
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
  return (item, principal) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, principal, resolve, reject })
      schedule()
    })
}

type Charged = { readonly principal: Principal | undefined }

/** Some of those who wait: the first of each address, then the second of each, and so on. */
function inTurns<Item extends Charged>(waiting: readonly Item[], size: number): Item[] {
  const rows = new Map<string, Item[]>()
  for (const item of waiting) {
    const address = item.principal?.address ?? ''
    const row = rows.get(address)
    if (row) row.push(item)
    else rows.set(address, [item])
  }
  const chosen: Item[] = []
  for (let round = 0; chosen.length < size; round++) {
    for (const row of rows.values()) {
      if (round < row.length && chosen.length < size) chosen.push(row[round]!)
    }
  }
  return chosen
}

function without<Item>(all: readonly Item[], some: readonly Item[]): Item[] {
  const left = new Set(all)
  for (const item of some) left.delete(item)
  return [...left]
}

/** Returns the principal charged for a run, which goes on when the client of one of several items disconnects. */
function commonPrincipal([first, ...others]: readonly Charged[]): Principal | undefined {
  const principal = first?.principal
  if (!principal || others.length === 0) return principal
  if (others.some((other) => other.principal?.address !== principal.address)) return undefined
  const { app, address, user } = principal
  return { app, address, user: others.every((other) => other.principal?.user === user) ? user : '' }
}
