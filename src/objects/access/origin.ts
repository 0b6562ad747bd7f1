import type { Principal } from '../../scheduling/principal.ts'

/** What cloud code may have for the writes of a class (protocol/cloud-code, When they run). */
export const CLASS_HOOKS = [
  'beforeSave',
  'afterSave',
  'beforeUpdate',
  'afterUpdate',
  'beforeDelete',
  'afterDelete',
] as const
export type ClassHook = (typeof CLASS_HOOKS)[number]

/** Where a call comes from, as far as hooks care. */
export interface Origin {
  /** Else the engine for staging is asked. */
  readonly production: boolean
  /** IP address of the client. */
  readonly clientAddress: string | undefined
  /** The right hook key came with the call: the app's cloud code makes it. */
  readonly fromCloudCode: boolean
  /** The hooks that are left out for this write. */
  readonly ignored: ReadonlySet<ClassHook>
  /** Where the client reaches the server, for links that only it is shown; no trailing slash. Few requests need it. */
  readonly baseUrl?: (() => string) | undefined
  /** The principal charged for it; the app when omitted. */
  readonly principal?: Principal
}

/** Returns the principal charged for a call of cloud code: none where cloud code causes it, whose caller waits for it already. */
export function turnOf({ fromCloudCode, principal }: Origin): Principal | undefined {
  return fromCloudCode ? undefined : principal
}
