import type { Bus } from '../bus/bus.ts'
import type { Directory } from '../bus/directory.ts'
import { recur } from '../jobs/recurring.ts'
import type { Log } from '../log.ts'
import type { Messaging } from '../messaging/messaging.ts'
import { repeatKicks } from '../messaging/sessions/kick-client.ts'
import { settleTags } from './tags.ts'

/** Maximum time that an outage may last before a node detects it, in milliseconds. */
const UNNOTICED = 60_000
/** How often to check whether an outage has ended, in milliseconds. */
const INTERVAL = 1000

export interface OutageOptions {
  readonly bus: Bus
  readonly directory: Directory
  /** Returns the messaging of all running apps. */
  readonly apps: () => readonly Messaging[]
  readonly log: Log
}

/**
 * Catches up when the nodes are connected again after an outage: ends sessions that were kicked or that have lost their tag.
 * @returns a function that stops it
 */
export function makeUpForOutages({ bus, directory, apps, log }: OutageOptions): () => void {
  /** The beginning of the outage to catch up on, in milliseconds. */
  let since = bus.connected ? null : Date.now() - UNNOTICED
  let gaps = 0
  const unsubscribe = bus.onGap(() => {
    gaps++
    since ??= Date.now() - UNNOTICED
  })
  const makeUp = async () => {
    if (since === null || !bus.connected || !directory.connected) return
    const before = gaps
    for (const messaging of apps()) {
      await repeatKicks(messaging, since)
      await settleTags(messaging, directory)
    }
    if (gaps === before) since = null
  }
  const end = recur(makeUp, {
    delay: INTERVAL,
    interval: INTERVAL,
    failed: (error) =>
      log.child({ component: 'realtime' }).warn({ error }, 'an outage is not made up for yet; trying on'),
  })
  return () => {
    unsubscribe()
    end()
  }
}
