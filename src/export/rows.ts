import type pg from 'pg'
import Cursor from 'pg-cursor'
import { raw, type Sql, sql, toQuery } from '../database/sql.ts'
import { PUBLIC_ACL_TEXT } from '../objects/access/acl.ts'
import type { ClassSchema } from '../objects/classes/class-schema.ts'
import type { ClassRules } from '../objects/store.ts'
import { dateFromDatabase } from '../values/date.ts'
import type { JsonObject } from '../values/json.ts'
import type { ExportRequest } from './export-request.ts'

/** All columns are read as text, so that a stored object reaches the file without being parsed. */
interface ObjectRow {
  readonly id: string
  readonly created_at: string
  readonly updated_at: string
  readonly acl: string | null
  readonly data: string
  readonly more: string | null
}

interface RelationRow {
  readonly owner_id: string
  readonly related_id: string
}

type Range = Pick<ExportRequest, 'from' | 'to'>

/**
 * Target size of a batch in characters, and maximum rows in it. Batches adapt to the size of rows, because objects may be large.
 */
const BATCH_SIZE = 2 * 1024 * 1024
const MAX_BATCH_ROWS = 100

/** Yields the objects of a class as JSON Lines (protocol/moving-in, Users in exports), some lines at a time. */
export async function* objectLines(
  client: pg.Client,
  schema: ClassSchema,
  rules: ClassRules | undefined,
  range: Range,
): AsyncGenerator<string> {
  for await (const { lines } of objectBatches(client, schema, rules, inRange(range))) yield lines
}

/** A batch of lines, and the row of the last line. */
interface Batch<Row> {
  readonly lines: string
  readonly last: Row
}

/** Yields the objects that `condition` selects, in its order, as JSON Lines. */
export async function* objectBatches(
  client: pg.Client,
  schema: ClassSchema,
  rules: ClassRules | undefined,
  condition: Sql,
): AsyncGenerator<Batch<ObjectRow>> {
  const more = rules?.exported
  const rows = batches<ObjectRow>(
    client,
    sql`
    SELECT id, created_at::text, updated_at::text, acl::text, data::text, ${more?.value ?? raw('NULL::jsonb')}::text AS more
    FROM ${schema.table}
    WHERE ${condition}`,
  )
  for await (const batch of rows) {
    const lines = batch.map((row) =>
      objectLine(row, more && row.more !== null ? more.members(JSON.parse(row.more)) : {}),
    )
    yield { lines: lines.join(''), last: batch.at(-1)! }
  }
}

/** Yields the members of a relation field as lines for the hosted service's import (protocol/moving-in, Users in exports). */
export async function* relationLines(
  client: pg.Client,
  relations: Sql,
  schema: ClassSchema,
  field: string,
  range: Range,
): AsyncGenerator<string> {
  const condition = sql`owner_id IN (SELECT id FROM ${schema.table} WHERE ${inRange(range)})`
  for await (const { lines } of relationBatches(client, relations, schema, field, condition)) yield lines
}

/** Yields the members that `condition` selects, in its order, as lines. */
export async function* relationBatches(
  client: pg.Client,
  relations: Sql,
  schema: ClassSchema,
  field: string,
  condition: Sql,
): AsyncGenerator<Batch<RelationRow>> {
  const rows = batches<RelationRow>(
    client,
    sql`
    SELECT owner_id, related_id
    FROM ${relations}
    WHERE owner_class = ${schema.name} AND field = ${field} AND ${condition}`,
  )
  for await (const batch of rows) yield { lines: batch.map(relationLine).join(''), last: batch.at(-1)! }
}

function inRange({ from, to }: Range): Sql {
  return sql`updated_at BETWEEN ${from ?? '-infinity'}::timestamptz AND ${to ?? 'infinity'}::timestamptz`
}

function objectLine({ id, created_at, updated_at, acl, data }: ObjectRow, more: JsonObject): string {
  const system =
    `"objectId":"${id}","ACL":${acl ?? PUBLIC_ACL_TEXT},` +
    `"createdAt":"${dateFromDatabase(created_at)}","updatedAt":"${dateFromDatabase(updated_at)}"`
  const others = [data, JSON.stringify(more)]
    .filter((members) => members !== '{}')
    .map((members) => `,${members.slice(1, -1)}`)
  return `{${system}${others.join('')}}\n`
}

function relationLine({ owner_id, related_id }: RelationRow): string {
  return `{"owningId":"${owner_id}","relatedId":"${related_id}"}\n`
}

/** Reads the rows of a statement in batches, so that a class of any size needs little memory. */
export async function* batches<Row extends object>(client: pg.Client, statement: Sql): AsyncGenerator<Row[]> {
  const { text, values } = toQuery(statement)
  const cursor = client.query(new Cursor<Row>(text, values))
  let largest = BATCH_SIZE / 10
  for (;;) {
    const rows = await cursor.read(Math.max(1, Math.min(MAX_BATCH_ROWS, Math.floor(BATCH_SIZE / largest))))
    if (rows.length === 0) break
    yield rows
    largest = Math.max(...rows.map(sizeOf))
  }
  await cursor.close()
}

function sizeOf(row: object): number {
  return Object.values(row).reduce((size, text) => size + (typeof text === 'string' ? text.length : 0), 1)
}
