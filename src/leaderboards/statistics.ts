import { boolean, type Decoder, entry, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Row } from '../database/row.ts'
import { sql } from '../database/sql.ts'
import { errors } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import { isJsonObject, isStorableText, type Json, type JsonObject, member as memberOf, shown } from '../values/json.ts'
import { boardMissing, findBoard } from './board.ts'
import type { Leaderboards } from './leaderboards.ts'
import { checkMayWrite, isMalformedUser, isOfKind, kindOf, type MemberKind, malformedUser } from './members.ts'

/** A value sent for a board. */
interface Given {
  readonly name: string
  readonly value: number
}

/** The value of a member in a board. */
export interface Statistic {
  readonly name: string
  readonly memberType: string
  readonly member: string
  readonly value: number
  readonly version: number
}

/** Maximum boards that one request can write or name. */
const MAX_STATISTICS = 100

/** Values must be smaller than this, so that no sum of them overflows. */
export const MAX_VALUE = 1e100

/**
 * Stores values of a member by the strategies of their boards, all or none (protocol/social, Leaderboards). A value counts in the
 * version that is current when the statement begins: a version change does not wait for running statements, but the archive of
 * the version does.
 * @param overwrite stores the value unchanged, regardless of the strategy
 * @returns the stored values, in the order of the body
 * @throws ApiError 2100 for an unknown board, 403, 1 or 111 for an invalid body, 104 for an invalid user id
 */
export async function updateStatistics(
  leaderboards: Leaderboards,
  kind: MemberKind,
  member: string,
  body: unknown,
  overwrite: boolean,
  caller: Caller,
): Promise<Statistic[]> {
  checkMayWrite(leaderboards, kind, member, caller)
  const given = parseGiven(body)
  const isMalformed = await isMalformedUser(leaderboards, kind, member, caller)
  const { database, tables, counts } = leaderboards
  const principal = caller.origin?.principal
  const next = sql`(
    SELECT CASE WHEN ${overwrite} THEN excluded.score
      WHEN update_strategy = 'sum' THEN statistic.score + excluded.score
      WHEN update_strategy = 'better' THEN least(statistic.score, excluded.score)
      ELSE excluded.score END
    FROM target WHERE target.board = excluded.board
  )`
  const rows = await database.query(
    sql`
      WITH target AS MATERIALIZED (
        SELECT board, version, name, member_type, direction, update_strategy, value * direction AS score, ${isOfKind(kind)} AS fits
        FROM unnest(${given.map(({ name }) => name)}::text[], ${given.map(({ value }) => String(value))}::float8[]) AS given (name, value)
        JOIN ${tables.boards} USING (name)
      ),
      stored AS (
        INSERT INTO ${tables.statistics} AS statistic (board, version, member, score, reached)
        SELECT board, version, ${member}, score, nextval(${tables.reached}::regclass)
        FROM target
        WHERE (SELECT count(*) FILTER (WHERE fits) FROM target) = ${given.length} AND NOT ${isMalformed}
        ORDER BY board
        ON CONFLICT (board, version, member) DO UPDATE SET score = ${next}, reached = excluded.reached
        WHERE ${next} <> statistic.score
        RETURNING board, score
      )
      SELECT target.board, version, name, member_type, fits, stored.score * direction AS value
      FROM target LEFT JOIN stored USING (board)`,
    principal,
  )
  const found = new Map(rows.map(entry(text('name'), (row) => row)))
  for (const { name } of given) checkFits(found.get(name), name, kind)
  if (isMalformed) throw malformedUser(member)
  for (const row of rows) counts.note(rankingOf(row), 2)
  const unchanged = rows.filter((row) => number.orNull('value')(row) === null)
  const values = unchanged.length > 0 ? await readUnchanged(leaderboards, member, unchanged, caller) : new Map()
  return given.map(({ name }) => {
    const row = found.get(name)!
    const { board, memberType, value, version } = decodeWritten(row)
    return { name, memberType, member, value: value ?? values.get(board) ?? 0, version }
  })
}

