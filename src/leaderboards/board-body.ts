import { errors } from '../errors.ts'
import { type Json, type JsonObject, member, shown } from '../values/json.ts'
import { checkClassName } from '../values/names.ts'
import { type Board, ORDERS, UPDATE_STRATEGIES } from './board.ts'
import { CHANGE_INTERVALS } from './version-change.ts'

const STATISTIC_NAME = /^[A-Za-z0-9_-]{1,100}$/

export type BoardBody = Pick<Board, 'name' | 'memberType' | 'order' | 'updateStrategy' | 'changeInterval'>
export type BoardChanges = Partial<Pick<Board, 'updateStrategy' | 'changeInterval'>>

/**
 * Parses the body that creates a board (protocol/social, Leaderboards).
 * @throws ApiError 2103 that names the missing or invalid member
 */
export function parseBoard(body: JsonObject): BoardBody {
  return {
    name: statisticName(member(body, 'statisticName')),
    memberType: memberTypeOf(member(body, 'memberType')),
    order: oneOf(ORDERS, body, 'order') ?? 'descending',
    updateStrategy: oneOf(UPDATE_STRATEGIES, body, 'updateStrategy') ?? 'better',
    changeInterval: oneOf(CHANGE_INTERVALS, body, 'versionChangeInterval') ?? 'week',
  }
}

/**
 * Parses the body that updates a board. Its name, member type and order cannot change.
 * @throws ApiError 2103
 */
export function parseBoardChanges(body: JsonObject): BoardChanges {
  const updateStrategy = oneOf(UPDATE_STRATEGIES, body, 'updateStrategy')
  const changeInterval = oneOf(CHANGE_INTERVALS, body, 'versionChangeInterval')
  const fixed = ['statisticName', 'memberType', 'order'].find((name) => member(body, name) !== undefined)
  if (fixed) throw errors.invalidLeaderboard(`'${fixed}' cannot be changed after the leaderboard is created.`)
  if (!updateStrategy && !changeInterval)
    throw errors.invalidLeaderboard("The body must have 'updateStrategy' or 'versionChangeInterval'.")
  return { ...(updateStrategy && { updateStrategy }), ...(changeInterval && { changeInterval }) }
}

function statisticName(value: Json | undefined): string {
  if (typeof value === 'string' && STATISTIC_NAME.test(value)) return value
  throw errors.invalidLeaderboard(`'statisticName' must be 1 to 100 letters, digits, '_' and '-', not ${shown(value)}.`)
}

function memberTypeOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '_User'
  return checkClassName(value)
}

function oneOf<Word extends string>(words: readonly Word[], body: JsonObject, name: string): Word | undefined {
  const value = member(body, name)
  if (value === undefined || value === null) return undefined
  const found = words.find((word) => word === value)
  if (!found) throw errors.invalidLeaderboard(`'${name}' must be one of ${words.join(', ')}, not ${shown(value)}.`)
  return found
}
