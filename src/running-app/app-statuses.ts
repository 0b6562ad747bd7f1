import { identifier, sql } from '../database/sql.ts'
import type { ObjectStore } from '../objects/store.ts'
import { STATUS, type Statuses, statusTables, tableOf, USER } from '../social/statuses/statuses.ts'
import { StatusSweep } from '../social/statuses/sweep.ts'
import type { AppParts } from './app-parts.ts'

/** The statuses of an app with their background work. */
export interface OpenStatuses extends Statuses {
  readonly sweep: StatusSweep
}

/**
 * Assembles the statuses of an app.
 * @param rolesOf returns the names of a user's roles
 */
export async function openStatuses(
  { apps, database, jobs, log }: Pick<AppParts, 'apps' | 'database' | 'jobs' | 'log'>,
  schema: string,
  objects: ObjectStore,
  rolesOf: Statuses['rolesOf'],
): Promise<OpenStatuses> {
  const { appId } = objects
  const statuses: Statuses = {
    appId,
    database,
    objects,
    tables: statusTables(schema),
    jobs,
    log: log.child({ component: 'statuses', app: appId }),
    rolesOf,
    settings: () => apps.known(appId)!.settings.statuses,
  }
  await attachTrigger(statuses, schema, STATUS, 'note_gone_status')
  await attachTrigger(statuses, schema, USER, 'note_gone_owner')
  return { ...statuses, sweep: new StatusSweep(statuses) }
}

/** Attaches a trigger to a class. The table of the class may be created later than the migration that defines the function. */
async function attachTrigger(statuses: Statuses, schema: string, className: string, name: string): Promise<void> {
  const [there] = await statuses.database.query(sql`
    SELECT 1 AS there
    FROM pg_trigger
    JOIN pg_class ON pg_class.oid = tgrelid
    JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE tgname = ${name} AND nspname = ${schema}`)
  if (there) return
  await statuses.database.query(sql`
    CREATE OR REPLACE TRIGGER ${identifier(name)} AFTER DELETE ON ${tableOf(statuses, className)} FOR EACH ROW
    EXECUTE FUNCTION ${identifier(schema, name)}()`)
}
