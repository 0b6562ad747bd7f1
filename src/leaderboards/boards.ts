import { isUniqueViolation } from '../database/faults.ts'
import { join, sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import { newObjectId } from '../values/names.ts'
import { ARCHIVE_FIELDS, deleteArchives } from './archives.ts'
import { BOARD_COLUMNS, type Board, boardMissing, boardOf, directionOf, findBoard } from './board.ts'
import type { BoardBody, BoardChanges } from './board-body.ts'
import { clearLater } from './clear.ts'
import { openRanking } from './fences.ts'
import type { Leaderboards } from './leaderboards.ts'
import { nextChange } from './version-change.ts'
import { changeLater } from './versions.ts'

/** Maximum leaderboards of an app, because reading all statistics of a member queries each of them. */
export const MAX_BOARDS = 1000

/**
 * Creates a leaderboard.
 * @throws ApiError 137 when the name exists, 101 when the class of its members does not, 154 above the maximum of boards
 */
export async function createBoard(leaderboards: Leaderboards, body: BoardBody): Promise<Board> {
  const { database, tables, objects } = leaderboards
  const { name, memberType, order, updateStrategy, changeInterval } = body
  if (memberType !== '_Entity') await objects.classes.find(memberType)
  const now = new Date()
  const expiredAt = nextChange(changeInterval, now)
  return database.transaction(async (transaction) => {
    const [row] = await transaction
      .query(sql`
        INSERT INTO ${tables.boards} (
          id, name, member_type, direction, update_strategy, change_interval, activated_at, expired_at, created_at, updated_at
        )
        SELECT ${newObjectId()}, ${name}, ${memberType}, ${directionOf(order)}, ${updateStrategy}, ${changeInterval},
          ${now.toISOString()}::timestamptz, ${expiredAt?.toISOString() ?? null}::timestamptz,
          ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz
        WHERE (SELECT count(*) FROM ${tables.boards}) < ${MAX_BOARDS}
        RETURNING ${BOARD_COLUMNS}`)
      .catch((error: unknown) => {
        if (isUniqueViolation(error)) throw errors.duplicateValue(`There is a leaderboard '${name}' already.`)
        throw error
      })
    if (!row) throw errors.thresholdExceeded(`An app may have ${MAX_BOARDS} leaderboards.`)
    const board = boardOf(row)
    await openRanking(transaction, tables, board)
    await changeLater(leaderboards, transaction, board)
    return board
  })
}

/** Lists all leaderboards by name. */
export async function listBoards({ database, tables }: Leaderboards): Promise<Board[]> {
  return (await database.query(sql`SELECT ${BOARD_COLUMNS} FROM ${tables.boards} ORDER BY name`)).map(boardOf)
}

/**
 * Updates settings of a leaderboard. A new interval starts now, so the time of the next version change is recomputed.
 * @throws ApiError 2100
 */
export async function updateBoard(leaderboards: Leaderboards, name: string, changes: BoardChanges): Promise<Board> {
  const { database, tables } = leaderboards
  await findBoard(leaderboards, name)
  const { updateStrategy, changeInterval } = changes
  const assignments = [sql`updated_at = now()`]
  if (updateStrategy) assignments.push(sql`update_strategy = ${updateStrategy}`)
  if (changeInterval) {
    const expiredAt = nextChange(changeInterval, new Date())?.toISOString() ?? null
    assignments.push(sql`change_interval = ${changeInterval}`, sql`expired_at = ${expiredAt}::timestamptz`)
  }
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query(sql`
      UPDATE ${tables.boards} SET ${join(assignments, ', ')} WHERE name = ${name} RETURNING ${BOARD_COLUMNS}`)
    if (!row) throw boardMissing(name)
    const board = boardOf(row)
    if (changeInterval) await changeLater(leaderboards, transaction, board)
    return board
  })
}

/** Deletes a leaderboard with its archives, and its statistics in the background. @throws ApiError 2100 */
export async function deleteBoard(leaderboards: Leaderboards, name: string): Promise<void> {
  const { database, tables, files } = leaderboards
  const { board } = await findBoard(leaderboards, name)
  await database.transaction(async (transaction) => {
    const gone = await transaction.query(sql`DELETE FROM ${tables.boards} WHERE board = ${board} RETURNING board`)
    if (gone.length === 0) throw boardMissing(name)
    const archives = await transaction.query(sql`
      SELECT ${ARCHIVE_FIELDS} FROM ${tables.archives} WHERE board = ${board}`)
    await deleteArchives(leaderboards, transaction, archives)
    await clearLater(leaderboards, transaction, board, null)
    transaction.afterCommit(() => files.loosened())
  })
}
