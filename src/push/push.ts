import type { Counts } from '../counts.ts'
import type { Database } from '../database/pool.ts'
import { identifier, type Sql } from '../database/sql.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Log } from '../log.ts'
import type { ObjectStore } from '../objects/store.ts'
import type { ProviderName } from './providers/all.ts'
import type { Notification, Provider } from './providers/provider.ts'
import type { PushSettings } from './push-settings.ts'

/** Class of the devices. */
export const INSTALLATION = '_Installation'

/** The pushes of one app: the context of all functions in this folder. */
export interface Push {
  readonly appId: string
  readonly database: Database
  readonly objects: ObjectStore
  readonly tables: PushTables
  readonly jobs: Jobs
  readonly providers: Providers
  readonly builtIn: BuiltInChannel
  /** Counts devices by channel and outcome. */
  readonly counts?: Counts
  readonly log: Log
  settings(): PushSettings
}

/** The providers for which the app has credentials. */
export interface Providers {
  /** Whether there are credentials of any vendor. Without them, devices with vendors use the built-in push channel. */
  readonly hasVendors: boolean
  /** Returns a provider. @returns null without credentials for it */
  find(name: ProviderName, profile: string | null): Provider | null
  close(): void
}

/** The built-in push channel: Android devices over their connections to Homeport. */
export interface BuiltInChannel {
  /**
   * Stores a message for each device until it is acknowledged or expires, and delivers it to connected devices on any node.
   * Devices that already have a message of the same push are skipped.
   */
  send(notification: Notification, installationIds: readonly string[]): Promise<void>
}

export interface PushTables {
  readonly records: Sql
  readonly pushes: Sql
  readonly pages: Sql
  readonly givenUp: Sql
  readonly requests: Sql
  readonly contents: Sql
  readonly messages: Sql
  readonly logins: Sql
  readonly deadTokens: Sql
}

export function pushTables(schema: string): PushTables {
  const table = (name: string) => identifier(schema, name)
  return {
    records: table('$push_records'),
    pushes: table('$pushes'),
    pages: table('$push_pages'),
    givenUp: table('$push_given_up'),
    requests: table('$push_requests'),
    contents: table('$push_contents'),
    messages: table('$push_messages'),
    logins: table('$push_logins'),
    deadTokens: table('$dead_tokens'),
  }
}

export function installationTable({ objects }: Push): Sql {
  return objects.classes.get(INSTALLATION)!.table
}
