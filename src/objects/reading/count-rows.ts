import { number, rowDecoder } from '../../database/decode-row.ts'
import { isMissingTable } from '../../database/faults.ts'
import { join, raw, type Sql, sql, toQuery } from '../../database/sql.ts'
import type { Caller } from '../access/caller.ts'
import type { ClassSchema } from '../classes/class-schema.ts'
import { type ObjectStore, whereContext } from '../store.ts'
import { whereToSql } from '../where/to-sql.ts'
import type { Where } from '../where/tree.ts'

/**
 * A number of objects. `exact`: the exact number; `estimated`: PostgreSQL's estimate, without counting; `atLeast`: counting
 * stopped at this number.
 */
export interface RowCount {
  readonly count: number
  readonly kind: 'exact' | 'estimated' | 'atLeast'
}

/** Maximum rows counted: of one class, and of each class that is too large when all are counted. */
const COUNTED = 100_000
const COUNTED_OF_EACH = 2000
/** Maximum bytes of tables that are read to count all classes, the smallest first: an app of usual size is counted exactly. */
const READ_FOR_ALL = 64 * 1024 * 1024

/**
 * Counts the objects of a class that meet a condition, at a bounded cost, for callers with the master key.
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
  return rowCount(number('counted')(rows[0]!), where ? 0 : number('estimated')(rows[0]!), COUNTED)
}

/** Counts the objects of each class, by class name: as `countRows`, but counting fewer rows of classes in large apps. */
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
  if (classes.length === 0) return {}
  const bounds = await boundsOf(store, classes)
  const each = classes.map(
    (schema, index) => sql`
      SELECT ${raw(String(index))} AS class,
        (SELECT count(*) FROM (SELECT FROM ${schema.table} LIMIT ${raw(String(bounds[index]! + 1))}) AS row) AS counted,
        ${estimate(schema)} AS estimated`,
  )
  const { rows } = await store.database.search(join(each, ' UNION ALL '))
  return Object.fromEntries(
    rows.map((row) => {
      const { index, counted, estimated } = decodeCount(row)
      return [classes[index]!.name, rowCount(counted, estimated, bounds[index]!)]
    }),
  )
}

const decodeCount = rowDecoder({
  index: number('class'),
  counted: number('counted'),
  estimated: number('estimated'),
})

const decodeSize = rowDecoder({ index: number('class'), bytes: number('bytes') })

/** Returns the maximum to count of each class: that of `countRows` while the tables are small enough. */
async function boundsOf(store: ObjectStore, classes: readonly ClassSchema[]): Promise<readonly number[]> {
  const sizes = classes.map(
    ({ table }, index) =>
      sql`SELECT ${raw(String(index))} AS class, coalesce(pg_relation_size(to_regclass(${toQuery(table).text})), 0) AS bytes`,
  )
  const { rows } = await store.database.search(join(sizes, ' UNION ALL '))
  const bounds = classes.map(() => COUNTED_OF_EACH)
  let left = READ_FOR_ALL
  for (const { index, bytes } of rows.map(decodeSize).toSorted((a, b) => a.bytes - b.bytes)) {
    left -= bytes
    if (left < 0) break
    bounds[index] = COUNTED
  }
  return bounds
}

function rowCount(counted: number, estimated: number, bound: number): RowCount {
  if (counted <= bound) return { count: counted, kind: 'exact' }
  return estimated > bound ? { count: estimated, kind: 'estimated' } : { count: bound, kind: 'atLeast' }
}

/**
 * Returns PostgreSQL's estimate of the rows. Its statistics follow each write a moment later; after a crash it is that of the
 * last ANALYZE.
 */
function estimate({ table }: ClassSchema): Sql {
  const name = toQuery(table).text
  return sql`
    (SELECT greatest(pg_stat_get_live_tuples(oid), reltuples::bigint, 0) FROM pg_class WHERE oid = to_regclass(${name}))`
}
