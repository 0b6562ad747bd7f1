import type { AppRecord } from '../apps/apps.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/pool.ts'
import type { Identity } from './identity.ts'

/** What the checks examine: a configuration, and the parts of it that are open. */
export interface Examination {
  readonly config: Config
  /** The database; null when it could not be opened, which its own check reports. */
  readonly database: Database | null
  /** Why an embedded database was not opened; null when it was, or does not exist yet. */
  readonly notOpened: string | null
  /** The apps in the database; null when they could not be read. */
  readonly apps: readonly AppRecord[] | null
  /** The running server that examines itself; null for a command. */
  readonly server: { readonly identity: Identity; readonly localUrl: string } | null
  /** URL of an HTTP server with a correct clock; null: only the configured servers are compared. */
  readonly clockUrl: string | null
}
