import { number, rowDecoder, text } from '../database/decode-row.ts'
import type { Row } from '../database/row.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { Principal } from '../scheduling/principal.ts'
import type { Ranking } from './leaderboard-tables.ts'
import type { Leaderboards } from './leaderboards.ts'
import { MANY_CHANGES } from './rank-counts.ts'

/** A member with its rank. */
export interface RankedMember {
  /** Starts at 0. */
  readonly rank: number
  readonly member: string
  /** The member's value multiplied by the direction of the board. */
  readonly score: number
}

/** Start rank up to which a page is found by scanning the ranking from its beginning, without the buckets. */
const NEAR = 200

/**
 * Returns a member with its neighbors. Its rank is the exact number of members before it at this moment: the sum of the buckets
 * before its own, plus the changes that are not counted there yet, plus the members before it in its own bucket.
 * @param limit maximum number of members; up to half of them before the member
 * @returns an empty list when it has no value
 */
export async function membersAround(
  { database, tables, counts }: Leaderboards,
  ranking: Ranking,
  member: string,
  limit: number,
  principal: Principal | undefined,
): Promise<RankedMember[]> {
  const { board, version } = ranking
  const { statistics, rankBuckets, changes } = tables
  const before = Math.floor(limit / 2)
  const of = sql`board = ${board} AND version = ${version}`
  const position = sql`(SELECT score FROM target), (SELECT reached FROM target)`
  const bucket = sql`(SELECT score FROM bucket), (SELECT reached FROM bucket)`
  const upper = sql`(SELECT score FROM upper_bucket), (SELECT reached FROM upper_bucket)`
  const standing = (level: number) => sql`
    SELECT score, reached FROM ${rankBuckets}
    WHERE ${of} AND level = ${level} AND (score, reached) <= (${position})
    ORDER BY score DESC, reached DESC
    LIMIT 1`
  const rows = await database.query(
    sql`
      WITH target AS MATERIALIZED (SELECT score, reached FROM ${statistics} WHERE ${of} AND member = ${member}),
      bucket AS MATERIALIZED (${standing(0)}),
      upper_bucket AS MATERIALIZED (${standing(1)}),
      uncounted AS (
        SELECT coalesce(sum(delta), 0) AS members, count(*) AS changes FROM ${changes}
        WHERE ${of} AND (score, reached) < (${bucket})
      ),
      counted AS (
        SELECT coalesce(sum(members), 0) AS members FROM ${rankBuckets}
        WHERE ${of} AND level = 1 AND (score, reached) < (${upper})
        UNION ALL
        SELECT coalesce(sum(members), 0) FROM ${rankBuckets}
        WHERE ${of} AND level = 0 AND (score, reached) >= (${upper})
          AND (score, reached) < (${bucket})
        UNION ALL
        SELECT count(*) FROM ${statistics}
        WHERE ${of} AND (score, reached) >= (${bucket})
          AND (score, reached) < (${position})
        UNION ALL
        SELECT members FROM uncounted
      )
      SELECT member, score, (SELECT sum(members) FROM counted) AS rank, (SELECT changes FROM uncounted) AS changes
      FROM (
        (
          SELECT member, score, reached FROM ${statistics}
          WHERE ${of} AND (score, reached) < (${position})
          ORDER BY score DESC, reached DESC
          LIMIT ${before}
        )
        UNION ALL
        (
          SELECT member, score, reached FROM ${statistics}
          WHERE ${of} AND (score, reached) >= (${position})
          ORDER BY score, reached
          LIMIT ${limit}
        )
      ) AS around
      ORDER BY around.score, around.reached`,
    principal,
  )
  const [first] = rows
  if (!first) return []
  noteUncounted(counts, ranking, first)
  const rank = number('rank')(first)
  return rankedFrom(Math.max(0, rank - before), rows.slice(0, limit))
}

/**
 * Returns members in order of rank.
 * @param start rank of the first member
 * @param limit maximum number of members
 */
export async function membersFrom(
  leaderboards: Leaderboards,
  ranking: Ranking,
  start: number,
  limit: number,
  principal: Principal | undefined,
): Promise<RankedMember[]> {
  return rankedFrom(
    start,
    await (start <= NEAR ? nearMembers : farMembers)(leaderboards, ranking, start, limit, principal),
  )
}

function rankedFrom(start: number, rows: readonly Row[]): RankedMember[] {
  return rows.map((row, index) => ({ rank: start + index, ...decodeRanked(row) }))
}

const decodeRanked = rowDecoder({ member: text('member'), score: number('score') })

