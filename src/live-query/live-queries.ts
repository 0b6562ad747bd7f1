import type { Log } from '../log.ts'
import type { ObjectStore } from '../objects/store.ts'
import type { KnownQueries } from './known-queries.ts'
import type { OnlineSubscribers } from './online-subscribers.ts'
import type { QueryNews } from './query-news.ts'
import type { QueryTable } from './query-table.ts'

/** The live queries of one app: what every function of them works on. */
export interface LiveQueries {
  readonly appId: string
  /** Signs the ids of subscribers that the server makes; the app's master key. */
  secret(): string
  readonly objects: ObjectStore
  readonly table: QueryTable
  readonly known: KnownQueries
  readonly news: QueryNews
  readonly online: OnlineSubscribers
  readonly log: Log
  /** Names of the roles of a user, at this moment. */
  rolesOf(userId: string): Promise<readonly string[]>
  /** The next number of a login or of a subscription as a user; see `loginNumbers`. */
  nextNumber(): Promise<number>
  /** To be called when a subscriber has subscribed: it may have logged in without saying its app. */
  subscribed(subscriberId: string): Promise<void>
  /** milliseconds since the epoch */
  now(): number
  /** Ends all that goes on by itself. */
  stop(): void
}
