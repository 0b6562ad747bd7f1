import { boolean, number, rowDecoder } from '../database/decode-row.ts'
import type { Executor } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import { notice } from '../notices/notice.ts'
import { isJsonObject, member as memberOf, parseJson, shown } from '../values/json.ts'
import type { Leaderboards } from './leaderboards.ts'
import { checkMember, kindOf } from './members.ts'
import { openRanking } from './rank-buckets.ts'
import { MAX_VALUE } from './statistics.ts'

/** The value of a member in a board of another server. */
export interface ExportedStatistic {
  readonly member: string
  readonly value: number
}

/** A version of a board. */
export interface VersionOfBoard {
  readonly name: string
  readonly memberType: string
  readonly version: number
}

/** Parses `{"member":…,"value":…}`. @throws ApiError that names the invalid member */
export function parseExportedStatistic(memberType: string, text: string): ExportedStatistic {
  const line = parseJson(text, notice('theLine'))
  if (!isJsonObject(line)) throw errors.malformedJson(notice('lineNotObject'))
  const value = memberOf(line, 'value')
  if (typeof value !== 'number' || !(Math.abs(value) < MAX_VALUE))
    throw errors.incorrectType(notice('valueForm', { maximum: MAX_VALUE, given: shown(value) }))
  return { member: checkMember(kindOf(memberType), memberOf(line, 'member')), value }
}

/**
 * Imports values in the order of their ranks: of equal values the first ranks higher.
 * @param replaces whether an existing value is replaced; in a board with the strategy `better`, only by a better one
 * @returns whether each written value is new; null when the board does not exist, or when `version` is neither the current one
 *   nor one whose values are kept (the previous version, and versions whose archive failed)
 */
export async function importStatistics(
  transaction: Executor,
  { tables, counts }: Leaderboards,
  { name, memberType, version }: VersionOfBoard,
  statistics: readonly ExportedStatistic[],
  replaces: boolean,
): Promise<readonly { readonly isNew: boolean }[] | null> {
  const [board] = await transaction.query(sql`
    SELECT board, version FROM ${tables.boards} AS board
    WHERE name = ${name} AND member_type = ${memberType} AND (
      version = ${version}::integer
      OR version = ${version}::integer + 1 AND NOT EXISTS (
        SELECT FROM ${tables.archives} AS archive
        WHERE archive.board = board.board AND archive.version = ${version}::integer
          AND status NOT IN ('completed', 'failed')
      )
      OR version > ${version}::integer AND EXISTS (
        SELECT FROM ${tables.archives} AS archive
        WHERE archive.board = board.board AND archive.version = ${version}::integer AND status = 'failed'
      )
    )
    FOR SHARE`)
  if (!board) return null
  const { id, current } = decodeBoard(board)
  const isOver = current !== version
  if (isOver) await openRanking(transaction, tables, { board: id, version })
  const resolution = replaces
    ? sql`DO UPDATE SET score = excluded.score, reached = excluded.reached
      WHERE excluded.score <> stored.score AND (
        excluded.score < stored.score
        OR (SELECT update_strategy FROM ${tables.boards} AS board WHERE board.board = stored.board) <> 'better'
      )`
    : sql`DO NOTHING`
  const rows = await transaction.query(sql`
    INSERT INTO ${tables.statistics} AS stored (board, version, member, score, reached)
    SELECT board, ${version}::integer, member, score, nextval(${tables.reached}::regclass)
    FROM (
      SELECT board, member, value * direction AS score
      FROM (
        SELECT DISTINCT ON (member) member, value, place
        FROM unnest(
          ${statistics.map(({ member }) => member)}::text[], ${statistics.map(({ value }) => String(value))}::float8[]
        ) WITH ORDINALITY AS given (member, value, place)
        ORDER BY member, place
      ) AS single, ${tables.boards} AS board
      WHERE board.board = ${id}::integer
      ORDER BY place
    ) AS ranked
    ON CONFLICT (board, version, member) ${resolution}
    RETURNING xmax = 0 AS is_new`)
  transaction.afterCommit(() => counts.note({ board: id, version }, rows.length * 2))
  return rows.map(decodeImported)
}

/** Returns whether a board of this name exists. */
export async function hasBoard(executor: Executor, { tables }: Leaderboards, name: string): Promise<boolean> {
  const found = await executor.query(sql`SELECT FROM ${tables.boards} WHERE name = ${name}`)
  return found.length > 0
}

const decodeBoard = rowDecoder({ id: number('board'), current: number('version') })

const decodeImported = rowDecoder({ isNew: boolean('is_new') })
