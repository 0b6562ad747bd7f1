import { isJsonObject, type Json, MAX_WIRE_DEPTH, member } from '../../values/json.ts'
import { extentOf } from '../../values/json-extent.ts'
import { isObjectId } from '../../values/names.ts'

/** The hits of a search, column by column: the same index in each is one object. */
export interface ServerHits {
  readonly ids: readonly string[]
  /** Names of the matching queries, as JSON. */
  readonly matched: readonly string[]
  /** Weight by the length of the object; null when not requested. */
  readonly shares: readonly (string | null)[]
}

/** Maximum JSON values of a response: some per hit, and one per name. */
const MAX_VALUES = 4_000_000

/**
 * Parses the response to a search. The server is an external program, possibly behind a proxy with its own error pages, and
 * anything but hits would cause unexpected database errors.
 * @param namedQueries number of named queries: `n0`, `n1`, …
 * @returns null when the response is not a complete search result
 */
export function serverHits(text: string, namedQueries: number): ServerHits | null {
  const answer = parsed(text)
  if (!isJsonObject(answer) || answer.timed_out !== false) return null
  if (!isJsonObject(answer._shards) || answer._shards.failed !== 0) return null
  // Without hits there is no list, because the server sends only non-empty paths.
  const outer = member(answer, 'hits') ?? {}
  const hits = isJsonObject(outer) ? (member(outer, 'hits') ?? []) : null
  if (!Array.isArray(hits)) return null
  const ids: string[] = []
  const matched: string[] = []
  const shares: (string | null)[] = []
  for (const hit of hits as readonly Json[]) {
    if (!isJsonObject(hit) || !isObjectId(hit._id)) return null
    ids.push(hit._id)
    matched.push(JSON.stringify(namesIn(hit.matched_queries, namedQueries)))
    shares.push(shareIn(hit.fields))
  }
  return { ids, matched, shares }
}

function namesIn(names: Json | undefined, namedQueries: number): string[] {
  if (!Array.isArray(names)) return []
  const known = new Set(Array.from({ length: namedQueries }, (_, number) => `n${number}`))
  return [...new Set(names.filter((name): name is string => typeof name === 'string' && known.has(name)))]
}

function shareIn(fields: Json | undefined): string | null {
  const share = isJsonObject(fields) && Array.isArray(fields.share) ? fields.share[0] : null
  return typeof share === 'number' && Number.isFinite(share) ? String(share) : null
}

function parsed(text: string): unknown {
  const { tooDeep, tooMany } = extentOf(text, MAX_WIRE_DEPTH, MAX_VALUES)
  if (tooDeep || tooMany) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
