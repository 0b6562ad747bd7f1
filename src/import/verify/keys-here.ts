import { type Decoder, date, number, rowDecoder, text } from '../../database/decode-row.ts'
import { sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { type Kind, messagingTable } from '../batch.ts'
import { KEY_SEPARATOR, type KeyPage } from '../verification.ts'
import { messageKey } from './compare-messaging.ts'
import type { VerifyApp } from './verify-app.ts'

/** Maximum keys in a page. */
const PAGE = 5000

/**
 * Returns a page of the keys of stored records in character order, each with the earliest time at which the record may have been
 * created here: the creation of an object, the last change of the object that owns a relation, the time of a message.
 * @param after the last key of the previous page; null for the first page
 * @throws ApiError when `after` is not a valid key
 */
export async function keysHere(app: VerifyApp, of: Kind, after: string | null): Promise<KeyPage> {
  const rows = await rowsAfter(app, of, after?.split(KEY_SEPARATOR) ?? null)
  const keys = rows.map(({ key, since }) => [key, since] as const)
  return { keys, isLast: rows.length < PAGE }
}

interface KeyRow {
  readonly key: string
  readonly since: string | null
}

async function rowsAfter(app: VerifyApp, of: Kind, after: readonly string[] | null): Promise<KeyRow[]> {
  const isMessages = messagingTable(of.className) === 'messages'
  const wanted = of.kind === 'objects' ? 1 : of.kind === 'relations' ? 2 : isMessages ? 3 : 0
  if (after && wanted > 0 && after.length !== wanted)
    throw errors.badArgument("'after' must be a key from the previous page.")
  switch (wanted) {
    case 1:
      return objectKeys(app, of.className, after)
    case 2:
      return memberKeys(app, of as Extract<Kind, { kind: 'relations' }>, after)
    case 3:
      return messageKeys(app, after)
    default:
      // For other kinds, records that were added here later are not reported.
      return []
  }
}

async function objectKeys({ objects }: VerifyApp, className: string, after: readonly string[] | null) {
  const schema = await objects.classes.lookUp(className)
  if (!schema) return []
  const { rows } = await objects.database.search(sql`
    SELECT id, created_at::text AS since
    FROM ${schema.table}
    WHERE id > ${after?.[0] ?? ''}
    ORDER BY id
    LIMIT ${PAGE}::integer`)
  return rows.map(objectKey)
}

async function memberKeys(
  { objects }: VerifyApp,
  { className, field }: Extract<Kind, { kind: 'relations' }>,
  after: readonly string[] | null,
) {
  const schema = await objects.classes.lookUp(className)
  if (!schema) return []
  const [ownerId = '', relatedId = ''] = after ?? []
  const { rows } = await objects.database.search(sql`
    SELECT owner_id, related_id, owner.updated_at::text AS since
    FROM (
      SELECT owner_id, related_id
      FROM ${objects.relations}
      WHERE owner_class = ${className} AND field = ${field} AND (owner_id, related_id) > (${ownerId}, ${relatedId})
      ORDER BY owner_id, related_id
      LIMIT ${PAGE}::integer
    ) AS member
    LEFT JOIN ${schema.table} AS owner ON owner.id = owner_id
    ORDER BY owner_id, related_id`)
  return rows.map(memberKey)
}

async function messageKeys({ objects: { database }, messaging }: VerifyApp, after: readonly string[] | null) {
  const [thread = '', ts = '0', id = ''] = after ?? []
  if (!/^\d{1,16}$/.test(ts)) throw errors.badArgument("'after' must be a key from the previous page.")
  const { rows } = await database.search(sql`
    SELECT thread, ts, id
    FROM ${messaging.tables.messages}
    WHERE (thread, ts, id) > (${thread}, ${ts}::bigint, ${id})
    ORDER BY thread, ts, id
    LIMIT ${PAGE}::integer`)
  return rows.map(storedMessageKey)
}

const objectKey: Decoder<KeyRow> = rowDecoder({ key: text('id'), since: date.orNull('since') })

const [ownerOf, relatedOf] = [text('owner_id'), text('related_id')]

const memberKey: Decoder<KeyRow> = rowDecoder({
  key: (row) => [ownerOf(row), relatedOf(row)].join(KEY_SEPARATOR),
  since: date.orNull('since'),
})

const [threadOf, tsOf, idOf] = [text('thread'), number('ts'), text('id')]

const storedMessageKey: Decoder<KeyRow> = rowDecoder({
  key: (row) => messageKey(threadOf(row), tsOf(row), idOf(row)),
  since: number('ts', (ts) => new Date(ts).toISOString()),
})
