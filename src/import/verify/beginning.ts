import { schemaOf } from '../../apps/apps.ts'
import { date, number } from '../../database/decode-row.ts'
import { identifier, sql, toQuery } from '../../database/sql.ts'
import type { VerifyApp } from './verify-app.ts'

/** Facts about an app that a comparison needs before it starts. */
export interface VerifyBeginning {
  /** When the first import into the app began. Later objects may have been created here. null: there was none. */
  readonly importedAt: string | null
  /** Number of objects of the requested classes. */
  readonly objects: { readonly [className: string]: number }
}

/** @param classes the classes to count, which takes long for large ones */
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
