import { type MigrationState, migrationStates } from '../../database/migrate.ts'
import type { Examination } from '../examination.ts'
import { type Finding, failure, fine, warning } from '../finding.ts'

/** Compares the migrations of the database with those of the program. */
export async function checkMigrations({ database }: Examination): Promise<Finding[]> {
  if (database === null) return []
  const states = await migrationStates(database)
  if (states.length === 0) return [fine('doctorMigrationsNone')]
  const problems = states.flatMap(problemOf)
  return problems.length > 0 ? problems : [fine('doctorMigrations', { number: String(states[0]!.known) })]
}

function problemOf({ appId, applied, known }: MigrationState): Finding[] {
  if (applied === known) return []
  const values = { what: appId ?? 'database', applied: String(applied), known: String(known) }
  return [applied > known ? failure('doctorMigrationsNewer', values) : warning('doctorMigrationsPending', values)]
}
