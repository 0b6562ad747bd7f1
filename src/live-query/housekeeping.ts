import { recur } from '../jobs/recurring.ts'
import type { LiveQueries } from './live-queries.ts'

const MINUTE = 60_000

/**
 * How long the queries of a subscriber wait for it, in milliseconds, when its connection has ended or it has subscribed
 * without logging in. The clients that subscribe again after a longer absence get the ids that they know.
 */
export const PATIENCE = 10 * MINUTE

/** How often a node says which subscribers are connected to it, and removes those that none has named for too long. */
const INTERVAL = 2 * MINUTE

/**
 * Notes which subscribers are there, and removes those that have been away for too long with their queries, now and then.
 * Every node may do so; when one has died, the others remove what was connected to it.
 * @returns ends it
 */
export function startHousekeeping(live: Omit<LiveQueries, 'stop'>, interval = INTERVAL): () => void {
  return recur(() => keepHouse(live), {
    delay: interval,
    interval,
    failed: (error) => live.log.warn({ error }, 'removing expired live query subscribers failed'),
  })
}

export async function keepHouse(live: Omit<LiveQueries, 'stop'>): Promise<void> {
  const { table, known, online, news, now } = live
  await table.renew(
    [...online.ids].filter((id) => known.ofSubscriber(id).size > 0),
    now(),
  )
  for (;;) {
    const gone = await table.removeUnseen(now() - PATIENCE)
    if (gone.length === 0) return
    await Promise.all(gone.map((id) => news.changed(id)))
  }
}
