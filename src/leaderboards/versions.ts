import { boolean, text } from '../database/decode-row.ts'
import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { newKey } from '../files/file-key.ts'
import { newObjectId } from '../values/names.ts'
import { archiveLater } from './archives.ts'
import { BOARD_COLUMNS, type Board, boardMissing, boardOf, findBoard } from './board.ts'
import type { Leaderboards } from './leaderboards.ts'
import { openRanking } from './rank-buckets.ts'
import { nextChange } from './version-change.ts'

export const CHANGE_JOB = 'leaderboard-version'

/** A job that ends a version when it expires. */
export interface ChangeJob {
  readonly appId: string
  readonly board: number
  readonly version: number
}

/** Schedules the next version change of a board as a job, which survives a crash of this node. */
export async function changeLater(
  { appId, jobs }: Leaderboards,
  transaction: Executor,
  { board, version, expiredAt }: Board,
): Promise<void> {
  if (expiredAt === null) return
  const job: ChangeJob = { appId, board, version }
  await jobs.enqueue(CHANGE_JOB, job, { runAt: new Date(expiredAt), transaction })
}

/** Starts the next version of a board on request. @throws ApiError 2100 */
export async function incrementVersion(leaderboards: Leaderboards, name: string): Promise<Board> {
  const { board } = await findBoard(leaderboards, name)
  const changed = await beginVersion(leaderboards, board)
  if (!changed) throw boardMissing(name)
  return changed
}

/**
 * Starts the next version of an expired board. It changes once, however often and on however many nodes this runs. If the
 * interval was changed meanwhile, another job has the new time.
 */
export async function changeIfOver(leaderboards: Leaderboards, { board, version }: ChangeJob): Promise<void> {
  await beginVersion(leaderboards, board, version)
}

/** The version of a board on another server. Dates are canonical. */
export interface ExportedVersion {
  readonly version: number
  readonly activatedAt: string
  /** null: it does not expire */
  readonly expiredAt: string | null
}

/**
 * Moves a board to the version that it has on another server.
 * @returns null when it already is at that version or a later one
 */
export function beginVersionAs(leaderboards: Leaderboards, number: number, as: ExportedVersion): Promise<Board | null> {
  const { database, tables } = leaderboards
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query(sql`
      SELECT ${BOARD_COLUMNS}, now() AS now, EXISTS (
        SELECT FROM ${tables.statistics} AS statistic WHERE statistic.board = board.board AND statistic.version = board.version
      ) AS has_members
      FROM ${tables.boards} AS board
      WHERE board = ${number} AND version < ${as.version}::integer FOR UPDATE`)
    if (!row) return null
    const ended = boardOf(row)
    const now = text('now', (now) => new Date(now))(row)
    const isToCome = as.expiredAt !== null && Date.parse(as.expiredAt) > now.getTime()
    const expiredAt = isToCome ? as.expiredAt : (nextChange(ended.changeInterval, now)?.toISOString() ?? null)
    const [changed] = await transaction.query(sql`
      UPDATE ${tables.boards}
      SET version = ${as.version}::integer, activated_at = ${as.activatedAt}::timestamptz,
          expired_at = ${expiredAt}::timestamptz, updated_at = now()
      WHERE board = ${number}
      RETURNING ${BOARD_COLUMNS}`)
    return goOnAs(leaderboards, transaction, ended, boardOf(changed!), boolean('has_members')(row))
  })
}

/**
 * Starts the next version of a board and archives the ended one. The new version, its ranking, the archive and the jobs are
 * created in one transaction.
 * @param over only if this is still the current version and it has expired
 * @returns the current board; null when it did not change
 */
function beginVersion(leaderboards: Leaderboards, number: number, over?: number): Promise<Board | null> {
  const { database, tables } = leaderboards
  return database.transaction(async (transaction) => {
    const condition = over === undefined ? sql`` : sql`AND version = ${over} AND expired_at <= now()`
    const [row] = await transaction.query(sql`
      SELECT ${BOARD_COLUMNS}, now() AS now FROM ${tables.boards} WHERE board = ${number} ${condition} FOR UPDATE`)
    if (!row) return null
    const ended = boardOf(row)
    const now = text('now', (now) => new Date(now))(row)
    // After a downtime, versions that would have been empty are skipped.
    const expiredAt = nextChange(ended.changeInterval, now)?.toISOString() ?? null
    const [changed] = await transaction.query(sql`
      UPDATE ${tables.boards}
      SET version = version + 1, activated_at = now(), expired_at = ${expiredAt}::timestamptz, updated_at = now()
      WHERE board = ${number}
      RETURNING ${BOARD_COLUMNS}`)
    return goOnAs(leaderboards, transaction, ended, boardOf(changed!), true)
  })
}

/** Prepares a new version of a board. @param archives whether to archive the ended version */
async function goOnAs(
  leaderboards: Leaderboards,
  transaction: Executor,
  ended: Board,
  board: Board,
  archives: boolean,
): Promise<Board> {
  const { tables } = leaderboards
  await openRanking(transaction, tables, board)
  if (archives) {
    await transaction.query(sql`
      INSERT INTO ${tables.archives} (
        id, board, version, status, file_key, file_id, activated_at, deactivated_at, created_at, updated_at
      )
      VALUES (
        ${newObjectId()}, ${ended.board}, ${ended.version}, 'scheduled', ${newKey('ranking.csv', false)}, ${newObjectId()},
        ${ended.activatedAt}::timestamptz, now(), now(), now()
      )`)
    await archiveLater(leaderboards, transaction, ended)
  }
  await changeLater(leaderboards, transaction, board)
  return board
}
