import { raw, type Sql, sql } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import type { Caller } from '../../objects/access/caller.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import { appPrincipal } from '../../scheduling/principal.ts'
import type { SearchIndex } from '../indexing/indexes.ts'
import { EVERYONE } from '../indexing/write-words.ts'
import type { CompiledQuery } from '../query/compile.ts'
import type { Search } from '../search.ts'
import { serverHits } from '../server/server-hits.ts'
import { MissingIndex } from '../server/server-index.ts'
import { serverQuery } from './server-query.ts'
import { conditionOf, tsqueryOf } from './tsquery.ts'

/** A query on the index of one class. */
export interface CandidateQuery {
  readonly schema: ClassSchema
  readonly index: SearchIndex
  readonly compiled: CompiledQuery
  readonly caller: Caller
  /** Maximum number of candidates; the newest are returned. */
  readonly limit: number
  /** Excludes objects with a greater id; null: no limit. */
  readonly newest: string | null
  /** Whether the length of an object affects its rank. Only if the caller may see all of its words. */
  readonly isLengthKnown: boolean
}

/**
 * The results of an index, as parts of a statement in which the rows of `from` are joined with the class by their `object_id`.
 * The caller's read permission must still be checked on the object.
 */
export interface Candidates {
  readonly from: Sql
  /** Condition on such a row and its object. */
  readonly condition: Sql
  /** The rank of the object for each ranked term, as float8; 0: it does not contain the term. */
  readonly ranks: readonly Sql[]
}

/** Maximum grants of a caller that are used to filter the index. */
const MAX_GRANTS = 100

/**
 * Queries the index of a class, in PostgreSQL or on a search server.
 * @throws ApiError 503 when the search server is unavailable or its index is not complete yet; 429, 499, and 102 when the query
 *   exceeds the limits of the search server
 */
export async function candidatesOf(search: Search, query: CandidateQuery): Promise<Candidates> {
  return query.index.serverIndex === null ? fromTable(query) : fromServer(search, query, query.index.serverIndex)
}

/**
 * Queries an index in PostgreSQL. Its read permissions are only a pre-filter: an object that has just been shared with the caller
 * can be missing. The object itself decides whether the caller may read it.
 */
export function fromTable({ index, compiled, caller, isLengthKnown, newest }: CandidateQuery): Candidates {
  const isMatch = conditionOf(compiled.query, index.table)
  const mayBeAllowed =
    caller.master || caller.grants.length > MAX_GRANTS
      ? raw('TRUE')
      : sql`allowed && ${[EVERYONE, ...caller.grants]}::text[]`
  const isOldEnough = newest === null ? raw('TRUE') : sql`object_id <= ${newest}::text COLLATE "C"`
  const length = raw(isLengthKnown ? '1' : '0')
  return {
    from: index.table,
    condition: sql`${isMatch} AND ${mayBeAllowed} AND ${isOldEnough}`,
    ranks: compiled.ranked.map(
      ({ words, boost }) => sql`(${boost}::float8 * ts_rank(words, ${tsqueryOf(words)}::tsquery, ${length}))::float8`,
    ),
  }
}

async function fromServer(search: Search, query: CandidateQuery, name: string): Promise<Candidates> {
  const { index, compiled, caller, limit, newest, isLengthKnown } = query
  if (!search.server || !index.isComplete) throw errors.searchUnavailable()
  const { clause, named, condition, ranks } = serverQuery(compiled.query, compiled.ranked)
  const filter = [
    clause,
    ...(caller.master ? [] : [{ terms: { allowed: [EVERYONE, ...caller.grants] } }]),
    ...(newest === null ? [] : [{ range: { object: { lte: newest } } }]),
  ]
  const wantsShare = isLengthKnown && ranks.length > 0
  const body = {
    query: { bool: { filter, should: named, minimum_should_match: 0 } },
    size: limit,
    sort: [{ object: 'desc' }],
    track_total_hits: false,
    ...(wantsShare && { docvalue_fields: ['share'] }),
  }
  const principal = caller.origin?.principal ?? appPrincipal(search.objects.appId)
  const { status, text } = await search.server.search(`/${name}/_search?${WANTED}`, body, principal)
  if (status === 404) await search.indexes.lost(new MissingIndex(name))
  if (status === 400)
    throw errors.invalidQuery(
      "The parameter 'q' is too complex for the search server; name fields, or use fewer words.",
    )
  // An incomplete result would be wrong, so the search fails.
  const hits = status === 200 ? serverHits(text, named.length) : null
  if (!hits) throw errors.searchUnavailable()
  return {
    from: sql`(
      SELECT id COLLATE "C" AS object_id, matched::jsonb AS matched, COALESCE(share, 1) AS share
      FROM unnest(${hits.ids}::text[], ${hits.matched}::text[], ${hits.shares}::float8[]) AS hit (id, matched, share)
    ) AS found_by_server`,
    condition,
    ranks: ranks.map(
      (isThere, position) =>
        sql`CASE WHEN ${isThere} THEN ${compiled.ranked[position]!.boost}::float8 * share ELSE 0::float8 END`,
    ),
  }
}

const WANTED =
  'allow_partial_search_results=false&filter_path=timed_out,_shards.failed,hits.hits._id,hits.hits.matched_queries,hits.hits.fields'