function checkFits(row: Row | undefined, name: string, kind: MemberKind): void {
  if (!row) throw boardMissing(name)
  if (!boolean('fits')(row))
    throw errors.badArgument(
      `The members of the leaderboard '${name}' are ${text('member_type')(row)}, so the path must not be that of ${kind === 'entity' ? 'entities' : `${kind}s`}.`,
    )
}

/** Reads the current values that the new ones did not change. The writing statement used an older snapshot. */
async function readUnchanged(
  { database, tables }: Leaderboards,
  member: string,
  rows: readonly Row[],
  caller: Caller,
): Promise<Map<number, number>> {
  const stored = await database.query(
    sql`
      SELECT board, score * direction AS value
      FROM ${tables.statistics} AS statistic
      JOIN ${tables.boards} AS board USING (board)
      WHERE (board, statistic.version) IN (
        SELECT * FROM unnest(${rows.map(number('board', String))}::int[], ${rows.map(number('version', String))}::int[])
      ) AND member = ${member}`,
    caller.origin?.principal,
  )
  return new Map(stored.map(entry(number('board'), number('value'))))
}

function parseGiven(body: unknown): Given[] {
  if (!Array.isArray(body))
    throw errors.badArgument('The body must be a list of objects with statisticName and statisticValue.')
  if (body.length === 0 || body.length > MAX_STATISTICS)
    throw errors.badArgument(`The body must be a list of 1 to ${MAX_STATISTICS} statistics, not ${body.length}.`)
  const given = body.map((item: unknown, index) => parseStatistic(item, index))
  const twice = given.find(({ name }, index) => given.findIndex((other) => other.name === name) !== index)
  if (twice) throw errors.badArgument(`The statistic '${twice.name.slice(0, 100)}' occurs twice.`)
  return given
}

function parseStatistic(item: unknown, index: number): Given {
  if (!isJsonObject(item)) throw errors.badArgument(`The statistic ${index} must be an object.`)
  const [name, value] = [memberOf(item, 'statisticName'), memberOf(item, 'statisticValue')]
  if (typeof name !== 'string' || name === '')
    throw errors.badArgument(
      `'statisticName' of the statistic ${index} must be the name of a leaderboard, not ${shown(name)}.`,
    )
  if (!isStorableText(name)) throw boardMissing(name.replaceAll('\0', ''))
  if (typeof value !== 'number' || !(Math.abs(value) < MAX_VALUE))
    throw errors.incorrectType(
      `'statisticValue' of '${name.slice(0, 100)}' must be a number below ${MAX_VALUE}, not ${shown(value)}.`,
    )
  return { name, value }
}

/**
 * Reads the values of one member in the current versions of boards.
 * @param names null: all boards
 * @throws ApiError 2100 for an unknown board, 104 for an invalid user id
 */
export async function readStatisticsOf(
  leaderboards: Leaderboards,
  kind: MemberKind,
  member: string,
  names: readonly string[] | null,
  caller: Caller,
): Promise<Statistic[]> {
  const found = await readStatistics(leaderboards, kind, [member], names, caller)
  if (found.length === 0 && (await isMalformedUser(leaderboards, kind, member, caller))) throw malformedUser(member)
  return found
}

/**
 * Reads the values of members in the current versions of boards.
 * @param names null: all boards
 * @throws ApiError 2100 for an unknown board
 */
async function readStatistics(
  { database, tables }: Leaderboards,
  kind: MemberKind,
  members: readonly string[],
  names: readonly string[] | null,
  caller: Caller,
): Promise<Statistic[]> {
  const rows = await database.query(
    sql`
      SELECT name, member_type, board.version, member, score * direction AS value
      FROM ${tables.boards} AS board
      LEFT JOIN ${tables.statistics} AS statistic
        ON statistic.board = board.board AND statistic.version = board.version AND member = ANY(${members}::text[])
      WHERE ${isOfKind(kind)} ${names ? sql`AND name = ANY(${names}::text[])` : sql``}
      ORDER BY name, member`,
    caller.origin?.principal,
  )
  if (names) {
    const found = new Set(rows.map(text('name')))
    const missing = names.find((name) => !found.has(name))
    if (missing !== undefined) throw boardMissing(missing)
  }
  return rows.filter((row) => nullableMember(row) !== null).map(statisticOf)
}

