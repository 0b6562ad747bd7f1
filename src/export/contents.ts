import type pg from 'pg'
import type { Database } from '../database/pool.ts'
import { isBuiltIn } from '../objects/classes/built-in-classes.ts'
import type { ClassSchema } from '../objects/classes/class-schema.ts'
import { schemaEntry } from '../objects/classes/schema-listing.ts'
import type { ObjectStore } from '../objects/store.ts'
import type { ArchiveFile } from './archive.ts'
import type { ExportRequest } from './export-request.ts'
import { objectLines, relationLines } from './rows.ts'

/**
 * Runs `work` on a connection that sees one snapshot of the data, however long it takes. When `signal` aborts, the connection is
 * closed, which ends a running statement.
 */
export async function atOneMoment<T>(
  database: Database,
  signal: AbortSignal,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const client = await database.dedicated('background')
  const cut = () => void client.end()
  signal.addEventListener('abort', cut)
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    // The snapshot is taken by the first statement, not by BEGIN.
    await client.query('SELECT')
    return await work(client)
  } finally {
    signal.removeEventListener('abort', cut)
    await client.end()
  }
}

/**
 * Yields the files of an export (protocol/moving-in, Users in exports): `schema.json` in the form of GET /1.1/schemas, and the
 * objects of each class in `<Class>.jsonl`. Members of relations are in `<Class>.<field>.relation.jsonl`, in the form of the
 * hosted service's import, because the form of its export is not known. Built-in classes without objects have no file unless they
 * were requested. Relations without members have no file.
 */
export async function* filesOf(
  store: ObjectStore,
  client: pg.Client,
  request: ExportRequest,
): AsyncGenerator<ArchiveFile> {
  await store.classes.refreshIfChanged()
  const schemas = chosen(store, request.classes)
  const listing = Object.fromEntries(schemas.map((schema) => [schema.name, schemaEntry(schema)]))
  yield { name: 'schema.json', content: [`${JSON.stringify(listing, null, 2)}\n`] }
  if (request.schemaOnly) return
  for (const schema of schemas) {
    const optional = request.classes === null && isBuiltIn(schema.name)
    yield {
      name: `${schema.name}.jsonl`,
      content: objectLines(client, schema, store.rules.get(schema.name), request),
      optional,
    }
    for (const { name: field } of schema.relationFields) {
      const content = relationLines(client, store.relations, schema, field, request)
      yield { name: `${schema.name}.${field}.relation.jsonl`, content, optional: true }
    }
  }
}

/** Returns the requested classes. A class that was removed after the request is skipped. */
function chosen(store: ObjectStore, names: readonly string[] | null): ClassSchema[] {
  return names ? names.flatMap((name) => store.classes.get(name) ?? []) : store.classes.all()
}
