import type { Apps } from '../apps/apps.ts'
import type { Bus } from '../bus/bus.ts'
import type { Log } from '../log.ts'
import type { RunningApps } from '../running-app/running-app.ts'

/** Milliseconds between two checks for changes by other nodes on the same database. */
const FOLLOW_INTERVAL = 3_000

/**
 * Picks up apps, keys, settings and classes that other nodes have changed, also without notification (`AppChangeChannel`). An embedded
 * database has no other nodes.
 */
export function followOtherNodes(apps: Apps, running: RunningApps, bus: Bus, log: Log): () => void {
  const look = () => {
    apps
      .reload()
      .then(() => running.refresh())
      .catch((error: Error) => log.debug({ error: error.message }, 'reading changes of other nodes failed'))
  }
  const timer = setInterval(look, FOLLOW_INTERVAL)
  // Events may have been missed during the gap.
  const stopListening = bus.onGap(look)
  return () => {
    clearInterval(timer)
    stopListening()
  }
}
