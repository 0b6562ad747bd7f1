import { isMissingTable } from '../database/faults.ts'
import type { Database, Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import type { LeaderboardTables } from './leaderboard-tables.ts'

/** A version of a board: one ranking. */
export interface Ranking {
  readonly board: number
  readonly version: number
}

/** A place in a ranking. Numbers stay the texts that the database sent, so that they come back to it unchanged. */
interface Fence {
  readonly score: string
  readonly reached: string
  readonly members: number
}

/** Members between two fences: more are parted in pieces of half of it, fewer join those in front of them. */
const MOST_MEMBERS = 2000
const LEAST_MEMBERS = 250

/** Changes that wait to be counted before somebody counts them, and those that are counted in one transaction. */
export const MANY_CHANGES = 500
const RUN = 20_000

/**
 * Keeps the numbers of members between fences, by which the rank among millions is found in a millisecond
 * (docs/leaderboards.md, How ranks are found). Whether it has been at work never shows in a rank, only in the time that one takes.
 */
export class RankCounts {
  readonly #database: Database
  readonly #tables: LeaderboardTables
  readonly #log: Log
  /** Changes that this node has written since it counted last, by ranking. */
  readonly #written = new Map<string, number>()
  readonly #running = new Map<string, Promise<void>>()
  #stopped = false

  constructor(database: Database, tables: LeaderboardTables, log: Log) {
    this.#database = database
    this.#tables = tables
    this.#log = log
  }

  /** Notes that statistics of a ranking have been written, or that so many changes were found uncounted. */
  note(ranking: Ranking, changes: number): void {
    const key = keyOf(ranking)
    const written = (this.#written.get(key) ?? 0) + changes
    this.#written.set(key, written)
    if (written >= MANY_CHANGES) this.#start(ranking)
  }

  /** Lets what runs end, and begins nothing more. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#running.values())
  }

  #start(ranking: Ranking): void {
    const key = keyOf(ranking)
    if (this.#stopped || this.#running.has(key)) return
    this.#written.delete(key)
    const run = countAll(this.#database, this.#tables, ranking)
      .catch((error: unknown) => {
        // The app is gone, or the next write tries again.
        if (!isMissingTable(error)) this.#log.warn({ error, ...ranking }, 'changes of a ranking could not be counted')
      })
      .finally(() => {
        this.#running.delete(key)
        if ((this.#written.get(key) ?? 0) >= MANY_CHANGES) this.#start(ranking)
      })
    this.#running.set(key, run)
  }
}

function keyOf({ board, version }: Ranking): string {
  return `${board}/${version}`
}

/** The first fence of a ranking, in front of all members. Without it nothing is counted. */
export async function openRanking(
  transaction: Executor,
  { fences }: LeaderboardTables,
  { board, version }: Ranking,
): Promise<void> {
  await transaction.query(sql`
    INSERT INTO ${fences} (board, version, score, reached, members)
    VALUES (${board}, ${version}, '-infinity', 0, 0)`)
}

/** Counts all changes of a ranking that wait. One node does it at a time; others leave it to that one. */
async function countAll(database: Database, tables: LeaderboardTables, ranking: Ranking): Promise<void> {
  while ((await database.transaction((transaction) => countSome(transaction, tables, ranking))) === RUN);
}

/** @returns how many changes were counted; 0 also when another node is at work */
async function countSome(transaction: Executor, tables: LeaderboardTables, ranking: Ranking): Promise<number> {
  const { fences, changes } = tables
  const { board, version } = ranking
  const mine = await transaction.query(sql`
    SELECT 1 AS mine FROM ${fences}
    WHERE board = ${board} AND version = ${version} AND score = '-infinity' AND reached = 0
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
      SELECT fence.score, fence.reached, sum(delta) AS delta, count(*) AS changes
      FROM counted
      CROSS JOIN LATERAL (
        SELECT score, reached FROM ${fences} AS fence
        WHERE board = ${board} AND version = ${version} AND (fence.score, fence.reached) <= (counted.score, counted.reached)
        ORDER BY score DESC, reached DESC
        LIMIT 1
      ) AS fence
      GROUP BY fence.score, fence.reached
    )
    UPDATE ${fences} AS fence
    SET members = fence.members + sums.delta
    FROM sums
    WHERE board = ${board} AND version = ${version} AND fence.score = sums.score AND fence.reached = sums.reached
    RETURNING fence.score::text AS score, fence.reached::text AS reached, fence.members, sums.changes`)
  let counted = 0
  for (const row of touched) {
    counted += Number(row.changes)
    const fence = { score: String(row.score), reached: String(row.reached), members: Number(row.members) }
    if (fence.members > MOST_MEMBERS) await part(transaction, tables, ranking, fence)
    else if (fence.members < LEAST_MEMBERS && fence.score !== '-Infinity')
      await join(transaction, tables, ranking, fence)
  }
  return counted
}

/**
 * Puts new fences between the members behind one. They are counted as they stand in this statement's view of the database,
 * less the changes that the same view shows as not yet counted: so no writer has to wait, and none counts twice.
 */
async function part(
  transaction: Executor,
  { fences, changes, statistics }: LeaderboardTables,
  { board, version }: Ranking,
  { score, reached }: Fence,
): Promise<void> {
  await transaction.query(sql`
    WITH following AS (
      SELECT score, reached FROM ${fences}
      WHERE board = ${board} AND version = ${version} AND (score, reached) > (${score}::float8, ${reached}::bigint)
      ORDER BY score, reached
      LIMIT 1
    ),
    "end" AS (
      SELECT coalesce((SELECT score FROM following), 'infinity') AS score,
        coalesce((SELECT reached FROM following), ${LAST}::bigint) AS reached
    ),
    members AS (
      SELECT score, reached, 1 AS delta, row_number() OVER (ORDER BY score, reached) AS number
      FROM ${statistics}
      WHERE board = ${board} AND version = ${version}
        AND (score, reached) >= (${score}::float8, ${reached}::bigint)
        AND (score, reached) < ((SELECT score FROM "end"), (SELECT reached FROM "end"))
    ),
    bounds AS (
      SELECT ${score}::float8 AS score, ${reached}::bigint AS reached
      UNION
      SELECT score, reached FROM members WHERE number > 1 AND number % ${MOST_MEMBERS / 2} = 1
    ),
    pieces AS (
      SELECT score, reached,
        lead(score) OVER place AS end_score, lead(reached) OVER place AS end_reached
      FROM bounds WINDOW place AS (ORDER BY score, reached)
    ),
    counted AS (
      SELECT score, reached, delta FROM members
      UNION ALL
      SELECT score, reached, -delta FROM ${changes}
      WHERE board = ${board} AND version = ${version}
        AND (score, reached) >= (${score}::float8, ${reached}::bigint)
        AND (score, reached) < ((SELECT score FROM "end"), (SELECT reached FROM "end"))
    )
    INSERT INTO ${fences} (board, version, score, reached, members)
    SELECT ${board}, ${version}, pieces.score, pieces.reached, coalesce(sum(delta), 0)
    FROM pieces
    LEFT JOIN counted ON (counted.score, counted.reached) >= (pieces.score, pieces.reached)
      AND (end_score IS NULL OR (counted.score, counted.reached) < (end_score, end_reached))
    GROUP BY pieces.score, pieces.reached
    ON CONFLICT (board, version, score, reached) DO UPDATE SET members = excluded.members`)
}

/** Behind all that have ever been reached. */
const LAST = '9223372036854775807'

/** Takes a fence away: its members stand behind the one before it from now on. */
async function join(
  transaction: Executor,
  { fences }: LeaderboardTables,
  { board, version }: Ranking,
  { score, reached }: Fence,
): Promise<void> {
  await transaction.query(sql`
    WITH gone AS (
      DELETE FROM ${fences}
      WHERE board = ${board} AND version = ${version} AND score = ${score}::float8 AND reached = ${reached}::bigint
      RETURNING members
    )
    UPDATE ${fences}
    SET members = members + (SELECT members FROM gone)
    WHERE (board, version, score, reached) = (
      SELECT board, version, score, reached FROM ${fences}
      WHERE board = ${board} AND version = ${version} AND (score, reached) < (${score}::float8, ${reached}::bigint)
      ORDER BY score DESC, reached DESC
      LIMIT 1
    )`)
}
