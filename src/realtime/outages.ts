import type { Bus } from '../bus/bus.ts'
import type { Directory } from '../bus/directory.ts'
import { recur } from '../jobs/recurring.ts'
import type { Log } from '../log.ts'
import type { Messaging } from '../messaging/messaging.ts'
import { repeatKicks } from '../messaging/sessions/kick-client.ts'
import { settleTags } from './tags.ts'

/** For so long, in milliseconds, nodes may have missed something before one of them noticed. */
const UNNOTICED = 60_000
/** How often it is looked whether there is something to make up for, in milliseconds. */
const INTERVAL = 1000

export interface OutageOptions {
  readonly bus: Bus
  readonly directory: Directory
  /** The messaging of all apps at work. */
  readonly apps: () => readonly Messaging[]
  readonly log: Log
}

/**
 * When nodes hear each other again, does what could not be done while they did not: ends sessions that were kicked or
 * that have lost their tag. @returns ends it
 */
export function makeUpForOutages({ bus, directory, apps, log }: OutageOptions): () => void {
  /** When the outage began that is to be made up for, in milliseconds. */
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
