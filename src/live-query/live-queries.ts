import type { Log } from '../log.ts'
import type { ObjectStore } from '../objects/store.ts'
import type { KnownQueries } from './known-queries.ts'
import type { OnlineSubscribers } from './online-subscribers.ts'
import type { QueryChangeChannel } from './query-change-channel.ts'
import type { QueryTable } from './query-table.ts'

/** The live queries of one app: the context of all their functions. */
export interface LiveQueries {
  readonly appId: string
  /** Returns the app's master key, which signs the subscriber ids that the server makes. */
  secret(): string
  readonly objects: ObjectStore
  readonly table: QueryTable
  readonly known: KnownQueries
  readonly changes: QueryChangeChannel
  readonly online: OnlineSubscribers
  readonly log: Log
  /** Returns the current names of the roles of a user. */
  rolesOf(userId: string): Promise<readonly string[]>
  /** Returns the next number of a login or of a subscription as a user; see `loginNumbers`. */
  nextNumber(): Promise<number>
  /** Called when a subscriber has subscribed: it may have logged in without naming its app. */
  subscribed(subscriberId: string): Promise<void>
  /** Milliseconds since the epoch. */
  now(): number
  /** Stops all background work. */
  stop(): void
}
