import type { Principal } from '../scheduling/principal.ts'

/** The result or error of one item. */
export type Outcome<Result> = { readonly result: Result } | { readonly error: unknown }

export interface CoalesceOptions {
  /** Maximum number of concurrent runs. */
  readonly atOnce: number
  /** Maximum items in one run. When more wait, addresses are served round robin. */
  readonly size: number
  /**
   * Milliseconds between the starts of two runs that are not full, for work that may be delayed so that more items share a run; 0
   * when omitted.
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
 * Batches items that arrive together. Items that arrive while `atOnce` runs are in progress wait and form the next run. A single
 * item runs at once.
 * @param run processes all items and returns the outcome of each, in order; if it throws, all items fail. `principal` is that of
 * the items; undefined when they come from several addresses
 */
export function coalesce<Item, Result>(
  run: (items: readonly Item[], principal: Principal | undefined) => Promise<readonly Outcome<Result>[]>,
  { atOnce, size, interval = 0 }: CoalesceOptions,
): (item: Item, principal?: Principal) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  let running = 0
  let scheduled = false
  /** Timer until a run that is not full may start. */
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
    // Starts after the other requests of this iteration of the event loop have been read.
    else setImmediate(begin)
  }
  const start = async () => {
    const batch = waiting.length > size ? roundRobin(waiting, size) : waiting
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

/** Returns `size` of the waiting items: the first of each address, then the second of each, and so on. */
function roundRobin<Item extends Charged>(waiting: readonly Item[], size: number): Item[] {
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

/** Returns the principal charged for a run. A run of several items continues when the client of one of them disconnects. */
function commonPrincipal([first, ...others]: readonly Charged[]): Principal | undefined {
  const principal = first?.principal
  if (!principal || others.length === 0) return principal
  if (others.some((other) => other.principal?.address !== principal.address)) return undefined
  const { app, address, user } = principal
  return { app, address, user: others.every((other) => other.principal?.user === user) ? user : '' }
}
