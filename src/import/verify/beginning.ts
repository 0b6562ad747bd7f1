import { schemaOf } from '../../apps/apps.ts'
import { date, number } from '../../database/decode-row.ts'
import { identifier, sql, toQuery } from '../../database/sql.ts'
import type { VerifyApp } from './verify-app.ts'

/** What is to be known of an app before it is compared. */
export interface VerifyBeginning {
  /** When the first import into it began: what was made later may have been made here. null: there was none. */
  readonly importedAt: string | null
  /** How many objects the classes that were asked for have. */
  readonly objects: { readonly [className: string]: number }
}

/** @param classes to be counted, which takes its time where they are large */
export async function beginVerification(app: VerifyApp, classes: readonly string[]): Promise<VerifyBeginning> {
  const { database } = app.objects
  const [row] = await database.query(sql`
    SELECT min(created_at)::text AS imported_at FROM ${identifier(schemaOf(app.id), '$imports')}`)
  const objects: Record<string, number> = Object.create(null)
  if (classes.length > 0) {
    const client = await database.dedicated('background')
    try {
      for (const className of classes) {
        const schema = await app.objects.classes.lookUp(className)
        const { rows } = schema
          ? await client.query(toQuery(sql`SELECT count(*) AS objects FROM ${schema.table}`).text)
          : { rows: [{ objects: 0 }] }
        objects[className] = number('objects')(rows[0])
      }
    } finally {
      await client.end()
    }
  }
  return { importedAt: date.orNull('imported_at')(row!), objects }
}
