import { schemaOf } from '../../apps/apps.ts'
import { number } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { identifier, type Sql, sql } from '../../database/sql.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import type { PulledPart } from '../pulled.ts'
import type { ImportApp } from './import-app.ts'

/** The tables with the ids that pulls have read. */
export interface PulledTables {
  readonly parts: Sql
  readonly objects: Sql
  readonly missing: Sql
}

export function pulledTables({ id }: Pick<ImportApp, 'id'>): PulledTables {
  const table = (name: string) => identifier(schemaOf(id), name)
  return { parts: table('$pull_parts'), objects: table('$pulled_objects'), missing: table('$missing_at_source') }
}

/** Returns the number of a part, which is assigned at its first use. */
export async function numberOfPart(
  executor: Executor,
  { parts }: PulledTables,
  { source, className, field }: PulledPart,
): Promise<number> {
  const find = sql`
    SELECT number FROM ${parts}
    WHERE source = ${source} AND class_name = ${className} AND field = ${field ?? ''}`
  const [known] = await executor.query(find)
  if (known) return number('number')(known)
  await executor.query(sql`
    INSERT INTO ${parts} (source, class_name, field) VALUES (${source}, ${className}, ${field ?? ''})
    ON CONFLICT DO NOTHING`)
  const [made] = await executor.query(find)
  return number('number')(made!)
}

/** Records that the source has these objects, in this version. Their ids must be distinct. */
export async function noteSeen(
  transaction: Executor,
  app: ImportApp,
  source: string,
  { name }: ClassSchema,
  objects: readonly { readonly id: string; readonly updatedAt: string }[],
): Promise<void> {
  if (objects.length === 0) return
  const tables = pulledTables(app)
  const part = await numberOfPart(transaction, tables, { source, className: name, field: null })
  await transaction.query(sql`
    INSERT INTO ${tables.objects} AS known (part, id, updated_at)
    SELECT ${part}::integer, id, updated_at
    FROM unnest(
      ${objects.map(({ id }) => id)}::text[], ${objects.map(({ updatedAt }) => updatedAt)}::timestamptz[]
    ) AS given (id, updated_at)
    ORDER BY id COLLATE "C"
    ON CONFLICT (part, id) DO UPDATE SET updated_at = excluded.updated_at
    WHERE known.updated_at <> excluded.updated_at`)
}
