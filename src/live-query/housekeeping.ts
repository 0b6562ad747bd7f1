import { recur } from '../jobs/recurring.ts'
import type { LiveQueries } from './live-queries.ts'

const MINUTE = 60_000

/**
 * How long the queries of a subscriber are kept, in milliseconds, after its connection has ended or it has subscribed without
 * logging in. Clients that subscribe again after a longer absence get the same ids.
 */
export const RETENTION_MS = 10 * MINUTE

/** How often a node renews its connected subscribers, and removes expired ones. */
const INTERVAL = 2 * MINUTE

/**
 * Periodically renews connected subscribers, and removes expired ones with their queries. Every node does so; when one has died,
 * the others remove its subscribers.
 * @returns a function that stops it
 */
export function startHousekeeping(live: Omit<LiveQueries, 'stop'>, interval = INTERVAL): () => void {
  return recur(() => keepHouse(live), {
    delay: interval,
    interval,
    failed: (error) => live.log.warn({ error }, 'removing expired live query subscribers failed'),
  })
}

export async function keepHouse(live: Omit<LiveQueries, 'stop'>): Promise<void> {
  const { table, known, online, changes, now } = live
  await table.renew(
    [...online.ids].filter((id) => known.ofSubscriber(id).size > 0),
    now(),
  )
  for (;;) {
    const removed = await table.removeUnseen(now() - RETENTION_MS)
    if (removed.length === 0) return
    await Promise.all(removed.map((id) => changes.changed(id)))
  }
}