const nullableMember = text.orNull('member')

const statisticOf: Decoder<Statistic> = rowDecoder({
  name: text('name'),
  memberType: text('member_type'),
  member: text('member'),
  value: number('value'),
  version: number('version'),
})

/** Reads the values of some members in one board. @throws ApiError 2100 */
export async function readStatisticOf(
  leaderboards: Leaderboards,
  kind: MemberKind,
  members: readonly string[],
  name: string,
  caller: Caller,
): Promise<Statistic[]> {
  const { memberType } = await findBoard(leaderboards, name)
  if (kindOf(memberType) !== kind) throw boardMissing(name)
  const found = await readStatistics(leaderboards, kind, members, [name], caller)
  const byMember = new Map(found.map((statistic) => [statistic.member, statistic]))
  return members.flatMap((member) => byMember.get(member) ?? [])
}

/**
 * Deletes the values of a member in the current versions of boards.
 * @throws ApiError 2100 for an unknown board, and nothing is deleted then; 403; 104 for an invalid user id
 */
export async function deleteStatistics(
  leaderboards: Leaderboards,
  kind: MemberKind,
  member: string,
  names: readonly string[],
  caller: Caller,
): Promise<void> {
  checkMayWrite(leaderboards, kind, member, caller)
  if (names.length === 0) throw errors.badArgument("'statistics' must be a comma-separated list of leaderboard names.")
  const { database, tables, counts } = leaderboards
  const rows = await database.query(
    sql`
      WITH target AS MATERIALIZED (
        SELECT board, version, name FROM ${tables.boards} WHERE name = ANY(${names}::text[]) AND ${isOfKind(kind)}
      ),
      deleted AS (
        DELETE FROM ${tables.statistics} AS statistic
        USING target
        WHERE statistic.board = target.board AND statistic.version = target.version AND member = ${member}
          AND (SELECT count(*) FROM target) = ${names.length}
        RETURNING member
      )
      SELECT board, version, name, (SELECT count(*) FROM deleted) AS deleted FROM target`,
    caller.origin?.principal,
  )
  const missing = names.find((name) => !rows.some((row) => text('name')(row) === name))
  if (missing !== undefined) throw boardMissing(missing)
  if (number('deleted')(rows[0]!) === 0 && (await isMalformedUser(leaderboards, kind, member, caller)))
    throw malformedUser(member)
  for (const row of rows) counts.note(rankingOf(row), 1)
}

/** Parses comma-separated board names in a parameter. @throws ApiError 1 when there are too many */
export function namesIn(parameter: string, value: Json | undefined): string[] {
  if (value === undefined || value === null || value === '') return []
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',', MAX_STATISTICS + 2) : [value]
  const names = list
    .map((name: Json) => (typeof name === 'string' ? name.trim() : shown(name)))
    .filter((name) => name !== '')
  if (names.length > MAX_STATISTICS)
    throw errors.badArgument(`'${parameter}' must name at most ${MAX_STATISTICS} leaderboards.`)
  const impossible = names.find((name) => !isStorableText(name))
  if (impossible !== undefined) throw boardMissing(impossible.replaceAll('\0', '').toWellFormed())
  return [...new Set(names)]
}

/** Returns a statistic as clients see it, without the member. */
export function showStatistic({ name, value, version }: Statistic): JsonObject {
  return { statisticName: name, statisticValue: value, version }
}

const rankingOf = rowDecoder({ board: number('board'), version: number('version') })

/** `value` is null if the write did not change it. */
const decodeWritten = rowDecoder({
  board: number('board'),
  memberType: text('member_type'),
  value: number.orNull('value'),
  version: number('version'),
})
