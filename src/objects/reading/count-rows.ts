import { isMissingTable } from '../../database/faults.ts'
import { join, raw, type Sql, sql, toQuery } from '../../database/sql.ts'
import type { Caller } from '../access/caller.ts'
import type { ClassSchema } from '../classes/class-schema.ts'
import { type ObjectStore, whereContext } from '../store.ts'
import { whereToSql } from '../where/to-sql.ts'
import type { Where } from '../where/tree.ts'

/**
 * How many objects there are. `exact`: just so many; `estimated`: about so many, as PostgreSQL knows without counting;
 * `atLeast`: more than so many, and counting ended there.
 */
export interface RowCount {
  readonly count: number
  readonly kind: 'exact' | 'estimated' | 'atLeast'
}

/** Counting ends here: of one class, and of each where all are counted. */
const COUNTED = 100_000
const COUNTED_OF_EACH = 2000

/**
 * How many objects of a class meet a condition, at a bounded cost, for callers with the master key.
 * @throws ApiError 101 when the class does not exist, 124 when few of many objects meet the condition and no index helps
 */
export async function countRows(
  store: ObjectStore,
  className: string,
  where: Where | null,
  caller: Caller,
): Promise<RowCount> {
  const schema = await store.classes.find(className)
  const condition = where ? whereToSql(where, className, whereContext(store, caller)) : raw('TRUE')
  const { rows } = await store.database.search(sql`
    SELECT (SELECT count(*) FROM (SELECT FROM ${schema.table} WHERE ${condition} LIMIT ${COUNTED + 1}::bigint) AS row) AS counted,
      ${estimate(schema)} AS estimated`)
  return rowCount(Number(rows[0]!.counted), where ? 0 : Number(rows[0]!.estimated), COUNTED)
}

/** How many objects each class has, by class name: exact where they are few. */
export async function countClasses(store: ObjectStore): Promise<{ readonly [className: string]: RowCount }> {
  await store.classes.refreshIfChanged()
  try {
    return await countAll(store)
  } catch (error) {
    // Another node has deleted a class meanwhile.
    if (!isMissingTable(error)) throw error
    await store.classes.refreshIfChanged()
    return countAll(store)
  }
}

async function countAll(store: ObjectStore): Promise<{ readonly [className: string]: RowCount }> {
  const classes = store.classes.all()
  const each = classes.map(
    (schema, index) => sql`
      SELECT ${raw(String(index))} AS class,
        (SELECT count(*) FROM (SELECT FROM ${schema.table} LIMIT ${raw(String(COUNTED_OF_EACH + 1))}) AS row) AS counted,
        ${estimate(schema)} AS estimated`,
  )
  const { rows } = await store.database.search(join(each, ' UNION ALL '))
  return Object.fromEntries(
    rows.map((row) => [
      classes[Number(row.class)]!.name,
      rowCount(Number(row.counted), Number(row.estimated), COUNTED_OF_EACH),
    ]),
  )
}

function rowCount(counted: number, estimated: number, bound: number): RowCount {
  if (counted <= bound) return { count: counted, kind: 'exact' }
  return estimated > bound ? { count: estimated, kind: 'estimated' } : { count: bound, kind: 'atLeast' }
}

/** What PostgreSQL's statistics say, which follow each write a moment later; after a crash what the last ANALYZE saw. */
function estimate({ table }: ClassSchema): Sql {
  const name = toQuery(table).text
  return sql`
    (SELECT greatest(pg_stat_get_live_tuples(oid), reltuples::bigint, 0) FROM pg_class WHERE oid = to_regclass(${name}))`
}
