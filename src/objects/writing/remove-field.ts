import { number, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { builtInField } from '../classes/built-in-classes.ts'
import type { ClassSchema } from '../classes/class-schema.ts'
import { noteWrite, type ObjectStore } from '../store.ts'
import { type Removal, removeInPages } from './remove-in-pages.ts'

const PAGE = 1000

/**
 * Removes a field with its values: first the values, then the field, so that an interrupted removal can be repeated. `updatedAt`
 * does not change. Clients that still write the field create it again.
 * @param after the id after which it continues; empty at first
 * @throws ApiError 1 for built-in fields; 101
 */
export async function removeField(
  store: ObjectStore,
  className: string,
  field: string,
  after: string,
): Promise<Removal> {
  const schema = await store.classes.find(className)
  const known = schema.fields.get(field)
  if (!known) throw errors.notFound(`The class '${className}' has no field '${field.slice(0, 128)}'.`)
  if (builtInField(className, field) !== undefined)
    throw errors.badArgument(`The field '${field}' of the class '${className}' is built in and cannot be deleted.`)
  const page = known.type.type === 'Relation' ? membersPage : valuesPage
  const done = await removeInPages(after, (from) => page(store, schema, field, from))
  if (done.removed > 0) noteWrite(store, className)
  if (done.next !== null) return done
  await store.classes.removeField(className, field)
  store.indexes.forgetField(schema, field)
  return done
}

async function valuesPage(store: ObjectStore, { table }: ClassSchema, field: string, after: string) {
  const [row] = await store.database.query(sql`
    WITH page AS (
      SELECT id FROM ${table} WHERE id > ${after} ORDER BY id LIMIT ${PAGE}::integer
    ), changed AS (
      UPDATE ${table} AS object SET data = object.data - ${field}::text
      FROM page
      WHERE object.id = page.id AND jsonb_exists(object.data, ${field})
      RETURNING object.id
    )
    SELECT
      (SELECT count(*) FROM changed)::integer AS removed,
      (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last`)
  return { removed: number('removed')(row!), last: text.orNull('last')(row!) }
}

async function membersPage(store: ObjectStore, { name }: ClassSchema, field: string) {
  const [row] = await store.database.query(sql`
    WITH page AS (
      SELECT owner_id, related_id FROM ${store.relations}
      WHERE owner_class = ${name} AND field = ${field}
      LIMIT ${PAGE}::integer
    ), removed AS (
      DELETE FROM ${store.relations} AS relation USING page
      WHERE relation.owner_class = ${name} AND relation.field = ${field}
        AND relation.owner_id = page.owner_id AND relation.related_id = page.related_id
      RETURNING relation.owner_id
    )
    SELECT count(*)::integer AS removed FROM removed`)
  const removed = number('removed')(row!)
  return { removed, last: removed === 0 ? null : '' }
}
