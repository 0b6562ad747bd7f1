import { identifier, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import { fileRules } from '../files/file-rules.ts'
import type { FileSettings } from '../files/file-settings.ts'
import { type FileHosts, fileUrl } from '../files/file-url.ts'
import { FILE, type Files, fileTables } from '../files/files.ts'
import { lookUpIn } from '../files/look-up.ts'
import { FileSweep } from '../files/sweep.ts'
import type { ClassRules, ObjectStore } from '../objects/store.ts'
import type { AppParts } from './app-parts.ts'

/** The files of an app with their background work. */
export interface OpenFiles extends Files {
  readonly sweep: FileSweep
}

/**
 * Returns the rules of `_File` in an app.
 * @param opened returns the app's files once they are open
 */
export function fileRulesOf(
  parts: Pick<AppParts, 'apps' | 'baseUrl' | 'filesPublicUrl'>,
  id: string,
  opened: () => OpenFiles | undefined,
): ClassRules {
  return fileRules({
    urlOf: (key, caller) => fileUrl(hostsOf(parts, id), id, key, caller, parts.baseUrl()),
    changed: () => opened()?.sweep.wake(),
  })
}

/** Assembles the files of an app. */
export async function openFiles(parts: AppParts, schema: string, objects: ObjectStore): Promise<OpenFiles> {
  const { database, blobs, pictures } = parts
  const { appId, limits } = objects
  await attachTrigger(parts, schema, objects)
  const tables = fileTables(schema)
  const files: Files = {
    appId,
    database,
    objects,
    blobs,
    pictures,
    tables,
    lookUp: lookUpIn(database, tables.files),
    limits,
    log: parts.log.child({ component: 'files', app: appId }),
    settings: () => settingsOf(parts, appId),
    hosts: () => hostsOf(parts, appId),
    loosened: () => sweep.wake(),
  }
  const sweep: FileSweep = new FileSweep(files)
  return { ...files, sweep }
}

function hostsOf(parts: Pick<AppParts, 'apps' | 'filesPublicUrl'>, appId: string): FileHosts {
  return { domain: settingsOf(parts, appId).domain, filesPublicUrl: parts.filesPublicUrl ?? null }
}

/** @throws ApiError 404 when the app was deleted while bytes were being transferred */
function settingsOf({ apps }: Pick<AppParts, 'apps'>, appId: string): FileSettings {
  const app = apps.known(appId)
  if (!app) throw errors.notFound('App not found. It was deleted.')
  return app.settings.files
}

/**
 * Attaches the trigger that deletes bytes with their records, however these are deleted. The table of the class may be
 * created later than the migration.
 */
async function attachTrigger(
  { database }: Pick<AppParts, 'database'>,
  schema: string,
  { classes }: ObjectStore,
): Promise<void> {
  const { table } = classes.get(FILE)!
  const [there] = await database.query(sql`
    SELECT 1 AS there
    FROM pg_trigger
    JOIN pg_class ON pg_class.oid = tgrelid
    JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE tgname = 'forget_bytes' AND nspname = ${schema}`)
  if (there) return
  await database.query(sql`
    CREATE OR REPLACE TRIGGER forget_bytes AFTER DELETE ON ${table} FOR EACH ROW
    WHEN (OLD.data ? 'key') EXECUTE FUNCTION ${identifier(schema, 'forget_bytes_of_file')}()`)
}
