import { forgetLogins } from '../../accounts/users/forget-logins.ts'
import { boolean, type Decoder, number, rowDecoder, text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { raw, type Sql, sql, toQuery } from '../../database/sql.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import { noteWrite } from '../../objects/store.ts'
import type { Differences, PulledId, PulledPart, Removed } from '../pulled.ts'
import type { ImportApp } from './import-app.ts'
import { numberOfPart, type PulledTables, pulledTables } from './pulled-rows.ts'

/** Returns how many ids the last comparison did not find at the source, and how many ids pulls have written. */
export async function findDifferences(app: ImportApp, of: PulledPart): Promise<Differences> {
  const tables = pulledTables(app)
  const { database, relations } = app.objects
  const part = await numberOfPart(database, tables, of)
  const known =
    of.field === null
      ? sql`SELECT count(*) FROM ${tables.objects} WHERE part = ${part}::integer`
      : sql`
        SELECT count(*) FROM ${relations}
        WHERE owner_class = ${of.className} AND field = ${of.field} AND pulled_by = ${part}::integer`
  const query = toQuery(sql`
    SELECT (SELECT count(*) FROM ${tables.missing} WHERE part = ${part}::integer) AS missing, (${known}) AS known`)
  // Counting ten million rows exceeds the statement timeout.
  const client = await database.dedicated('background')
  try {
    const { rows } = await client.query(query.text, query.values)
    return decodeDifferences(rows[0])
  } finally {
    await client.end()
  }
}

const decodeDifferences: Decoder<Differences> = rowDecoder({ missing: number('missing'), known: number('known') })

/** Returns ids that the last comparison did not find, ordered. @param max maximum number of ids */
export async function findMissing(app: ImportApp, of: PulledPart, max: number): Promise<PulledId[]> {
  const tables = pulledTables(app)
  const { database } = app.objects
  const part = await numberOfPart(database, tables, of)
  const rows = await database.query(sql`
    SELECT owner_id, id FROM ${tables.missing}
    WHERE part = ${part}::integer
    ORDER BY owner_id, id
    LIMIT ${max}::integer`)
  const ids = rowDecoder({ owningId: of.field === null ? () => null : text('owner_id'), id: text('id') })
  return rows.map(ids)
}

/**
 * Removes objects or members that a comparison found missing at the source, unless they were changed here later, and clears the
 * mark of those that the source still has. No hook, live query or push is triggered.
 * @param missing ids to remove; ids not recorded as missing are kept
 * @param found ids that the source has after all
 */
export async function removeMissing(
  app: ImportApp,
  of: PulledPart,
  missing: readonly PulledId[],
  found: readonly PulledId[],
): Promise<Removed> {
  const { database } = app.objects
  const schema = await app.objects.classes.lookUp(of.className)
  if (!schema) return { removed: 0, kept: [] }
  const tables = pulledTables(app)
  const removed = await database.transaction(async (transaction) => {
    const part = await numberOfPart(transaction, tables, of)
    await transaction.query(sql`
      DELETE FROM ${tables.missing} AS missing
      USING ${given(found)}
      WHERE missing.part = ${part}::integer AND missing.owner_id = given.owner_id AND missing.id = given.id`)
    if (of.field !== null) return removeMembers(transaction, app, tables, part, of.className, of.field, missing)
    return removeObjects(transaction, app, tables, part, schema, missing)
  })
  noteWrite(app.objects, of.className)
  return removed
}

function given(ids: readonly PulledId[]): Sql {
  return sql`unnest(
    ${ids.map(({ owningId }) => owningId ?? '')}::text[], ${ids.map(({ id }) => id)}::text[]
  ) AS given (owner_id, id)`
}

function deleteMissing(tables: PulledTables, part: number, ids: readonly PulledId[]): Sql {
  return sql`
    DELETE FROM ${tables.missing} AS missing
    USING ${given(ids)}
    WHERE missing.part = ${part}::integer AND missing.owner_id = given.owner_id AND missing.id = given.id
    RETURNING missing.owner_id, missing.id`
}

async function removeObjects(
  transaction: Executor,
  { objects, accounts }: ImportApp,
  tables: PulledTables,
  part: number,
  schema: ClassSchema,
  ids: readonly PulledId[],
): Promise<Removed> {
  const fields = schema.relationFields.map(({ name }) => name)
  const members = sql`, members AS (
    DELETE FROM ${objects.relations} AS relation
    USING removed
    WHERE relation.owner_class = ${schema.name} AND relation.field = ANY(${fields}::text[])
      AND relation.owner_id = removed.id
  )`
  const rows = await transaction.query(sql`
    WITH requested AS (${deleteMissing(tables, part, ids)}), removed AS (
      DELETE FROM ${schema.table} AS object
      USING requested, ${tables.objects} AS known
      WHERE object.id = requested.id AND known.part = ${part}::integer AND known.id = requested.id
        AND object.updated_at <= known.updated_at
      RETURNING object.id
    ), forgotten AS (
      DELETE FROM ${tables.objects} AS known
      USING removed
      WHERE known.part = ${part}::integer AND known.id = removed.id
    )${fields.length > 0 ? members : raw('')}
    SELECT object.id, removed.id IS NOT NULL AS is_removed
    FROM requested
    JOIN ${schema.table} AS object ON object.id = requested.id
    LEFT JOIN removed ON removed.id = requested.id`)
  const isRemoved = boolean('is_removed')
  const removed = rows.filter(isRemoved).map(text('id'))
  if (schema.name === '_User') {
    for (const id of removed) await forgetLogins(accounts, transaction, id)
    transaction.afterCommit(() => {
      for (const id of removed) void accounts.sessions.forget(id)
    })
  }
  const kept = rows.filter((row) => !isRemoved(row)).map(text('id'))
  return { removed: removed.length, kept }
}

async function removeMembers(
  transaction: Executor,
  { objects }: ImportApp,
  tables: PulledTables,
  part: number,
  className: string,
  field: string,
  ids: readonly PulledId[],
): Promise<Removed> {
  const rows = await transaction.query(sql`
    WITH requested AS (${deleteMissing(tables, part, ids)})
    DELETE FROM ${objects.relations} AS relation
    USING requested
    WHERE relation.owner_class = ${className} AND relation.field = ${field}
      AND relation.owner_id = requested.owner_id AND relation.related_id = requested.id
      AND relation.pulled_by = ${part}::integer
    RETURNING relation.related_id`)
  return { removed: rows.length, kept: [] }
}
