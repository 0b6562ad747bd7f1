import type { Database } from '../database/pool.ts'
import { identifier, type Sql } from '../database/sql.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Log } from '../log.ts'
import type { ObjectStore } from '../objects/store.ts'
import type { ProviderName } from './providers/all.ts'
import type { Notification, Provider } from './providers/provider.ts'
import type { PushSettings } from './push-settings.ts'

/** The class whose objects are the devices. */
export const INSTALLATION = '_Installation'

/** The pushes of one app: what every function of push works on. */
export interface Push {
  readonly appId: string
  readonly database: Database
  readonly objects: ObjectStore
  readonly tables: PushTables
  readonly jobs: Jobs
  readonly providers: Providers
  readonly own: OwnChannel
  readonly log: Log
  settings(): PushSettings
}

/** The providers that the app has credentials for. */
export interface Providers {
  /** Whether there are credentials of any vendor: else devices with vendors are reached over the own channel. */
  readonly hasVendors: boolean
  /** @returns null when there are no credentials for it */
  find(name: ProviderName, profile: string | null): Provider | null
  close(): void
}

/** The way to Android devices over the connection that they keep open to this installation. */
export interface OwnChannel {
  /**
   * Keeps a message for each device until it is acknowledged or expires, and tells the devices that are connected, on
   * whatever node. What a device has of the same push already it gets no second time.
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
