import type { Principal } from '../../scheduling/principal.ts'
import type { Origin } from './origin.ts'

/** Who makes a call, as far as permissions care. */
export interface Caller {
  /** The master key was used: no permission is checked (protocol/conventions, Authentication). */
  readonly master: boolean
  /** Id of the user whose session token came with the call. */
  readonly userId: string | null
  /** What an ACL may name to let this caller in: the user's id and `role:<name>` of every role it has. */
  readonly grants: readonly string[]
  /** Of a master that only looks on: it is not shown what it could act with, such as session tokens. */
  readonly looksOnly?: boolean
  /** Where the call comes from; what the server does by itself has none, and runs no hooks. */
  readonly origin?: Origin
}

export const MASTER: Caller = { master: true, userId: null, grants: [] }

/** Whether a caller is shown what users and devices prove with who they are, and may ask by it. */
export function seesSecrets({ master, looksOnly = false }: Caller): boolean {
  return master && !looksOnly
}

/** Returns the server as a caller that reads, charged to a principal. Not for writes: they would ask hooks. */
export function masterFor(principal: Principal): Caller {
  const origin = { production: true, clientAddress: undefined, fromCloudCode: false, ignored: NO_HOOKS, principal }
  return { ...MASTER, origin }
}

const NO_HOOKS: ReadonlySet<never> = new Set()

export const ANONYMOUS: Caller = { master: false, userId: null, grants: [] }
