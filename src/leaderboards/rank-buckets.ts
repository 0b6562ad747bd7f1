import { number, rowDecoder, text } from '../database/decode-row.ts'
import type { Database, Executor } from '../database/pool.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { LeaderboardTables, Ranking } from './leaderboard-tables.ts'

/*
 * A rank bucket is a row with its lower bound, which is a position in a ranking, and the number of members from there up to the
 * next bucket of its level. Level 1 has fewer buckets: each begins at the bound of a level 0 bucket and holds the sum of the
 * level 0 buckets up to the next level 1 bucket. One transaction at a time changes the buckets of a ranking: it locks the row of
 * the first one.
 */

/** A position in a ranking. `score` and `reached` stay the texts from the database, so that they are sent back unchanged. */
interface RankBucket {
  readonly score: string
  readonly reached: string
  readonly members: number
}

/**
 * Maximum and minimum members of a bucket. Larger ones are split into buckets of half the maximum; smaller ones are merged into
 * the previous bucket.
 */
const MAX_MEMBERS = 256
const MIN_MEMBERS = 32

/** Maximum level 0 buckets between two of level 1. More are split into groups of half the maximum. */
const MAX_BUCKETS = 512

/** Changes counted by one transaction. */
const RUN = 5000

/** Positions before all members and after all members. */
const FIRST = sql`'-infinity'::float8, 0::bigint`
const LAST = sql`'infinity'::float8, 9223372036854775807::bigint`

/** Creates the first buckets of a ranking, before all members, if it has none. */
export async function openRanking(
  transaction: Executor,
  { rankBuckets }: LeaderboardTables,
  { board, version }: Ranking,
): Promise<void> {
  await transaction.query(sql`
    INSERT INTO ${rankBuckets} (board, version, level, score, reached, members)
    SELECT ${board}, ${version}, level, ${FIRST}, 0 FROM (VALUES (0), (1)) AS levels (level)
    ON CONFLICT DO NOTHING`)
}

/** Counts all pending changes of a ranking. Does nothing while another node is counting. */
export async function countChanges(database: Database, tables: LeaderboardTables, ranking: Ranking): Promise<void> {
  while ((await database.transaction((transaction) => countSome(transaction, tables, ranking))) === RUN);
}

/** Counts one batch. @returns the number of counted changes; 0 also when another node is counting */
async function countSome(transaction: Executor, tables: LeaderboardTables, ranking: Ranking): Promise<number> {
  const { rankBuckets, changes } = tables
  const { board, version } = ranking
  const mine = await transaction.query(sql`
    SELECT 1 AS mine FROM ${rankBuckets}
    WHERE board = ${board} AND version = ${version} AND level = 1 AND (score, reached) = (${FIRST})
    FOR NO KEY UPDATE SKIP LOCKED`)
  if (mine.length === 0) return 0
  const touched = await transaction.query(sql`
    WITH counted AS (
      DELETE FROM ${changes}
      WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${changes} WHERE board = ${board} AND version = ${version} LIMIT ${RUN}
      ))
      RETURNING score, reached, delta
    ),
    sums AS (
      SELECT bucket.level, bucket.score, bucket.reached, sum(delta) AS delta, count(*) AS changes
      FROM counted
      CROSS JOIN (VALUES (0), (1)) AS levels (level)
      CROSS JOIN LATERAL (
        SELECT level, score, reached FROM ${rankBuckets}
        WHERE board = ${board} AND version = ${version} AND level = levels.level
          AND (score, reached) <= (counted.score, counted.reached)
        ORDER BY score DESC, reached DESC
        LIMIT 1
      ) AS bucket
      GROUP BY bucket.level, bucket.score, bucket.reached
    )
    UPDATE ${rankBuckets} AS bucket
    SET members = bucket.members + sums.delta
    FROM sums
    WHERE board = ${board} AND version = ${version}
      AND (bucket.level, bucket.score, bucket.reached) = (sums.level, sums.score, sums.reached)
    RETURNING bucket.level, bucket.score::text AS score, bucket.reached::text AS reached, bucket.members, sums.changes`)
  let counted = 0
  for (const { level, changes, bucket } of touched.map(decodeTouched)) {
    if (level === 1) continue
    counted += changes
    if (bucket.members > MAX_MEMBERS) await part(transaction, tables, ranking, bucket)
    else if (bucket.members < MIN_MEMBERS) await join(transaction, tables, ranking, bucket)
  }
  return counted
}

const decodeTouched = rowDecoder({
  level: number('level'),
  changes: number('changes'),
  bucket: rowDecoder({ score: text('score'), reached: text('reached'), members: number('members') }),
})

const at = ({ score, reached }: RankBucket): Sql => sql`${score}::float8, ${reached}::bigint`

/** Returns the first position of a level after a position, as a row. */
function following({ rankBuckets }: LeaderboardTables, { board, version }: Ranking, level: number, position: Sql): Sql {
  return sql`
    SELECT score, reached FROM (
      SELECT score, reached FROM ${rankBuckets}
      WHERE board = ${board} AND version = ${version} AND level = ${level} AND (score, reached) > (${position})
      UNION ALL
      SELECT ${LAST}
    ) AS positions
    ORDER BY score, reached
    LIMIT 1`
}

/** Returns the last bucket of a level at or before a position, as a row. */
function standing({ rankBuckets }: LeaderboardTables, { board, version }: Ranking, level: number, position: Sql): Sql {
  return sql`
    SELECT score, reached FROM ${rankBuckets}
    WHERE board = ${board} AND version = ${version} AND level = ${level} AND (score, reached) <= (${position})
    ORDER BY score DESC, reached DESC
    LIMIT 1`
}

