import type { Principal } from '../../scheduling/principal.ts'
import type { Origin } from './origin.ts'

/** The author of a call, for permission checks. */
export interface Caller {
  /** Whether the master key was used: no permissions are checked (protocol/conventions, Authentication). */
  readonly master: boolean
  /** Id of the user whose session token came with the call. */
  readonly userId: string | null
  /** The ACL keys that apply to this caller: the user's id and `role:<name>` for each of its roles. */
  readonly grants: readonly string[]
  /** Set for a master caller with read-only access: credentials such as session tokens are hidden from it. */
  readonly looksOnly?: boolean
  /** The origin of the call. Operations of the server itself have none, and run no hooks. */
  readonly origin?: Origin
}

export const MASTER: Caller = { master: true, userId: null, grants: [] }

/** Returns whether a caller may see credentials of users and devices, and query by them. */
export function seesSecrets({ master, looksOnly = false }: Caller): boolean {
  return master && !looksOnly
}

/** Returns the server as a caller that reads, charged to a principal. Not for writes: an origin makes them call hooks. */
export function masterFor(principal: Principal): Caller {
  const origin = { production: true, clientAddress: undefined, fromCloudCode: false, ignored: NO_HOOKS, principal }
  return { ...MASTER, origin }
}

const NO_HOOKS: ReadonlySet<never> = new Set()

export const ANONYMOUS: Caller = { master: false, userId: null, grants: [] }
