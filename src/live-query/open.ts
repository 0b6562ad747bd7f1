import type { Bus } from '../bus/bus.ts'
import type { Log } from '../log.ts'
import type { ObjectStore } from '../objects/store.ts'
import { startHousekeeping } from './housekeeping.ts'
import { KnownQueries } from './known-queries.ts'
import type { LiveQueries } from './live-queries.ts'
import { loginNumbers } from './login-numbers.ts'
import { OnlineSubscribers } from './online-subscribers.ts'
import { QueryChangeChannel } from './query-change-channel.ts'
import { type HoldSession, QueryTable } from './query-table.ts'

export interface OpenOptions {
  readonly objects: ObjectStore
  /** Returns the app's master key, which signs the ids of subscribers. */
  readonly secret: () => string
  /** The schema of the app in the database. */
  readonly schema: string
  readonly bus: Bus
  /** Whether this is the only node. */
  readonly alone: boolean
  readonly rolesOf: (userId: string) => Promise<readonly string[]>
  readonly holdSession: HoldSession
  /** Called when a subscriber has subscribed, before the response: it may have logged in without naming its app. */
  readonly subscribed?: (subscriberId: string) => Promise<void>
  readonly log: Log
  readonly now?: () => number
}

/** Opens the live queries of an app, and loads the stored ones. */
export async function openLiveQueries(options: OpenOptions): Promise<LiveQueries> {
  const { objects, secret, schema, bus, alone, rolesOf, holdSession, now = Date.now } = options
  const { subscribed = async () => {} } = options
  const { appId, database } = objects
  const log = options.log.child({ component: 'live queries', app: appId })
  const table = new QueryTable(database, appId, schema, holdSession, log)
  const known = new KnownQueries()
  const changes = new QueryChangeChannel({ appId, bus, alone, known, table, log })
  const online = new OnlineSubscribers({ appId, bus, alone, log })
  const nextNumber = loginNumbers(database)
  const parts = { appId, secret, objects, table, known, changes, online, log, rolesOf, nextNumber, subscribed, now }
  try {
    await changes.open()
  } catch (error) {
    changes.stop()
    online.stop()
    throw error
  }
  const stopHousekeeping = startHousekeeping(parts)
  const stop = () => {
    stopHousekeeping()
    changes.stop()
    online.stop()
  }
  return { ...parts, stop }
}
