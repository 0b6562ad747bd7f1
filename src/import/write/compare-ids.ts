import { number } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { raw, type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import { isJsonObject, type Json, member, parseJson } from '../../values/json.ts'
import { checkObjectId } from '../../values/names.ts'
import type { Batch, Item } from '../batch.ts'
import { type IdRange, MAX_IDS, type PulledPart } from '../pulled.ts'
import type { ImportApp } from './import-app.ts'
import { numberOfPart, pulledTables } from './pulled-rows.ts'
import { type Outcome, readItems } from './read-items.ts'

const NOT_HERE = notice('idOnlyAtSource')

/** Reads a batch of ids of a source. @returns a function that compares them in a transaction */
export async function idWriter(app: ImportApp, { of, items, source }: Batch) {
  const { kind, className } = of
  if (kind !== 'ids' || source === undefined) throw errors.badArgument("A batch of ids must have a 'source'.")
  const { read, refused } = await readItems(items, parseIdRange)
  return async (transaction: Executor): Promise<Outcome> => {
    let existing = 0
    const notes: { item: Item; note: Notice }[] = []
    for (const { item, value } of read) {
      const here = await compareRange(transaction, app, { source, className, field: of.field }, value)
      existing += here
      for (let missing = value.ids.length - here; missing > 0; missing--) notes.push({ item, note: NOT_HERE })
    }
    return { counts: { created: 0, updated: 0, existing }, refused, notes }
  }
}

/** Parses a range of ids from JSON. @throws ApiError 1, 104, 107 that names the fault */
function parseIdRange(text: string): IdRange {
  const line = parseJson(text, notice('theLine'))
  if (!isJsonObject(line)) throw errors.malformedJson(notice('lineNotObject'))
  const ids = member(line, 'ids')
  if (!Array.isArray(ids) || ids.length > MAX_IDS) throw errors.badArgument(notice('idsForm', { maximum: MAX_IDS }))
  return {
    owningId: idOrNull(member(line, 'owningId')),
    after: idOrNull(member(line, 'after')),
    upTo: idOrNull(member(line, 'upTo')),
    ids: ids.map(checkObjectId),
  }
}

function idOrNull(value: Json | undefined): string | null {
  return value === undefined || value === null ? null : checkObjectId(value)
}

/**
 * Records which pulled ids in a range the source no longer has. It replaces what was recorded for the range before.
 * @returns how many of the listed ids are here
 */
async function compareRange(transaction: Executor, app: ImportApp, of: PulledPart, range: IdRange): Promise<number> {
  const tables = pulledTables(app)
  const part = await numberOfPart(transaction, tables, of)
  const owner = range.owningId ?? ''
  const here = await rowsHere(app, of, part, range)
  await transaction.query(sql`
    DELETE FROM ${tables.missing}
    WHERE part = ${part}::integer AND owner_id = ${owner} AND ${within(raw('id'), range)}`)
  if (!here) return 0
  await transaction.query(sql`
    INSERT INTO ${tables.missing} (part, owner_id, id)
    SELECT ${part}::integer, ${owner}::text, id
    FROM (${here.pulled}) AS pulled
    WHERE NOT EXISTS (SELECT FROM unnest(${range.ids}::text[]) AS there (id) WHERE there.id = pulled.id)`)
  const [row] = await transaction.query(sql`
    SELECT count(*)::integer AS listed FROM (${here.listed}) AS listed`)
  return number('listed')(row!)
}

/** Returns the ids here in a range: the pulled ones, and the listed ones. Null for a class that does not exist here. */
async function rowsHere(
  app: ImportApp,
  { className, field }: PulledPart,
  part: number,
  range: IdRange,
): Promise<{ readonly pulled: Sql; readonly listed: Sql } | null> {
  if (field === null) {
    const schema = await app.objects.classes.lookUp(className)
    if (!schema) return null
    return {
      pulled: sql`
        SELECT id FROM ${pulledTables(app).objects} AS known
        WHERE part = ${part}::integer AND ${within(raw('id'), range)}
          AND EXISTS (SELECT FROM ${schema.table} AS object WHERE object.id = known.id)`,
      listed: sql`SELECT id FROM ${schema.table} WHERE id = ANY(${range.ids}::text[])`,
    }
  }
  const members = sql`
    SELECT related_id AS id FROM ${app.objects.relations}
    WHERE owner_class = ${className} AND field = ${field} AND owner_id = ${range.owningId ?? ''}`
  return {
    pulled: sql`${members} AND pulled_by = ${part}::integer AND ${within(raw('related_id'), range)}`,
    listed: sql`${members} AND related_id = ANY(${range.ids}::text[])`,
  }
}

function within(id: Sql, { after, upTo }: IdRange): Sql {
  const afterId = after === null ? raw('true') : sql`${id} > ${after}`
  return upTo === null ? afterId : sql`${afterId} AND ${id} <= ${upTo}`
}
