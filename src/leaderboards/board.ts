import { type Decoder, date, number, oneOf, rowDecoder, text } from '../database/decode-row.ts'
import { raw, sql } from '../database/sql.ts'
import { type ApiError, errors } from '../errors.ts'
import { isStorableText, type JsonObject } from '../values/json.ts'
import type { Leaderboards } from './leaderboards.ts'
import type { ChangeInterval } from './version-change.ts'

/** How a new value is combined with the existing one: the better one is kept, the last one, or the sum of all. */
export const UPDATE_STRATEGIES = ['better', 'last', 'sum'] as const
export const ORDERS = ['descending', 'ascending'] as const

/** A leaderboard as stored. Dates are in the format of the API. */
export interface Board {
  /** Its number in the tables. A board that is recreated under the same name gets a new number. */
  readonly board: number
  readonly id: string
  readonly name: string
  /** `_User`, `_Entity`, or the class of its members. */
  readonly memberType: string
  readonly order: (typeof ORDERS)[number]
  readonly updateStrategy: (typeof UPDATE_STRATEGIES)[number]
  readonly changeInterval: ChangeInterval
  readonly version: number
  readonly activatedAt: string
  readonly expiredAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export const BOARD_COLUMNS = raw(
  'board, id, name, member_type, direction, update_strategy, change_interval, version, activated_at, expired_at, created_at, updated_at',
)

/** Decodes the columns of `BOARD_COLUMNS`. */
export const boardOf: Decoder<Board> = rowDecoder({
  board: number('board'),
  id: text('id'),
  name: text('name'),
  memberType: text('member_type'),
  order: number('direction', (direction) => (direction === 1 ? 'ascending' : 'descending')),
  updateStrategy: oneOf('update_strategy', UPDATE_STRATEGIES),
  changeInterval: text('change_interval', (interval) => interval as ChangeInterval),
  version: number('version'),
  activatedAt: date('activated_at'),
  expiredAt: date.orNull('expired_at'),
  createdAt: date('created_at'),
  updatedAt: date('updated_at'),
})

/** Returns 1 or -1. A value multiplied by it is a score; smaller scores rank first. */
export function directionOf(order: Board['order']): 1 | -1 {
  return order === 'ascending' ? 1 : -1
}

/** Returns a board as clients see it (protocol/social, Leaderboards). */
export function showBoard(board: Board): JsonObject {
  return {
    objectId: board.id,
    statisticName: board.name,
    memberType: board.memberType,
    order: board.order,
    updateStrategy: board.updateStrategy,
    versionChangeInterval: board.changeInterval,
    version: board.version,
    activatedAt: shownDate(board.activatedAt),
    expiredAt: board.expiredAt === null ? null : shownDate(board.expiredAt),
    createdAt: board.createdAt,
    updatedAt: board.updatedAt,
  }
}

export function shownDate(iso: string): JsonObject {
  return { __type: 'Date', iso }
}

/** Finds a board by name. @throws ApiError 2100 */
export async function findBoard({ database, tables }: Leaderboards, name: string): Promise<Board> {
  // PostgreSQL cannot store such a text.
  const possible = isStorableText(name)
  const [row] = possible
    ? await database.query(sql`SELECT ${BOARD_COLUMNS} FROM ${tables.boards} WHERE name = ${name}`)
    : []
  if (!row) throw boardMissing(name)
  return boardOf(row)
}

export function boardMissing(name: string): ApiError {
  return errors.leaderboardMissing(name.slice(0, 100))
}
