import type { Principal } from '../scheduling/principal.ts'
import type { Unread } from './events.ts'

/** What a client that logs in has been told already. Times in milliseconds. */
export interface Absence {
  readonly clientId: string
  /** Only unread states that have changed since; null for all. */
  readonly unreadSince: number | null
  /** Only changes of messages since; null for none. */
  readonly patchesSince: number | null
}

/** Whether there may be something to tell. */
export interface Glance {
  readonly unread: boolean
  readonly patches: boolean
}

/** What is unread at a moment, in milliseconds by the clock of the database. */
export interface UnreadStates {
  readonly at: number
  readonly conversations: readonly Unread[]
}

/** Finds out what clients have missed that log in; see `reading/missed.ts`. */
export interface AbsenceLookup {
  readonly glance: (absence: Absence, principal?: Principal) => Promise<Glance>
  /** What is unread, the conversations with the latest messages first. */
  readonly unread: (absence: Omit<Absence, 'patchesSince'>, principal?: Principal) => Promise<UnreadStates>
}
