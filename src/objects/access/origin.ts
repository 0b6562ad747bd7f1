import type { Principal } from '../../scheduling/principal.ts'

/** The hooks that cloud code may define for writes of a class (protocol/cloud-code, When they run). */
export const CLASS_HOOKS = [
  'beforeSave',
  'afterSave',
  'beforeUpdate',
  'afterUpdate',
  'beforeDelete',
  'afterDelete',
] as const
export type ClassHook = (typeof CLASS_HOOKS)[number]

/** The origin of a call, as needed for hooks. */
export interface Origin {
  /** If false, hooks run on the staging engine. */
  readonly production: boolean
  /** IP address of the client. */
  readonly clientAddress: string | undefined
  /** Whether the call came with the right hook key, so that it was made by the app's cloud code. */
  readonly fromCloudCode: boolean
  /** The hooks that are not called for this write. */
  readonly ignored: ReadonlySet<ClassHook>
  /**
   * Returns the URL at which the client reaches the server, without a trailing slash, for links shown only to this client. Few
   * requests need it.
   */
  readonly baseUrl?: (() => string) | undefined
  /** The principal charged for the call; the app when omitted. */
  readonly principal?: Principal
}

/**
 * Returns the principal charged for a call of cloud code: none if cloud code caused it, because its own caller already waits for
 * it.
 */
export function principalOf({ fromCloudCode, principal }: Origin): Principal | undefined {
  return fromCloudCode ? undefined : principal
}