/**
 * Splits a bucket. The members are counted in this statement's snapshot, minus the changes that the same snapshot shows as not
 * yet counted. So no writer has to wait, and none is counted twice.
 */
async function part(
  transaction: Executor,
  tables: LeaderboardTables,
  ranking: Ranking,
  bucket: RankBucket,
): Promise<void> {
  const { rankBuckets, changes, statistics } = tables
  const { board, version } = ranking
  const within = sql`board = ${board} AND version = ${version} AND (score, reached) >= (${at(bucket)})
    AND (score, reached) < ((SELECT score FROM following), (SELECT reached FROM following))`
  await transaction.query(sql`
    WITH following AS MATERIALIZED (${following(tables, ranking, 0, at(bucket))}),
    numbered AS (
      SELECT score, reached, row_number() OVER (ORDER BY score, reached) AS number FROM ${statistics} WHERE ${within}
    ),
    bounds AS (
      SELECT CASE number WHEN 1 THEN ${bucket.score}::float8 ELSE score END AS score,
        CASE number WHEN 1 THEN ${bucket.reached}::bigint ELSE reached END AS reached, number
      FROM numbered
      WHERE number % ${MAX_MEMBERS / 2} = 1
    ),
    pieces AS (
      SELECT score, reached,
        lead(score) OVER by_number AS end_score, lead(reached) OVER by_number AS end_reached,
        coalesce(lead(number) OVER by_number, (SELECT count(*) + 1 FROM numbered)) - number AS members
      FROM bounds
      WINDOW by_number AS (ORDER BY number)
    ),
    uncounted AS (SELECT score, reached, delta FROM ${changes} WHERE ${within})
    INSERT INTO ${rankBuckets} (board, version, level, score, reached, members)
    SELECT ${board}, ${version}, 0, pieces.score, pieces.reached, members - (
      SELECT coalesce(sum(delta), 0) FROM uncounted
      WHERE (uncounted.score, uncounted.reached) >= (pieces.score, pieces.reached)
        AND (end_score IS NULL OR (uncounted.score, uncounted.reached) < (end_score, end_reached))
    )
    FROM pieces
    ON CONFLICT (board, version, level, score, reached) DO UPDATE SET members = excluded.members`)
  await partLevel(transaction, tables, ranking, bucket)
}

/** Adds level 1 buckets when there are too many level 0 buckets between two of them. */
async function partLevel(
  transaction: Executor,
  tables: LeaderboardTables,
  ranking: Ranking,
  bucket: RankBucket,
): Promise<void> {
  const { rankBuckets } = tables
  const { board, version } = ranking
  await transaction.query(sql`
    WITH upper AS MATERIALIZED (${standing(tables, ranking, 1, at(bucket))}),
    following AS MATERIALIZED (
      ${following(tables, ranking, 1, sql`SELECT score, reached FROM upper`)}
    ),
    numbered AS (
      SELECT score, reached, members, row_number() OVER (ORDER BY score, reached) AS number
      FROM ${rankBuckets}
      WHERE board = ${board} AND version = ${version} AND level = 0
        AND (score, reached) >= ((SELECT score FROM upper), (SELECT reached FROM upper))
        AND (score, reached) < ((SELECT score FROM following), (SELECT reached FROM following))
    ),
    pieces AS (
      SELECT sum(members) AS members, (number - 1) / ${MAX_BUCKETS / 2} AS piece, min(number) AS first
      FROM numbered
      GROUP BY piece
    )
    INSERT INTO ${rankBuckets} (board, version, level, score, reached, members)
    SELECT ${board}, ${version}, 1, score, reached, pieces.members
    FROM pieces
    JOIN numbered ON number = first
    WHERE (SELECT count(*) FROM numbered) > ${MAX_BUCKETS}
    ON CONFLICT (board, version, level, score, reached) DO UPDATE SET members = excluded.members`)
}

/**
 * Removes a small bucket, so that its members belong to the previous one. A bucket that also begins one of level 1 is removed
 * only when it is the last of its group, and then from both levels. The first bucket is never removed.
 */
async function join(
  transaction: Executor,
  tables: LeaderboardTables,
  ranking: Ranking,
  bucket: RankBucket,
): Promise<void> {
  const { rankBuckets } = tables
  const { board, version } = ranking
  await transaction.query(sql`
    WITH following AS MATERIALIZED (${following(tables, ranking, 1, at(bucket))}),
    others AS (
      SELECT 1 FROM ${rankBuckets}
      WHERE board = ${board} AND version = ${version} AND level = 0 AND (score, reached) > (${at(bucket)})
        AND (score, reached) < ((SELECT score FROM following), (SELECT reached FROM following))
      LIMIT 1
    ),
    upper AS (
      SELECT 1 FROM ${rankBuckets}
      WHERE board = ${board} AND version = ${version} AND level = 1 AND (score, reached) = (${at(bucket)})
    ),
    removed AS (
      DELETE FROM ${rankBuckets}
      WHERE board = ${board} AND version = ${version} AND (score, reached) = (${at(bucket)}) AND (score, reached) > (${FIRST})
        AND NOT (EXISTS (SELECT FROM upper) AND EXISTS (SELECT FROM others))
      RETURNING level, members
    )
    UPDATE ${rankBuckets} AS bucket
    SET members = bucket.members + removed.members
    FROM removed
    WHERE board = ${board} AND version = ${version} AND bucket.level = removed.level
      AND (bucket.score, bucket.reached) = (
        SELECT score, reached FROM ${rankBuckets}
        WHERE board = ${board} AND version = ${version} AND level = removed.level AND (score, reached) < (${at(bucket)})
        ORDER BY score DESC, reached DESC
        LIMIT 1
      )`)
}
