import { number, rowDecoder, text } from '../database/decode-row.ts'
import type { Database, Executor } from '../database/pool.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { LeaderboardTables, Ranking } from './leaderboard-tables.ts'

/*
 * A fence is a place of a ranking with the number of members from there to the next fence of its level. Fences of level 1
 * stand where some of level 0 stand, and have what those up to the next one have together. One transaction at a time
 * changes the fences of a ranking: it holds the row of the first one.
 */

/** A place in a ranking. Numbers stay the texts that the database sent, so that they come back to it unchanged. */
interface Fence {
  readonly score: string
  readonly reached: string
  readonly members: number
}

/** Members between two fences: more are parted in pieces of half of it, fewer than the other join those before them. */
const MOST_MEMBERS = 256
const LEAST_MEMBERS = 32

/** Fences of level 0 between two of level 1: more are parted in pieces of half of it. */
const MOST_FENCES = 512

/** Changes that are counted in one transaction. */
const RUN = 5000

/** Before all members, and behind all. */
const FIRST = sql`'-infinity'::float8, 0::bigint`
const LAST = sql`'infinity'::float8, 9223372036854775807::bigint`

/** The first fences of a ranking, before all members, where it has none yet. */
export async function openRanking(
  transaction: Executor,
  { fences }: LeaderboardTables,
  { board, version }: Ranking,
): Promise<void> {
  await transaction.query(sql`
    INSERT INTO ${fences} (board, version, level, score, reached, members)
    SELECT ${board}, ${version}, level, ${FIRST}, 0 FROM (VALUES (0), (1)) AS levels (level)
    ON CONFLICT DO NOTHING`)
}

/** Counts all changes of a ranking that wait. Where another node does it already, it is left to that one. */
export async function countChanges(database: Database, tables: LeaderboardTables, ranking: Ranking): Promise<void> {
  while ((await database.transaction((transaction) => countSome(transaction, tables, ranking))) === RUN);
}

/** @returns how many changes were counted; 0 also when another node is at work */
async function countSome(transaction: Executor, tables: LeaderboardTables, ranking: Ranking): Promise<number> {
  const { fences, changes } = tables
  const { board, version } = ranking
  const mine = await transaction.query(sql`
    SELECT 1 AS mine FROM ${fences}
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
      SELECT fence.level, fence.score, fence.reached, sum(delta) AS delta, count(*) AS changes
      FROM counted
      CROSS JOIN (VALUES (0), (1)) AS levels (level)
      CROSS JOIN LATERAL (
        SELECT level, score, reached FROM ${fences}
        WHERE board = ${board} AND version = ${version} AND level = levels.level
          AND (score, reached) <= (counted.score, counted.reached)
        ORDER BY score DESC, reached DESC
        LIMIT 1
      ) AS fence
      GROUP BY fence.level, fence.score, fence.reached
    )
    UPDATE ${fences} AS fence
    SET members = fence.members + sums.delta
    FROM sums
    WHERE board = ${board} AND version = ${version}
      AND (fence.level, fence.score, fence.reached) = (sums.level, sums.score, sums.reached)
    RETURNING fence.level, fence.score::text AS score, fence.reached::text AS reached, fence.members, sums.changes`)
  let counted = 0
  for (const { level, changes, fence } of touched.map(decodeTouched)) {
    if (level === 1) continue
    counted += changes
    if (fence.members > MOST_MEMBERS) await part(transaction, tables, ranking, fence)
    else if (fence.members < LEAST_MEMBERS) await join(transaction, tables, ranking, fence)
  }
  return counted
}

const decodeTouched = rowDecoder({
  level: number('level'),
  changes: number('changes'),
  fence: rowDecoder({ score: text('score'), reached: text('reached'), members: number('members') }),
})

const at = ({ score, reached }: Fence): Sql => sql`${score}::float8, ${reached}::bigint`

/** The first place of a level behind a fence, as a row. */
function following({ fences }: LeaderboardTables, { board, version }: Ranking, level: number, place: Sql): Sql {
  return sql`
    SELECT score, reached FROM (
      SELECT score, reached FROM ${fences}
      WHERE board = ${board} AND version = ${version} AND level = ${level} AND (score, reached) > (${place})
      UNION ALL
      SELECT ${LAST}
    ) AS places
    ORDER BY score, reached
    LIMIT 1`
}

/** The last fence of a level that does not stand behind a place, as a row. */
function standing({ fences }: LeaderboardTables, { board, version }: Ranking, level: number, place: Sql): Sql {
  return sql`
    SELECT score, reached FROM ${fences}
    WHERE board = ${board} AND version = ${version} AND level = ${level} AND (score, reached) <= (${place})
    ORDER BY score DESC, reached DESC
    LIMIT 1`
}

/**
 * Puts new fences between the members behind one. They are counted as they stand in this statement's view of the database,
 * less the changes that the same view shows as not yet counted: so no writer has to wait, and none counts twice.
 */
