import { schemaOf } from '../../apps/apps.ts'
import { boolean, type Decoder, json, number, rowDecoder, text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { identifier, type Sql, sql } from '../../database/sql.ts'
import { type Notice, readNotice, storedNotice, textNotice } from '../../notices/notice.ts'
import { storableText } from '../../values/json.ts'
import {
  addCounts,
  addNotes,
  type Counts,
  type ImportState,
  NO_COUNTS,
  type Noted,
  type Notes,
  type Position,
  type Rejected,
} from '../batch.ts'

/** Identifies an import of a source into an app. */
export interface ImportKey {
  readonly appId: string
  readonly importId: string
}

/** Records the start of an import, or resumes an existing one. @param source its name, for people */
export async function beginImport(executor: Executor, key: ImportKey, source: string): Promise<ImportState> {
  await executor.query(sql`
    INSERT INTO ${table(key, '$imports')} (id, source) VALUES (${key.importId}, ${source}) ON CONFLICT DO NOTHING`)
  return (await findImport(executor, key))!
}

/** @param lock whether to lock the row until the transaction ends */
export async function findImport(executor: Executor, key: ImportKey, lock = false): Promise<ImportState | null> {
  const [row] = await executor.query(sql`
    SELECT id, source, entry, record, mark, is_done, counts, notes
    FROM ${table(key, '$imports')}
    WHERE id = ${key.importId} ${lock ? sql`FOR UPDATE` : sql``}`)
  return row ? stateOf(row) : null
}

/** Maximum imports in the list. */
const MAX_LISTED = 1000

/** Returns the imports of an app, the latest first. */
export async function listImports(executor: Executor, appId: string): Promise<ImportState[]> {
  const rows = await executor.query(sql`
    SELECT id, source, entry, record, mark, is_done, counts, notes
    FROM ${table({ appId, importId: '' }, '$imports')}
    ORDER BY updated_at DESC, id
    LIMIT ${MAX_LISTED}::integer`)
  return rows.map(stateOf)
}

/** Deletes the state of an import, so that the source is imported from its beginning the next time. */
export async function forgetImport(executor: Executor, key: ImportKey): Promise<void> {
  await executor.query(sql`DELETE FROM ${table(key, '$imports')} WHERE id = ${key.importId}`)
}

export async function endImport(executor: Executor, key: ImportKey): Promise<void> {
  await executor.query(sql`
    UPDATE ${table(key, '$imports')} SET is_done = true, updated_at = now() WHERE id = ${key.importId}`)
}

/** Stores the position that a locked import has reached, and the outcome of the records up to it. */
export async function advance(
  executor: Executor,
  key: ImportKey,
  state: ImportState,
  position: Position,
  countedAs: string,
  counts: Counts,
  notes: Notes,
  mark?: string,
): Promise<void> {
  const sums = { ...state.counts, [countedAs]: addCounts(state.counts[countedAs] ?? NO_COUNTS, counts) }
  await executor.query(sql`
    UPDATE ${table(key, '$imports')}
    SET entry = ${position.entry}, record = ${position.record}, is_done = false, updated_at = now(),
        mark = coalesce(${mark ?? null}, mark),
        counts = ${JSON.stringify(sums)}::jsonb,
        notes = ${notesColumn(addNotes(state.notes, Object.values(notes)))}::jsonb
    WHERE id = ${key.importId}`)
}

export async function insertRejected(executor: Executor, key: ImportKey, rejected: readonly Rejected[]): Promise<void> {
  if (rejected.length === 0) return
  await executor.query(sql`
    INSERT INTO ${table(key, '$import_rejected')} (import_id, class_name, field, place, reason, content)
    SELECT ${key.importId}::text, *
    FROM unnest(
      ${rejected.map(({ className }) => className)}::text[], ${rejected.map(({ field }) => field)}::text[],
      ${rejected.map(({ place }) => storableText(place))}::text[], ${rejected.map(({ reason }) => storableText(storedNotice(reason)))}::text[],
      ${rejected.map(({ text }) => storableText(text))}::text[])`)
}

/** Maximum characters and maximum number of rejected records in a page. */
const PAGE_SIZE = 4 * 1024 * 1024
const PAGE_ROWS = 500

/**
 * Returns a page of the rejected records of an import, in order.
 * @param after the number of the last known record; 0 for the first page
 * @returns the records after it, and the number of the last one; none at the end
 */
export async function findRejected(
  executor: Executor,
  key: ImportKey,
  after: number,
): Promise<{ readonly rejected: Rejected[]; readonly last: number }> {
  const rows = await executor.query(sql`
    SELECT number, class_name, field, place, reason, content
    FROM (
      SELECT *, sum(length(content)) OVER (ORDER BY number) - length(content) AS before
      FROM (
        SELECT * FROM ${table(key, '$import_rejected')}
        WHERE import_id = ${key.importId} AND number > ${after}::bigint
        ORDER BY number
        LIMIT ${PAGE_ROWS}::integer
      ) AS next
    ) AS page
    WHERE before < ${PAGE_SIZE}::bigint
    ORDER BY number`)
  const last = rows.at(-1)
  return { rejected: rows.map(rejectedOf), last: last ? number('number')(last) : after }
}

const rejectedOf: Decoder<Rejected> = rowDecoder({
  className: text('class_name'),
  field: text.orNull('field'),
  place: text('place'),
  reason: text('reason', readNotice),
  text: text('content'),
})

const stateOf: Decoder<ImportState> = rowDecoder({
  id: text('id'),
  source: text('source'),
  place: rowDecoder({ entry: number('entry'), record: number('record') }),
  mark: text.orNull('mark'),
  isDone: boolean('is_done'),
  counts: json<ImportState['counts']>('counts'),
  notes: text('notes', readNotes),
})

function notesColumn(notes: Notes): string {
  const storable = Object.entries(notes).map(([text, noted]) => [storableText(text), noted])
  return JSON.stringify(Object.fromEntries(storable), (_, value: unknown) =>
    typeof value === 'string' ? storableText(value) : value,
  )
}

/** Reads stored notes. Earlier versions stored them without notices. */
function readNotes(column: string): Notes {
  const stored = JSON.parse(column) as { readonly [text: string]: Omit<Noted, 'notice'> & { readonly notice?: Notice } }
  return Object.fromEntries(
    Object.entries(stored).map(([text, noted]) => [text, { ...noted, notice: noted.notice ?? textNotice(text) }]),
  )
}

function table({ appId }: ImportKey, name: string): Sql {
  return identifier(schemaOf(appId), name)
}