async function nearMembers(
  { database, tables }: Leaderboards,
  { board, version }: Ranking,
  start: number,
  limit: number,
  principal: Principal | undefined,
): Promise<Row[]> {
  return database.query(
    sql`
      SELECT member, score FROM ${tables.statistics}
      WHERE board = ${board} AND version = ${version}
      ORDER BY score, reached
      LIMIT ${limit} OFFSET ${start}`,
    principal,
  )
}

/** Finds the buckets of both levels that contain the first member, and reads from there. */
async function farMembers(
  { database, tables, counts }: Leaderboards,
  ranking: Ranking,
  start: number,
  limit: number,
  principal: Principal | undefined,
): Promise<Row[]> {
  const { board, version } = ranking
  const { statistics, rankBuckets, changes } = tables
  const of = sql`board = ${board} AND version = ${version}`
  // Returns the last bucket of a level that meets a condition and has at most `start` members before it. Uncounted changes are
  // merged at their positions, after a bucket at the same position, so that one pass is enough.
  const bucketOf = (level: number, condition: Sql, begin: Sql) => sql`
    SELECT score, reached, before
    FROM (
      SELECT score, reached, is_bucket, ${begin} + coalesce(sum(members) OVER (
        ORDER BY score, reached, is_bucket DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
      FROM (
        SELECT score, reached, members, true AS is_bucket
        FROM ${rankBuckets} AS entry WHERE ${of} AND level = ${level} AND ${condition}
        UNION ALL
        SELECT score, reached, delta, false FROM ${changes} AS entry WHERE ${of} AND ${condition}
      ) AS entries
    ) AS summed
    WHERE is_bucket AND before <= ${start}
    ORDER BY score DESC, reached DESC
    LIMIT 1`
  const afterUpper = sql`(entry.score, entry.reached) >= ((SELECT score FROM upper_bucket), (SELECT reached FROM upper_bucket))
    AND (entry.score, entry.reached) < ((SELECT score FROM following), (SELECT reached FROM following))`
  const rows = await database.query(
    sql`
      WITH upper_bucket AS MATERIALIZED (${bucketOf(1, sql`true`, sql`0`)}),
      following AS MATERIALIZED (
        SELECT score, reached FROM (
          SELECT score, reached FROM ${rankBuckets}
          WHERE ${of} AND level = 1 AND (score, reached) > (SELECT score, reached FROM upper_bucket)
          UNION ALL
          SELECT 'infinity', 9223372036854775807
        ) AS bounds
        ORDER BY score, reached
        LIMIT 1
      ),
      bucket AS MATERIALIZED (${bucketOf(0, afterUpper, sql`(SELECT before FROM upper_bucket)`)})
      SELECT member, score, (SELECT count(*) FROM ${changes} WHERE ${of}) AS changes
      FROM ${statistics}
      WHERE ${of} AND (score, reached) >= ((SELECT score FROM bucket), (SELECT reached FROM bucket))
      ORDER BY score, reached
      LIMIT ${limit} OFFSET ${start}::bigint - (SELECT before FROM bucket)::bigint`,
    principal,
  )
  if (rows[0]) noteUncounted(counts, ranking, rows[0])
  return rows
}

/** Returns the number of members of a ranking. */
export async function countMembers(
  { database, tables }: Leaderboards,
  { board, version }: Ranking,
  principal: Principal | undefined,
): Promise<number> {
  const { rankBuckets, changes } = tables
  const [row] = await database.query(
    sql`
      SELECT coalesce((SELECT sum(members) FROM ${rankBuckets} WHERE board = ${board} AND version = ${version} AND level = 1), 0)
        + coalesce((SELECT sum(delta) FROM ${changes} WHERE board = ${board} AND version = ${version}), 0) AS members`,
    principal,
  )
  return number('members')(row!)
}

/** Returns some members in order of rank among themselves. Members without a value are left out. */
export async function membersAmong(
  { database, tables }: Leaderboards,
  { board, version }: Ranking,
  members: readonly string[],
  principal: Principal | undefined,
): Promise<RankedMember[]> {
  const rows = await database.query(
    sql`
      SELECT member, score FROM ${tables.statistics}
      WHERE board = ${board} AND version = ${version} AND member = ANY(${members}::text[])
      ORDER BY score, reached`,
    principal,
  )
  return rankedFrom(0, rows)
}

/** Triggers a count when a query finds many uncounted changes, such as those of a crashed node. */
function noteUncounted(counts: Leaderboards['counts'], ranking: Ranking, row: Row): void {
  const changes = number('changes')(row)
  if (changes > 4 * MANY_CHANGES) counts.note(ranking, changes)
}
