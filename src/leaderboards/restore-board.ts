import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import { notice } from '../notices/notice.ts'
import { BOARD_COLUMNS, boardOf, directionOf } from './board.ts'
import { MAX_BOARDS } from './boards.ts'
import type { ExportedArchive, ExportedBoard } from './exported-board.ts'
import type { Leaderboards } from './leaderboards.ts'
import { openRanking } from './rank-buckets.ts'
import { nextChange } from './version-change.ts'
import { changeLater } from './versions.ts'

/**
 * Creates a leaderboard as exported from another app, with the records of its archives. An existing board of this name is
 * unchanged.
 * @returns whether it was created
 * @throws ApiError 2103 when the existing board has another member type or order, 154 above the maximum of boards
 */
export async function restoreBoard(
  leaderboards: Leaderboards,
  transaction: Executor,
  given: ExportedBoard,
): Promise<boolean> {
  const { tables } = leaderboards
  // An expired version ends at the next change: nothing was written to it meanwhile.
  const now = new Date()
  const isToCome = given.expiredAt !== null && Date.parse(given.expiredAt) > now.getTime()
  const expiredAt = isToCome ? given.expiredAt : (nextChange(given.changeInterval, now)?.toISOString() ?? null)
  const [row] = await transaction.query(sql`
    INSERT INTO ${tables.boards} (
      id, name, member_type, direction, update_strategy, change_interval, version, activated_at, expired_at, created_at, updated_at
    )
    SELECT ${given.id}, ${given.name}, ${given.memberType}, ${directionOf(given.order)}, ${given.updateStrategy},
      ${given.changeInterval}, ${given.version}::integer, ${given.activatedAt}::timestamptz, ${expiredAt}::timestamptz,
      ${given.createdAt}::timestamptz, ${given.updatedAt}::timestamptz
    WHERE (SELECT count(*) FROM ${tables.boards}) < ${MAX_BOARDS}
    ON CONFLICT DO NOTHING
    RETURNING ${BOARD_COLUMNS}`)
  if (!row) {
    await checkHere(leaderboards, transaction, given)
    return false
  }
  const board = boardOf(row)
  await openRanking(transaction, tables, board)
  await changeLater(leaderboards, transaction, board)
  for (const archive of given.archives) await restoreArchive(leaderboards, transaction, board.board, archive)
  return true
}

async function checkHere({ tables }: Leaderboards, transaction: Executor, given: ExportedBoard): Promise<void> {
  const [row] = await transaction.query(sql`
    SELECT ${BOARD_COLUMNS} FROM ${tables.boards} WHERE name = ${given.name} OR id = ${given.id} ORDER BY name <> ${given.name}`)
  if (!row) throw errors.thresholdExceeded(notice('tooManyLeaderboards', { maximum: MAX_BOARDS }))
  const { name, memberType, order } = boardOf(row)
  if (name !== given.name) throw errors.invalidLeaderboard(notice('leaderboardSameId', { name }))
  if (memberType !== given.memberType || order !== given.order)
    throw errors.invalidLeaderboard(
      notice('leaderboardOtherRules', {
        name,
        memberType,
        order,
        itsMemberType: given.memberType,
        itsOrder: given.order,
      }),
    )
}

/** Restores the record of an archive. One that was not written is marked as failed, so that its version keeps its values. */
async function restoreArchive(
  { tables }: Leaderboards,
  transaction: Executor,
  board: number,
  archive: ExportedArchive,
): Promise<void> {
  await transaction.query(sql`
    INSERT INTO ${tables.archives} (
      id, board, version, status, file_key, file_id, activated_at, deactivated_at, created_at, updated_at
    )
    VALUES (
      ${archive.id}, ${board}, ${archive.version}::integer, ${archive.isWritten ? 'completed' : 'failed'}, ${archive.fileKey},
      ${archive.fileId}, ${archive.activatedAt}::timestamptz, ${archive.deactivatedAt}::timestamptz,
      ${archive.createdAt}::timestamptz, ${archive.updatedAt}::timestamptz
    )
    ON CONFLICT DO NOTHING`)
}
