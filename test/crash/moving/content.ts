import type pg from 'pg'

/** All rows of an app by table, as texts in their order. */
export type Content = ReadonlyMap<string, readonly string[]>

/** How far imports are is theirs. */
const LEFT_OUT = new Set(['$imports', '$import_rejected'])
/** What follows from when it was done, or from the limits of batches, and not from what was brought. */
const VOLATILE: { readonly [table: string]: readonly string[] } = {
  // Their lines tell no ids.
  Plain: ['id'],
  // Which batch told of the one before.
  $threads: ['before_ts'],
  $classes: ['created_at'],
  $fields: ['created_at'],
  $migrations: ['applied_at'],
}

/**
 * Fields by which the parts of pulls are named. What is taken back by a kill has used a number up; the part itself stands
 * for it therefore.
 */
const NUMBERS_OF_PARTS: { readonly [table: string]: string } = {
  $pull_parts: 'number',
  $pulled_objects: 'part',
  $relations: 'pulled_by',
}

/** All that an app has stored. */
export async function contentOf(client: pg.Client, appId: string): Promise<Content> {
  const schema = `app_${appId}`
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = $1 AND table_type = 'BASE TABLE'
     ORDER BY 1`,
    [schema],
  )
  const content = new Map<string, string[]>()
  for (const { name } of tables) {
    if (LEFT_OUT.has(name)) continue
    const { rows } = await client.query<{ row: string }>(
      `SELECT (to_jsonb(stored) - $1::text[]${partOf(schema, name)})::text AS row
       FROM "${schema}"."${name}" AS stored ORDER BY 1`,
      [VOLATILE[name] ?? []],
    )
    content.set(
      name,
      rows.map(({ row }) => row),
    )
  }
  return content
}

function partOf(schema: string, table: string): string {
  const field = NUMBERS_OF_PARTS[table]
  if (field === undefined) return ''
  return ` || jsonb_build_object('${field}', (
    SELECT to_jsonb(named) - 'number' FROM "${schema}"."$pull_parts" AS named WHERE named.number = stored.${field}
  ))`
}

/** Rows that are told of for each table. */
const SHOWN = 3

/** What one content has and another has not, in words. */
export function differencesOf(expected: Content, found: Content): string[] {
  const differences: string[] = []
  for (const name of new Set([...expected.keys(), ...found.keys()])) {
    const missing = without(expected.get(name) ?? [], found.get(name) ?? [])
    const further = without(found.get(name) ?? [], expected.get(name) ?? [])
    if (missing.length > 0) differences.push(`${name}: ${missing.length} rows are missing: ${shown(missing)}`)
    if (further.length > 0) differences.push(`${name}: ${further.length} rows are too many: ${shown(further)}`)
  }
  return differences
}

/** Each as often as it is more often in the one than in the other. */
function without(rows: readonly string[], others: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const row of others) counts.set(row, (counts.get(row) ?? 0) + 1)
  return rows.filter((row) => {
    const left = counts.get(row) ?? 0
    counts.set(row, left - 1)
    return left <= 0
  })
}

function shown(rows: readonly string[]): string {
  return rows
    .slice(0, SHOWN)
    .map((row) => row.slice(0, 300))
    .join(' ')
}
