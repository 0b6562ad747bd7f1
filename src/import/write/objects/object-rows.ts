import { copyText } from '../../../database/copy.ts'
import { boolean, type Decoder, rowDecoder, text } from '../../../database/decode-row.ts'
import type { Executor, Transaction } from '../../../database/pool.ts'
import { arrayLiteral, type Sql, sql } from '../../../database/sql.ts'
import { aclColumns } from '../../../objects/access/acl.ts'
import type { ClassSchema } from '../../../objects/classes/class-schema.ts'
import type { OnConflict } from '../../batch.ts'
import type { ImportedObject } from './parse-object.ts'

/** A written object. Existing objects that were kept are not listed. */
export interface WrittenObject {
  readonly id: string
  /** Whether the object did not exist before. */
  readonly isNew: boolean
}

/**
 * Writes objects with their ids and times. Their ids must be distinct.
 * @throws any rejection of the database; then none is written
 */
export async function writeObjects(
  transaction: Executor,
  schema: ClassSchema,
  objects: readonly ImportedObject[],
  onConflict: OnConflict,
): Promise<WrittenObject[]> {
  const rows = await transaction.query(sql`
    INSERT INTO ${schema.table} AS stored (id, created_at, updated_at, acl, readers, writers, data)
    SELECT id, created_at, updated_at, acl::jsonb, readers::text[], writers::text[], data
    FROM ROWS FROM (
      unnest(${objects.map(({ id }) => id)}::text[]),
      unnest(${objects.map(({ createdAt }) => createdAt)}::timestamptz[]),
      unnest(${objects.map(({ updatedAt }) => updatedAt)}::timestamptz[]),
      unnest(${objects.map(({ acl }) => acl.acl)}::text[]),
      unnest(${objects.map(({ acl }) => acl.readers && arrayLiteral(acl.readers))}::text[]),
      unnest(${objects.map(({ acl }) => acl.writers && arrayLiteral(acl.writers))}::text[]),
      jsonb_array_elements(${`[${objects.map(({ data }) => data).join(',')}]`}::jsonb)
    ) AS given (id, created_at, updated_at, acl, readers, writers, data)
    ON CONFLICT (id) ${resolution(onConflict)}
    RETURNING id, xmax = 0 AS is_new`)
  return rows.map(decodeWritten)
}

const decodeWritten: Decoder<WrittenObject> = rowDecoder({ id: text('id'), isNew: boolean('is_new') })

/**
 * Writes objects that are all new, in a third of the time. Their ids must be distinct.
 * @param rows the rows of the objects (`beginningOfRow`)
 * @throws any rejection of the database, also when an object exists; then none is written
 */
export async function copyObjects(transaction: Transaction, schema: ClassSchema, rows: Uint8Array) {
  await transaction.copy(
    sql`COPY ${schema.table} (id, created_at, updated_at, acl, readers, writers, data) FROM STDIN`,
    rows,
  )
}

/**
 * Encodes an object in the text format of COPY, up to the JSON of its fields, which follows with its backslashes doubled. Ids and
 * dates are validated and need no escaping.
 */
export function beginningOfRow({ id, createdAt, updatedAt, acl }: ImportedObject): string {
  const list = (names: readonly string[] | null) => copyText(names && arrayLiteral(names))
  const access = acl === OPEN ? NO_USERS : `${copyText(acl.acl)}\t${list(acl.readers)}\t${list(acl.writers)}`
  return `${id}\t${createdAt}\t${updatedAt}\t${access}\t`
}

const OPEN = aclColumns(null)
const NO_USERS = '\\N\t\\N\t\\N'

function resolution(onConflict: OnConflict): Sql {
  if (onConflict === 'skip') return sql`DO NOTHING`
  const replaced = sql`DO UPDATE
    SET created_at = excluded.created_at, updated_at = excluded.updated_at,
        acl = excluded.acl, readers = excluded.readers, writers = excluded.writers, data = excluded.data`
  return onConflict === 'newer' ? sql`${replaced} WHERE stored.updated_at < excluded.updated_at` : replaced
}

/**
 * Keeps one object of each id, as if the rows were written one by one: the first if existing objects are kept, otherwise the
 * last, or the one that was changed last.
 */
export function withoutRepeated<Given extends { readonly object: ImportedObject }>(
  given: readonly Given[],
  onConflict: OnConflict,
): Given[] {
  const byId = new Map<string, Given>()
  for (const one of given) {
    const known = byId.get(one.object.id)
    const isBetter =
      !known || onConflict === 'overwrite' || (onConflict === 'newer' && known.object.updatedAt < one.object.updatedAt)
    if (isBetter) byId.set(one.object.id, one)
  }
  return [...byId.values()]
}
