import type { Database } from '../../database/pool.ts'
import { identifier, type Sql } from '../../database/sql.ts'
import type { Jobs } from '../../jobs/jobs.ts'
import type { Log } from '../../log.ts'
import type { ObjectStore } from '../../objects/store.ts'
import type { StatusSettings } from './status-settings.ts'

/** Class of the messages that users post for others. */
export const STATUS = '_Status'
export const USER = '_User'

/** Inbox of statuses for followers and the sender itself. */
export const DEFAULT_INBOX = 'default'
/** Inbox of statuses sent to specific users, which only they can read. */
export const PRIVATE_INBOX = 'private'

/** Maximum statuses of an inbox; older ones are dropped. */
export const INBOX_SIZE = 1000

/** The statuses of one app: the context of all functions in this folder. */
export interface Statuses {
  readonly appId: string
  readonly database: Database
  readonly objects: ObjectStore
  readonly tables: StatusTables
  readonly jobs: Jobs
  readonly log: Log
  rolesOf(userId: string): Promise<readonly string[]>
  settings(): StatusSettings
}

export interface StatusTables {
  readonly inboxes: Sql
  readonly entries: Sql
  readonly fanOuts: Sql
  readonly types: Sql
  readonly deletedStatuses: Sql
  readonly deletedOwners: Sql
}

export function statusTables(schema: string): StatusTables {
  const table = (name: string) => identifier(schema, name)
  return {
    inboxes: table('$inboxes'),
    entries: table('$inbox_entries'),
    fanOuts: table('$fan_outs'),
    types: table('$inbox_types'),
    deletedStatuses: table('$gone_statuses'),
    deletedOwners: table('$gone_owners'),
  }
}

/** Returns the table of a built-in class. */
export function tableOf({ objects }: Pick<Statuses, 'objects'>, className: string): Sql {
  return objects.classes.get(className)!.table
}
