import { isJsonObject, type Json, MAX_WIRE_DEPTH, member } from '../../values/json.ts'
import { extentOf } from '../../values/json-extent.ts'
import { isObjectId } from '../../values/names.ts'

/** Objects that a search server has found, column by column: the same place of each is one object. */
export interface ServerHits {
  readonly ids: readonly string[]
  /** The names of the queries that the object meets, as JSON. */
  readonly matched: readonly string[]
  /** What the length of the object makes of its rank; null where it was not requested. */
  readonly shares: readonly (string | null)[]
}

/** Values of a response: a hit has some, and one for each name. */
const MAX_VALUES = 4_000_000

/**
 * Reads what a search server answers to a search. The server is another program, perhaps behind a proxy with pages of its own, and the
 * database would fail with an unexpected error at anything else than hits.
 * @param asks how many queries have names: `n0`, `n1`, …
 * @returns null for what is not the whole answer to a search
 */
export function serverHits(text: string, asks: number): ServerHits | null {
  const answer = parsed(text)
  if (!isJsonObject(answer) || answer.timed_out !== false) return null
  if (!isJsonObject(answer._shards) || answer._shards.failed !== 0) return null
  // Without any hit there is no list: only paths with something below are sent.
  const outer = member(answer, 'hits') ?? {}
  const hits = isJsonObject(outer) ? (member(outer, 'hits') ?? []) : null
  if (!Array.isArray(hits)) return null
  const ids: string[] = []
  const matched: string[] = []
  const shares: (string | null)[] = []
  for (const hit of hits as readonly Json[]) {
    if (!isJsonObject(hit) || !isObjectId(hit._id)) return null
    ids.push(hit._id)
    matched.push(JSON.stringify(namesIn(hit.matched_queries, asks)))
    shares.push(shareIn(hit.fields))
  }
  return { ids, matched, shares }
}

function namesIn(names: Json | undefined, asks: number): string[] {
  if (!Array.isArray(names)) return []
  const known = new Set(Array.from({ length: asks }, (_, number) => `n${number}`))
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
