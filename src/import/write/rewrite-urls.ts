import { type Decoder, json, rowDecoder, text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import type { Row } from '../../database/row.ts'
import { type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import { notice } from '../../notices/notice.ts'
import { noteWrite } from '../../objects/store.ts'
import type { Json } from '../../values/json.ts'
import { type UrlFinder, urlFinder, withUrls } from './former-urls.ts'
import type { ImportApp } from './import-app.ts'

/** Texts that are searched for URLs: fields of a class, or the contents of messages. */
type TextsOf = { readonly className: string; readonly fields: readonly string[] | null } | 'messages'

export interface RewriteRequest {
  readonly of: TextsOf
  /** The position of the previous page, after which the search continues; null: at the beginning. */
  readonly after: string | null
  /** Former hosts of files (`former-urls.ts`). */
  readonly formerHosts: readonly string[]
  /** Returns the new URL of a key. */
  urlOf(key: string): string
}

export interface RewrittenPage {
  /** Objects or messages that were changed. */
  readonly changed: number
  readonly urls: number
  /** Number of rows that were not changed because of a concurrent write. */
  readonly missed: number
  /** null: this was the last page. */
  readonly after: string | null
}

/** Maximum rows of a page, and maximum characters of its texts. A single text may exceed it. */
const ROWS = 2000
const MAX_TEXT = 16_000_000
/** Types of fields that may contain URLs. */
const TEXT_TYPES = new Set(['String', 'Array', 'Object', 'Any'])
/** The class whose own URLs are computed from keys, and not stored. */
const FILE = '_File'

/**
 * Replaces the former URLs of files with their new URLs, a page at a time. Only complete URLs of files whose bytes are stored
 * here are replaced. Objects and messages keep their update times, and no events are sent, because their meaning is unchanged.
 * @throws ApiError for a class or field that does not exist
 */
export function rewriteUrls(app: ImportApp, request: RewriteRequest): Promise<RewrittenPage> {
  const { of } = request
  return of === 'messages' ? rewriteMessages(app, request) : rewriteObjects(app, of, request)
}

/** A row with texts that contain one of the hosts. */
interface Hit<Key> {
  readonly key: Key
  /** Values by field. */
  readonly values: { readonly [field: string]: Json }
}

const texts = text('texts')

const objectHit: Decoder<Hit<string>> = rowDecoder({ key: text('id'), values: json<Hit<string>['values']>('texts') })

async function rewriteObjects(
  app: ImportApp,
  { className, fields }: Exclude<TextsOf, 'messages'>,
  request: RewriteRequest,
): Promise<RewrittenPage> {
  const { database } = app.objects
  const { table } = await app.objects.classes.find(className)
  const names = await fieldsOf(app, className, fields)
  const after = request.after ?? ''
  if (names.length === 0) return { changed: 0, urls: 0, missed: 0, after: null }
  const [border] = await database.query(sql`
    SELECT id FROM ${table} WHERE id > ${after} ORDER BY id OFFSET ${ROWS - 1}::bigint LIMIT 1`)
  const last = border ? text('id')(border) : null
  const { rows } = await database.search(sql`
    SELECT id, texts
    FROM (
      SELECT id, texts, sum(length(texts)) OVER (ORDER BY id) - length(texts) AS before
      FROM (
        SELECT stored.id, jsonb_object_agg(field.key, field.value)::text AS texts
        FROM ${table} AS stored
        CROSS JOIN LATERAL jsonb_each(stored.data) AS field
        WHERE stored.id > ${after} AND (${last}::text IS NULL OR stored.id <= ${last})
          AND field.key = ANY(${names}::text[]) AND field.value::text ILIKE ANY(${patterns(request.formerHosts)}::text[])
        GROUP BY stored.id
      ) AS hit
    ) AS measured
    WHERE before < ${MAX_TEXT}::bigint
    ORDER BY id`)
  const hits = rows.map(objectHit)
  const isCut = textsIn(rows) >= MAX_TEXT
  const { changes, urls } = await changesOf(app, hits, request)
  let changed = 0
  await database.transaction(async (transaction) => {
    const written = await transaction.query(sql`
      WITH given AS (
        SELECT *
        FROM unnest(
          ${changes.map(({ key }) => key)}::text[], ${changes.map(({ before }) => JSON.stringify(before))}::jsonb[],
          ${changes.map(({ values }) => JSON.stringify(values))}::jsonb[]
        ) AS given (id, before, changes)
      ), locked AS (
        SELECT stored.id, given.changes
        FROM ${table} AS stored
        JOIN given ON given.id = stored.id COLLATE "C"
        WHERE NOT EXISTS (
          SELECT FROM jsonb_each(given.before) AS was WHERE stored.data->was.key IS DISTINCT FROM was.value
        )
        ORDER BY stored.id
        FOR UPDATE OF stored
      )
      UPDATE ${table} AS stored
      SET data = stored.data || locked.changes
      FROM locked
      WHERE stored.id = locked.id
      RETURNING 1 AS written`)
    changed = written.length
  })
  if (changed > 0) noteWrite(app.objects, className)
  return { changed, urls, missed: changes.length - changed, after: isCut ? hits.at(-1)!.key : last }
}

/** Returns the fields to search. @throws ApiError */
async function fieldsOf(
  { objects }: ImportApp,
  className: string,
  fields: readonly string[] | null,
): Promise<readonly string[]> {
  if (className === FILE) {
    if (fields === null) return []
    throw errors.badArgument(notice('rewriteOfFiles'))
  }
  const { fields: known } = await objects.classes.find(className)
  const possible = [...known.values()].filter(({ type }) => TEXT_TYPES.has(type.type)).map(({ name }) => name)
  const unknown = fields?.find((name) => !possible.includes(name))
  if (unknown !== undefined)
    throw errors.badArgument(notice('rewriteFieldMissing', { className, field: unknown.slice(0, 60) }))
  return fields ?? possible
}

type MessageKey = readonly [thread: string, ts: string, id: string]

const [thread, ts, id] = [text('thread'), text('ts'), text('id')]

const messageKeyOf: Decoder<MessageKey> = (row) => [thread(row), ts(row), id(row)]

const messageHit: Decoder<Hit<MessageKey>> = rowDecoder({
  key: messageKeyOf,
  values: rowDecoder({ content: texts }),
})

async function rewriteMessages(app: ImportApp, request: RewriteRequest): Promise<RewrittenPage> {
  const { database } = app.objects
  const { messages } = app.messaging.tables
  const afterKey = (key: MessageKey) => sql`(thread, ts, id) > (${key[0]}, ${key[1]}::bigint, ${key[2]})`
  const after = messageKey(request.after)
  const [border] = await database.query(sql`
    SELECT thread, ts::text AS ts, id FROM ${messages} WHERE ${afterKey(after)}
    ORDER BY thread, ts, id OFFSET ${ROWS - 1}::bigint LIMIT 1`)
  const last = border ? messageKeyOf(border) : null
  const { rows } = await database.search(sql`
    SELECT thread, ts, id, texts
    FROM (
      SELECT thread, ts::text AS ts, id, content AS texts,
        sum(length(content)) OVER (ORDER BY thread, messages.ts, id) - length(content) AS before
      FROM ${messages} AS messages
      WHERE ${afterKey(after)} AND ${last ? sql`NOT ${afterKey(last)}` : sql`TRUE`}
        AND NOT bin AND content ILIKE ANY(${patterns(request.formerHosts)}::text[])
    ) AS measured
    WHERE before < ${MAX_TEXT}::bigint
    ORDER BY thread, measured.ts::bigint, id`)
  const hits = rows.map(messageHit)
  const isCut = textsIn(rows) >= MAX_TEXT
  const { changes, urls } = await changesOf(app, hits, request)
  const column = (read: (change: (typeof changes)[number]) => Json | undefined) =>
    changes.map((change) => String(read(change)))
  let changed = 0
  await database.transaction(async (transaction) => {
    const written = await transaction.query(sql`
      WITH locked AS (
        SELECT message.thread, message.ts, message.id, given.content
        FROM unnest(
          ${column(({ key }) => key[0])}::text[], ${column(({ key }) => key[1])}::bigint[],
          ${column(({ key }) => key[2])}::text[], ${column(({ before }) => before.content)}::text[],
          ${column(({ values }) => values.content)}::text[]
        ) AS given (thread, ts, id, before, content)
        JOIN ${messages} AS message
          ON message.thread = given.thread COLLATE "C" AND message.ts = given.ts AND message.id = given.id COLLATE "C"
        WHERE message.content = given.before
        ORDER BY message.thread, message.ts, message.id
        FOR UPDATE OF message
      )
      UPDATE ${messages} AS message
      SET content = locked.content
      FROM locked
      WHERE message.thread = locked.thread AND message.ts = locked.ts AND message.id = locked.id
      RETURNING 1 AS written`)
    changed = written.length
  })
  const next = isCut ? hits.at(-1)!.key : last
  return { changed, urls, missed: changes.length - changed, after: next && JSON.stringify(next) }
}

function messageKey(after: string | null): MessageKey {
  if (after === null) return ['', '0', '']
  try {
    const key = JSON.parse(after) as unknown
    if (
      Array.isArray(key) &&
      key.length === 3 &&
      key.every((part) => typeof part === 'string') &&
      /^\d{1,18}$/.test(String(key[1]))
    )
      return key as unknown as MessageKey
  } catch {
    // Reported below.
  }
  throw errors.badArgument("'after' must be the value returned with the previous page.")
}

function textsIn(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + texts(row).length, 0)
}

/** Returns LIKE patterns for texts that contain one of the hosts. */
function patterns(formerHosts: readonly string[]): string[] {
  const hosts = new Set(formerHosts.map((formerHost) => formerHost.split('/')[0]!.toLowerCase()))
  return [...hosts].map((host) => `%${host.replaceAll(/[\\%_]/g, '\\$&')}%`)
}

interface Change<Key> extends Hit<Key> {
  /** The former `values`. */
  readonly before: Hit<Key>['values']
}

/** Computes the changed rows, and the number of changed URLs. */
export async function changesOf<Key>(
  app: ImportApp,
  hits: readonly Hit<Key>[],
  { formerHosts, urlOf }: Pick<RewriteRequest, 'formerHosts' | 'urlOf'>,
): Promise<{ readonly changes: readonly Change<Key>[]; readonly urls: number }> {
  const find = urlFinder(formerHosts)
  const keys = new Set<string>()
  for (const { values } of hits)
    eachText(values, (text) => {
      for (const found of find(text)) for (const { key } of found.keys) keys.add(key)
      return text
    })
  const known = await keysHere(app.objects.database, app.files.tables.files, [...keys])
  const urls = new Map(known.map((key) => [key, urlOf(key)]))
  let count = 0
  const changes: Change<Key>[] = []
  for (const { key, values } of hits) {
    const entries = Object.entries(values).flatMap(([field, value]) => {
      const [changed, among] = rewritten(value, find, urls)
      count += among
      return among > 0 ? [[field, value, changed] as const] : []
    })
    if (entries.length === 0) continue
    changes.push({
      key,
      before: Object.fromEntries(entries.map(([field, before]) => [field, before])),
      values: Object.fromEntries(entries.map(([field, , changed]) => [field, changed])),
    })
  }
  return { changes, urls: count }
}

function rewritten(value: Json, find: UrlFinder, urls: ReadonlyMap<string, string>): readonly [Json, number] {
  let count = 0
  const changed = eachText(value, (text) => {
    const other = withUrls(text, find(text), urls)
    count += other.count
    return other.text
  })
  return [changed, count]
}

/** Applies a change to all texts in a value, at any depth. */
function eachText(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => eachText(one, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, eachText(one ?? null, change)]))
}

/** Returns the keys whose bytes are stored here. */
async function keysHere(executor: Pick<Executor, 'query'>, files: Sql, keys: readonly string[]): Promise<string[]> {
  const possible = keys.filter((key) => key.isWellFormed() && !key.includes('\0'))
  if (possible.length === 0) return []
  const rows = await executor.query(sql`SELECT key FROM ${files} WHERE key = ANY(${possible}::text[])`)
  return rows.map(text('key'))
}

/** Returns the former hosts of files according to their records, the most frequent first, at most a hundred. */
export async function formerHosts({ objects }: ImportApp): Promise<string[]> {
  const { table } = objects.classes.get(FILE)!
  const { rows } = await objects.database.search(sql`
    SELECT lower(substring(data->>'url' FROM '^https?://([^/?#@]+)/')) AS host, count(*) AS count
    FROM ${table}
    WHERE data ? 'key' AND data->'metaData'->>'__source' IS DISTINCT FROM 'external'
      AND right(split_part(split_part(data->>'url', '?', 1), '#', 1), length(data->>'key') + 1) = '/' || (data->>'key')
    GROUP BY 1
    ORDER BY 2 DESC
    LIMIT 100`)
  return rows.map(text.orNull('host')).filter((host) => host !== null)
}
