import { entry, number, text } from '../database/decode-row.ts'
import { sql } from '../database/sql.ts'
import type { Caller } from '../objects/access/caller.ts'
import type { ResultRoom } from '../objects/large-results.ts'
import { boardMissing } from './board.ts'
import type { Leaderboards } from './leaderboards.ts'
import { isOfKind, type MemberKind } from './members.ts'

/**
 * Reads the values of members in the current versions of boards, as JSON lists. The database builds the lists, because a page of
 * a ranking has up to 100 000 values, which would block the event loop as separate rows.
 * @param members in the order in which they are shown
 * @returns the list of each member, from the first on, up to 6 MB (protocol/storage, Query parameters)
 * @throws ApiError 2100 for an unknown board
 */
export async function readStatisticTexts(
  { database, tables }: Leaderboards,
  kind: MemberKind,
  members: readonly string[],
  names: readonly string[],
  room: ResultRoom,
  caller: Caller,
): Promise<Map<string, string>> {
  const principal = caller.origin?.principal
  const boards = await database.query(
    sql`SELECT board, name FROM ${tables.boards} WHERE name = ANY(${names}::text[]) AND ${isOfKind(kind)}`,
    principal,
  )
  const found = new Set(boards.map(text('name')))
  const missing = names.find((name) => !found.has(name))
  if (missing !== undefined) throw boardMissing(missing)
  if (members.length === 0) return new Map()
  const { rows } = await database.search(
    sql`
      SELECT shown.member, coalesce(own.list, '[]') AS data
      FROM unnest(${members}::text[]) WITH ORDINALITY AS shown (member, place)
      LEFT JOIN (
        SELECT member, '[' || string_agg(json_build_object(
          'statisticName', name, 'statisticValue', score * direction + 0, 'version', board.version)::text, ',' ORDER BY name
        ) || ']' AS list
        FROM ${tables.boards} AS board
        JOIN ${tables.statistics} AS statistic
          ON statistic.board = board.board AND statistic.version = board.version AND member = ANY(${members}::text[])
        WHERE board.board = ANY(${boards.map(number('board', String))}::int[])
        GROUP BY member
      ) AS own ON own.member = shown.member
      ORDER BY place`,
    principal,
    room.sizeOf,
    room.begin,
  )
  return new Map(rows.map(entry(text('member'), text('data'))))
}
