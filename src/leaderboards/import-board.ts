import { ApiError, errors } from '../errors.ts'
import { notice } from '../notices/notice.ts'
import { type Board, findBoard } from './board.ts'
import type { BoardBody } from './board-body.ts'
import { createBoard } from './boards.ts'
import type { Leaderboards } from './leaderboards.ts'
import { beginVersionAs, type ExportedVersion } from './versions.ts'

const MISSING = 2100
const TAKEN = 137

/**
 * Creates a leaderboard as on another server, or moves the existing one to the version there. A board that already is at a later
 * version is unchanged.
 * @returns the current board
 * @throws ApiError 2103 when the existing board has another member type or order; the errors of `createBoard`
 */
export async function importBoard(leaderboards: Leaderboards, body: BoardBody, as: ExportedVersion): Promise<Board> {
  const board = await foundOrMade(leaderboards, body)
  if (board.memberType !== body.memberType || board.order !== body.order)
    throw errors.invalidLeaderboard(
      notice('leaderboardOtherRulesAtSource', {
        name: body.name,
        memberType: board.memberType,
        order: board.order,
        itsMemberType: body.memberType,
        itsOrder: body.order,
      }),
    )
  return (await beginVersionAs(leaderboards, board.board, as)) ?? findBoard(leaderboards, body.name)
}

async function foundOrMade(leaderboards: Leaderboards, body: BoardBody): Promise<Board> {
  const ifMissing = (error: unknown) => {
    if (error instanceof ApiError && error.code === MISSING) return null
    throw error
  }
  const known = await findBoard(leaderboards, body.name).catch(ifMissing)
  return (
    known ??
    createBoard(leaderboards, body).catch((error: unknown) => {
      // Another request has created it meanwhile.
      if (error instanceof ApiError && error.code === TAKEN) return findBoard(leaderboards, body.name)
      throw error
    })
  )
}
