import { number, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { isBuiltIn } from '../classes/built-in-classes.ts'
import { noteWrite, type ObjectStore } from '../store.ts'
import { type Removal, removeInPages } from './remove-in-pages.ts'

const PAGE = 1000

/**
 * Deletes the objects of a class in the order of their ids; fields, permissions and indexes are kept. It triggers neither hooks
 * nor live queries.
 * @param after the id after which it continues; empty at first
 * @throws ApiError 1 for built-in classes, whose objects have data in other tables; 101
 */
export async function emptyClass(store: ObjectStore, className: string, after: string): Promise<Removal> {
  const schema = await store.classes.find(className)
  if (isBuiltIn(className))
    throw errors.badArgument(`The built-in class '${className}' cannot be emptied; delete its objects one by one.`)
  const done = await removeInPages(after, async (from) => {
    const [row] = await store.database.query(sql`
      WITH page AS (
        SELECT id FROM ${schema.table} WHERE id > ${from} ORDER BY id LIMIT ${PAGE}::integer
      ), removed AS (
        DELETE FROM ${schema.table} AS object USING page WHERE object.id = page.id RETURNING object.id
      ), members AS (
        DELETE FROM ${store.relations} AS relation USING removed
        WHERE owner_class = ${className} AND owner_id = removed.id
          AND field = ANY(${schema.relationFields.map(({ name }) => name)}::text[])
      )
      SELECT
        (SELECT count(*) FROM removed)::integer AS removed,
        (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last`)
    return { removed: number('removed')(row!), last: text.orNull('last')(row!) }
  })
  if (done.removed > 0) noteWrite(store, className)
  return done
}
