import type pg from 'pg'

/** All rows of an app by table, as sorted texts. */
export type Content = ReadonlyMap<string, readonly string[]>

/** Tables of import positions, which are not compared. */
const LEFT_OUT = new Set(['$imports', '$import_rejected'])
/** Columns that depend on the time or on batch limits, not on the imported data. */
const VOLATILE: { readonly [table: string]: readonly string[] } = {
  // Their lines contain no ids.
  Plain: ['id'],
  // Depends on the batch that contained the previous message.
  $threads: ['before_ts'],
  $classes: ['created_at'],
  $fields: ['created_at'],
  $migrations: ['applied_at'],
}

/** Number fields of pull parts. A rolled back part has consumed a number, so the content of the part replaces the number. */
const NUMBERS_OF_PARTS: { readonly [table: string]: string } = {
  $pull_parts: 'number',
  $pulled_objects: 'part',
  $relations: 'pulled_by',
}

/** Reads all stored rows of an app. */
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

/** The maximum number of rows reported per table. */
const SHOWN = 3

/** Describes the rows that differ between two contents. */
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

/** Returns the rows that occur more often in the first list, as often as they exceed the second. */
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
