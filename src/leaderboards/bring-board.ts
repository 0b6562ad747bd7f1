import { ApiError, errors } from '../errors.ts'
import { notice } from '../notices/notice.ts'
import { type Board, findBoard } from './board.ts'
import type { BoardBody } from './board-body.ts'
import { createBoard } from './boards.ts'
import type { Leaderboards } from './leaderboards.ts'
import { beginVersionAs, type VersionElsewhere } from './versions.ts'

const MISSING = 2100
const TAKEN = 137

/**
 * Makes a leaderboard as another server has it, or brings the one that is here to the version that it has there. One that is at
 * a later version here stays as it is.
 * @returns the board as it is now
 * @throws ApiError 2103 when a board of this name has other members or another order; those of `createBoard`
 */
export async function bringBoard(leaderboards: Leaderboards, body: BoardBody, as: VersionElsewhere): Promise<Board> {
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
      // Somebody else has made it meanwhile.
      if (error instanceof ApiError && error.code === TAKEN) return findBoard(leaderboards, body.name)
      throw error
    })
  )
}
