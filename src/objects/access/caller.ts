import type { Party } from '../../turns/party.ts'
import type { Origin } from './origin.ts'

/** Who makes a call, as far as permissions care. */
export interface Caller {
  /** The master key was used: no permission is checked (protocol/conventions, Authentication). */
  readonly master: boolean
  /** Id of the user whose session token came with the call. */
  readonly userId: string | null
  /** What an ACL may name to let this caller in: the user's id and `role:<name>` of every role it has. */
  readonly grants: readonly string[]
  /** Where the call comes from; what the server does by itself has none, and runs no hooks. */
  readonly origin?: Origin
}

export const MASTER: Caller = { master: true, userId: null, grants: [] }

/** The server reads for somebody, whose turn that takes. Not for writes: they would ask hooks. */
export function masterFor(party: Party): Caller {
  const origin = { production: true, clientAddress: undefined, fromCloudCode: false, ignored: NO_HOOKS, party }
  return { ...MASTER, origin }
}

const NO_HOOKS: ReadonlySet<never> = new Set()

export const ANONYMOUS: Caller = { master: false, userId: null, grants: [] }
