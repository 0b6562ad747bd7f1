import type { Row } from '../database/row.ts'
import { sql } from '../database/sql.ts'
import type { Party } from '../turns/party.ts'
import type { Leaderboards } from './leaderboards.ts'
import { MANY_CHANGES, type Ranking } from './rank-counts.ts'

/** A member where it stands. */
export interface Placed {
  /** From 0. */
  readonly rank: number
  readonly member: string
  /** Its value times the direction of the board. */
  readonly score: number
}

/** Up to here a page is found by going through the ranking from its beginning, without the fences. */
const NEAR = 2000

/**
 * The rank of a member: how many stand in front of it, at this moment exactly. Fences in front of its own are added up,
 * and the changes that are not counted there yet; behind its own fence the members are counted one by one.
 * @returns null when it has no value
 */
export async function rankOf(
  { database, tables, counts }: Leaderboards,
  ranking: Ranking,
  member: string,
  party: Party | undefined,
): Promise<number | null> {
  const { board, version } = ranking
  const { statistics, fences, changes } = tables
  const [row] = await database.query(
    sql`
      WITH place AS MATERIALIZED (
        SELECT score, reached FROM ${statistics}
        WHERE board = ${board} AND version = ${version} AND member = ${member}
      ),
      fence AS MATERIALIZED (
        SELECT score, reached FROM ${fences}
        WHERE board = ${board} AND version = ${version}
          AND (score, reached) <= ((SELECT score FROM place), (SELECT reached FROM place))
        ORDER BY score DESC, reached DESC
        LIMIT 1
      ),
      uncounted AS (
        SELECT sum(delta) AS members, count(*) AS changes FROM ${changes}
        WHERE board = ${board} AND version = ${version}
          AND (score, reached) < ((SELECT score FROM fence), (SELECT reached FROM fence))
      )
      SELECT uncounted.changes, coalesce(uncounted.members, 0)
        + (
          SELECT coalesce(sum(members), 0) FROM ${fences}
          WHERE board = ${board} AND version = ${version}
            AND (score, reached) < ((SELECT score FROM fence), (SELECT reached FROM fence))
        ) + (
          SELECT count(*) FROM ${statistics}
          WHERE board = ${board} AND version = ${version}
            AND (score, reached) >= ((SELECT score FROM fence), (SELECT reached FROM fence))
            AND (score, reached) < ((SELECT score FROM place), (SELECT reached FROM place))
        ) AS rank
      FROM uncounted
      WHERE EXISTS (SELECT FROM place)`,
    party,
  )
  if (!row) return null
  noteUncounted(counts, ranking, row)
  return Number(row.rank)
}

/**
 * Members in the order of their ranks.
 * @param start rank of the first of them
 * @param limit how many at most
 */
export async function membersFrom(
  leaderboards: Leaderboards,
  ranking: Ranking,
  start: number,
  limit: number,
  party: Party | undefined,
): Promise<Placed[]> {
  const rows = await (start <= NEAR ? nearMembers : farMembers)(leaderboards, ranking, start, limit, party)
  return rows.map(({ member, score }, index) => ({
    rank: start + index,
    member: String(member),
    score: Number(score),
  }))
}

async function nearMembers(
  { database, tables }: Leaderboards,
  { board, version }: Ranking,
  start: number,
  limit: number,
  party: Party | undefined,
): Promise<Row[]> {
  return database.query(
    sql`
      SELECT member, score FROM ${tables.statistics}
      WHERE board = ${board} AND version = ${version}
      ORDER BY score, reached
      LIMIT ${limit} OFFSET ${start}`,
    party,
  )
}

/** Finds the fence behind which the first member stands, and goes on from there. */
async function farMembers(
  { database, tables, counts }: Leaderboards,
  ranking: Ranking,
  start: number,
  limit: number,
  party: Party | undefined,
): Promise<Row[]> {
  const { board, version } = ranking
  const { statistics, fences, changes } = tables
  const rows = await database.query(
    sql`
      WITH uncounted AS (
        SELECT fence.score, fence.reached, sum(delta) AS members, count(*) AS changes
        FROM ${changes} AS change
        CROSS JOIN LATERAL (
          SELECT score, reached FROM ${fences}
          WHERE board = ${board} AND version = ${version} AND (score, reached) <= (change.score, change.reached)
          ORDER BY score DESC, reached DESC
          LIMIT 1
        ) AS fence
        WHERE board = ${board} AND version = ${version}
        GROUP BY fence.score, fence.reached
      ),
      pieces AS (
        SELECT fence.score, fence.reached, fence.members + coalesce(uncounted.members, 0) AS members
        FROM ${fences} AS fence
        LEFT JOIN uncounted ON uncounted.score = fence.score AND uncounted.reached = fence.reached
        WHERE board = ${board} AND version = ${version}
      ),
      fence AS MATERIALIZED (
        SELECT score, reached, before
        FROM (
          SELECT score, reached, sum(members) OVER (ORDER BY score, reached) - members AS before FROM pieces
        ) AS places
        WHERE before <= ${start}
        ORDER BY score DESC, reached DESC
        LIMIT 1
      )
      SELECT member, score, (SELECT coalesce(sum(changes), 0) FROM uncounted) AS changes
      FROM ${statistics}
      WHERE board = ${board} AND version = ${version}
        AND (score, reached) >= ((SELECT score FROM fence), (SELECT reached FROM fence))
      ORDER BY score, reached
      LIMIT ${limit} OFFSET ${start}::bigint - (SELECT before FROM fence)::bigint`,
    party,
  )
  if (rows[0]) noteUncounted(counts, ranking, rows[0])
  return rows
}

/** How many members a ranking has. */
export async function countMembers(
  { database, tables }: Leaderboards,
  { board, version }: Ranking,
  party: Party | undefined,
): Promise<number> {
  const [row] = await database.query(
    sql`
      SELECT coalesce((SELECT sum(members) FROM ${tables.fences} WHERE board = ${board} AND version = ${version}), 0)
        + coalesce((SELECT sum(delta) FROM ${tables.changes} WHERE board = ${board} AND version = ${version}), 0) AS members`,
    party,
  )
  return Number(row!.members)
}

/** Some members, in the order of the ranking they are in. Those without a value are left out. */
export async function membersAmong(
  { database, tables }: Leaderboards,
  { board, version }: Ranking,
  members: readonly string[],
  party: Party | undefined,
): Promise<Placed[]> {
  const rows = await database.query(
    sql`
      SELECT member, score FROM ${tables.statistics}
      WHERE board = ${board} AND version = ${version} AND member = ANY(${members}::text[])
      ORDER BY score, reached`,
    party,
  )
  return rows.map(({ member, score }, rank) => ({ rank, member: String(member), score: Number(score) }))
}

/** A node that died has left its changes uncounted: who comes upon many has them counted. */
function noteUncounted(counts: Leaderboards['counts'], ranking: Ranking, { changes }: Row): void {
  if (Number(changes) > 4 * MANY_CHANGES) counts.note(ranking, Number(changes))
}
