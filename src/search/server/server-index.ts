import { z } from 'zod'
import type { ServerDocument } from '../indexing/server-document.ts'
import { type SearchServer, SearchServerFailure } from './search-server.ts'

/** Maximum objects of one search response. */
const MAX_FOUND = 50_000
/** Characters of changes in one request. */
const MAX_SENT = 4_000_000
/** Milliseconds until writes are visible to searches. */
const VISIBLE = 200

/** The current state of an object; without a document it was deleted. */
export interface ObjectChange {
  readonly id: string
  readonly document: (ServerDocument & { readonly allowed: readonly string[] }) | null
}

/** Thrown when an index is missing on the server: it has not been created yet, or was lost. */
export class MissingIndex extends Error {
  readonly index: string

  constructor(index: string) {
    super(`The search server has no index '${index}'.`)
    this.index = index
  }
}

/** Returns the alias for writes. Writing to an alias, unlike to an index name, never creates an index. */
function aliasOf(name: string): string {
  return `${name}-writes`
}

/** Creates an index unless it exists. @param origin metadata for the administrator */
export async function makeServerIndex(
  server: SearchServer,
  name: string,
  origin: { readonly app: string; readonly class: string },
): Promise<void> {
  const { status, text } = await server.write('PUT', `/${name}`, {
    aliases: { [aliasOf(name)]: {} },
    ...layout(origin),
  })
  if (status !== 200 && !text.includes('resource_already_exists_exception')) throw refused(status, text)
}

/**
 * Returns the settings of an index. Words are sent already cut: separated by spaces, with inner words after their word. Objects
 * are sorted newest first.
 */
function layout(origin: object): object {
  return {
    settings: {
      number_of_shards: 1,
      auto_expand_replicas: '0-1',
      refresh_interval: `${VISIBLE}ms`,
      max_result_window: MAX_FOUND,
      'index.sort.field': 'object',
      'index.sort.order': 'desc',
      analysis: {
        tokenizer: { words: { type: 'whitespace', max_token_length: 4000 } },
        filter: { inner: { type: 'pattern_capture', preserve_original: false, patterns: ['([^|]+)'] } },
        analyzer: { words: { tokenizer: 'words', filter: ['inner'] } },
      },
    },
    mappings: {
      _meta: origin,
      dynamic: 'strict',
      _source: { enabled: false },
      properties: {
        object: { type: 'keyword' },
        allowed: { type: 'keyword', doc_values: false },
        words: { type: 'text', analyzer: 'words', search_analyzer: 'whitespace', norms: false },
        share: { type: 'float', index: false },
      },
    },
  }
}

/**
 * Sends changes to an index.
 * @param version increases with each read of the objects, so that an older state never replaces a newer one
 * @throws MissingIndex, SearchServerFailure
 */
export async function sendChanges(
  server: SearchServer,
  name: string,
  changes: readonly ObjectChange[],
  version: number,
): Promise<void> {
  const query = 'require_alias=true&filter_path=errors,items.*.status,items.*.error.type'
  for (const lines of portions(changes, version)) {
    const { status, text } = await server.write('POST', `/${aliasOf(name)}/_bulk?${query}`, lines)
    if (text.includes('index_not_found_exception')) throw new MissingIndex(name)
    const failed = status === 200 ? failures(text) : [String(status)]
    // A version conflict is retried with a later version: after a database failover the clock may be behind.
    if (failed.length > 0) throw new SearchServerFailure(`it rejects changes: ${failed[0]}`)
  }
}

function* portions(changes: readonly ObjectChange[], version: number): Generator<string> {
  let lines = ''
  for (const { id, document } of changes) {
    const action = { _id: id, version, version_type: 'external_gte' }
    lines += document
      ? `${JSON.stringify({ index: action })}\n${JSON.stringify({ object: id, ...document })}\n`
      : `${JSON.stringify({ delete: action })}\n`
    if (lines.length < MAX_SENT) continue
    yield lines
    lines = ''
  }
  if (lines !== '') yield lines
}

const bulkAnswer = z.object({
  errors: z.boolean(),
  items: z
    .array(z.record(z.string(), z.object({ status: z.number(), error: z.object({ type: z.string() }).optional() })))
    .default([]),
})

/** Returns the failed changes. A deletion of a missing object does not count. */
function failures(text: string): string[] {
  const answer = bulkAnswer.safeParse(parsed(text))
  if (!answer.success) return ['the response is not that of a search server']
  return answer.data.items.flatMap((item) =>
    Object.values(item).flatMap(({ status, error }) => (error ? [`${status} ${error.type.slice(0, 100)}`] : [])),
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Makes all sent changes visible to searches. @throws MissingIndex, SearchServerFailure */
export async function showChanges(server: SearchServer, name: string): Promise<void> {
  const { status, text } = await server.write('POST', `/${name}/_refresh`)
  if (status === 404) throw new MissingIndex(name)
  if (status !== 200) throw refused(status, text)
}

/** Deletes an index, if it exists. */
export async function removeServerIndex(server: SearchServer, name: string): Promise<void> {
  const { status, text } = await server.write('DELETE', `/${name}`)
  if (status !== 200 && status !== 404) throw refused(status, text)
}

function refused(status: number, text: string): SearchServerFailure {
  return new SearchServerFailure(
    `it returned status ${status}: ${/"type":"(\w+)"/.exec(text)?.[1] ?? 'no reason given'}`,
  )
}
