import type { Principal } from '../scheduling/principal.ts'
import type { Unread } from './events.ts'

/** The events that a client has already received when it logs in. Times in milliseconds. */
export interface Absence {
  readonly clientId: string
  /** Limits the lookup to unread states that changed after this time; null for all. */
  readonly unreadSince: number | null
  /** Limits the lookup to messages that changed after this time; null skips changes. */
  readonly patchesSince: number | null
}

/** Which kinds of missed events may exist. */
export interface MissedKinds {
  readonly unread: boolean
  readonly patches: boolean
}

/** Unread states at a point in time, in milliseconds of the database clock. */
export interface UnreadStates {
  readonly at: number
  readonly conversations: readonly Unread[]
}

/** Looks up the events that clients have missed when they log in; see `reading/missed.ts`. */
export interface AbsenceLookup {
  readonly missedKinds: (absence: Absence, principal?: Principal) => Promise<MissedKinds>
  /** Returns the unread states, conversations with the latest messages first. */
  readonly unread: (absence: Omit<Absence, 'patchesSince'>, principal?: Principal) => Promise<UnreadStates>
}