async function part(transaction: Executor, tables: LeaderboardTables, ranking: Ranking, fence: Fence): Promise<void> {
  const { fences, changes, statistics } = tables
  const { board, version } = ranking
  const within = sql`board = ${board} AND version = ${version} AND (score, reached) >= (${at(fence)})
    AND (score, reached) < ((SELECT score FROM following), (SELECT reached FROM following))`
  await transaction.query(sql`
    WITH following AS MATERIALIZED (${following(tables, ranking, 0, at(fence))}),
    numbered AS (
      SELECT score, reached, row_number() OVER (ORDER BY score, reached) AS number FROM ${statistics} WHERE ${within}
    ),
    bounds AS (
      SELECT CASE number WHEN 1 THEN ${fence.score}::float8 ELSE score END AS score,
        CASE number WHEN 1 THEN ${fence.reached}::bigint ELSE reached END AS reached, number
      FROM numbered
      WHERE number % ${MOST_MEMBERS / 2} = 1
    ),
    pieces AS (
      SELECT score, reached,
        lead(score) OVER place AS end_score, lead(reached) OVER place AS end_reached,
        coalesce(lead(number) OVER place, (SELECT count(*) + 1 FROM numbered)) - number AS members
      FROM bounds
      WINDOW place AS (ORDER BY number)
    ),
    uncounted AS (SELECT score, reached, delta FROM ${changes} WHERE ${within})
    INSERT INTO ${fences} (board, version, level, score, reached, members)
    SELECT ${board}, ${version}, 0, pieces.score, pieces.reached, members - (
      SELECT coalesce(sum(delta), 0) FROM uncounted
      WHERE (uncounted.score, uncounted.reached) >= (pieces.score, pieces.reached)
        AND (end_score IS NULL OR (uncounted.score, uncounted.reached) < (end_score, end_reached))
    )
    FROM pieces
    ON CONFLICT (board, version, level, score, reached) DO UPDATE SET members = excluded.members`)
  await partLevel(transaction, tables, ranking, fence)
}

/** Puts fences of level 1 between those of level 0 where many have come between two of them. */
async function partLevel(
  transaction: Executor,
  tables: LeaderboardTables,
  ranking: Ranking,
  fence: Fence,
): Promise<void> {
  const { fences } = tables
  const { board, version } = ranking
  await transaction.query(sql`
    WITH place AS MATERIALIZED (${standing(tables, ranking, 1, at(fence))}),
    following AS MATERIALIZED (
      ${following(tables, ranking, 1, sql`SELECT score, reached FROM place`)}
    ),
    numbered AS (
      SELECT score, reached, members, row_number() OVER (ORDER BY score, reached) AS number
      FROM ${fences}
      WHERE board = ${board} AND version = ${version} AND level = 0
        AND (score, reached) >= ((SELECT score FROM place), (SELECT reached FROM place))
        AND (score, reached) < ((SELECT score FROM following), (SELECT reached FROM following))
    ),
    pieces AS (
      SELECT sum(members) AS members, (number - 1) / ${MOST_FENCES / 2} AS piece, min(number) AS first
      FROM numbered
      GROUP BY piece
    )
    INSERT INTO ${fences} (board, version, level, score, reached, members)
    SELECT ${board}, ${version}, 1, score, reached, pieces.members
    FROM pieces
    JOIN numbered ON number = first
    WHERE (SELECT count(*) FROM numbered) > ${MOST_FENCES}
    ON CONFLICT (board, version, level, score, reached) DO UPDATE SET members = excluded.members`)
}

/**
 * Takes a fence with few members away: they stand behind the one before it from now on. One where a fence of level 1 stands
 * goes only when it is the last of those behind that one, and both go then; the first of all never does.
 */
async function join(transaction: Executor, tables: LeaderboardTables, ranking: Ranking, fence: Fence): Promise<void> {
  const { fences } = tables
  const { board, version } = ranking
  await transaction.query(sql`
    WITH following AS MATERIALIZED (${following(tables, ranking, 1, at(fence))}),
    others AS (
      SELECT 1 FROM ${fences}
      WHERE board = ${board} AND version = ${version} AND level = 0 AND (score, reached) > (${at(fence)})
        AND (score, reached) < ((SELECT score FROM following), (SELECT reached FROM following))
      LIMIT 1
    ),
    upper AS (
      SELECT 1 FROM ${fences}
      WHERE board = ${board} AND version = ${version} AND level = 1 AND (score, reached) = (${at(fence)})
    ),
    gone AS (
      DELETE FROM ${fences}
      WHERE board = ${board} AND version = ${version} AND (score, reached) = (${at(fence)}) AND (score, reached) > (${FIRST})
        AND NOT (EXISTS (SELECT FROM upper) AND EXISTS (SELECT FROM others))
      RETURNING level, members
    )
    UPDATE ${fences} AS fence
    SET members = fence.members + gone.members
    FROM gone
    WHERE board = ${board} AND version = ${version} AND fence.level = gone.level
      AND (fence.score, fence.reached) = (
        SELECT score, reached FROM ${fences}
        WHERE board = ${board} AND version = ${version} AND level = gone.level AND (score, reached) < (${at(fence)})
        ORDER BY score DESC, reached DESC
        LIMIT 1
      )`)
}
