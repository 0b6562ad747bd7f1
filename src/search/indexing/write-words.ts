import { number } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import { arrayLiteral, sql } from '../../database/sql.ts'
import type { Search } from '../search.ts'
import type { SearchServer } from '../server/search-server.ts'
import { makeServerIndex, type ObjectChange, sendChanges, showChanges } from '../server/server-index.ts'
import { indexedDocument } from './document.ts'
import type { SearchIndex } from './indexes.ts'
import { type ServerDocument, serverDocument } from './server-document.ts'

/** Grant for objects that everyone may read. */
export const EVERYONE = '*'

/** An object as it is indexed, with its words in the format of the table or of the search server. */
export interface IndexedObject {
  readonly id: string
  readonly words: string | ServerDocument
  readonly allowed: readonly string[]
}

/**
 * Returns the index entry of an object. Pauses after each word. @param texts by field number @param readers as in the row; null:
 * everyone
 */
export function* indexedObject(
  { serverIndex }: SearchIndex,
  id: string,
  texts: ReadonlyMap<number, string>,
  readers: readonly string[] | null,
): Generator<undefined, IndexedObject, undefined> {
  const words = serverIndex === null ? yield* indexedDocument(texts) : yield* serverDocument(texts)
  return { id, words, allowed: readers ?? [EVERYONE] }
}

/**
 * Creates the index on the search server if needed. The table of an index in PostgreSQL is created together with its row of
 * `$search_indexes`.
 */
export async function beginWords(search: Search, { serverIndex }: SearchIndex, className: string): Promise<void> {
  if (serverIndex === null) return
  await makeServerIndex(serverOf(search), serverIndex, { app: search.objects.appId, class: className })
}

/**
 * Writes the words of objects to an index, and deletes those of others.
 * @throws MissingIndex, SearchServerFailure
 */
export async function writeWords(
  search: Search,
  transaction: Executor,
  index: SearchIndex,
  objects: readonly IndexedObject[],
  deleted: readonly string[],
): Promise<void> {
  if (index.serverIndex === null) await writeToTable(transaction, index, objects, deleted)
  else await writeToServer(search, transaction, index.serverIndex, objects, deleted)
}

/** Makes written words visible to searches. @throws MissingIndex, SearchServerFailure */
export async function showWords(search: Search, { serverIndex }: SearchIndex): Promise<void> {
  if (serverIndex !== null) await showChanges(serverOf(search), serverIndex)
}

async function writeToTable(
  transaction: Executor,
  { table }: SearchIndex,
  objects: readonly IndexedObject[],
  deleted: readonly string[],
): Promise<void> {
  if (objects.length > 0)
    await transaction.query(sql`
      INSERT INTO ${table} AS old (object_id, words, allowed)
      SELECT id, words::tsvector, allowed::text[]
      FROM unnest(
        ${objects.map(({ id }) => id)}::text[],
        ${objects.map(({ words }) => words as string)}::text[],
        ${objects.map(({ allowed }) => arrayLiteral(allowed))}::text[]
      ) AS new (id, words, allowed)
      ON CONFLICT (object_id) DO UPDATE SET words = excluded.words, allowed = excluded.allowed
      WHERE (old.words, old.allowed) IS DISTINCT FROM (excluded.words, excluded.allowed)`)
  if (deleted.length > 0)
    await transaction.query(sql`DELETE FROM ${table} WHERE object_id = ANY(${[...deleted]}::text[])`)
}

/**
 * Writes to the search server, with the time as version. The transaction holds the index lock while it reads objects, so a later
 * transaction has a later time.
 */
async function writeToServer(
  search: Search,
  transaction: Executor,
  name: string,
  objects: readonly IndexedObject[],
  deleted: readonly string[],
): Promise<void> {
  const [row] = await transaction.query(
    sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS version`,
  )
  const changes: ObjectChange[] = [
    ...objects.map(({ id, words, allowed }) => ({ id, document: { ...(words as ServerDocument), allowed } })),
    ...deleted.map((id) => ({ id, document: null })),
  ]
  await sendChanges(serverOf(search), name, changes, number('version')(row!))
}

function serverOf({ server }: Search): SearchServer {
  if (!server) throw new Error('The words are on a search server, and this node knows none.')
  return server
}
