import { errors } from '../errors.ts'
import type { Caller } from '../objects/access/caller.ts'
import { type Board, boardMissing, directionOf, findBoard } from './board.ts'
import type { Ranking } from './leaderboard-tables.ts'
import type { Leaderboards } from './leaderboards.ts'
import { kindOf, type MemberKind } from './members.ts'
import { countMembers, membersAmong, membersAround, membersFrom, type RankedMember } from './ranks.ts'
import { type MemberView, showMembers } from './show-members.ts'
import { readStatisticTexts } from './statistic-texts.ts'

/** A query on a ranking. */
export interface RankQuery {
  /** Rank of the first result. */
  readonly start: number
  readonly limit: number
  /** The version; null: the current one. */
  readonly version: number | null
  readonly count: boolean
  readonly view: MemberView
  /** Boards whose values are added to each result. */
  readonly statistics: readonly string[]
  /** Returns the neighbors of this member. */
  readonly around: string | null
  /** Ranks only these members, among themselves. */
  readonly group: readonly string[] | null
}

export interface ShownRanks {
  /** JSON texts, as many from the first on as fit into a response. */
  readonly results: readonly string[]
  readonly count?: number
}

/**
 * Reads a part of a ranking (protocol/social, Leaderboards).
 * @param kind the kind of members in the path; null: the old path, which does not specify it
 * @throws ApiError 2100 for an unknown board, 2102 for a version that is not stored
 */
export async function readRanks(
  leaderboards: Leaderboards,
  name: string,
  kind: MemberKind | null,
  query: RankQuery,
  caller: Caller,
): Promise<ShownRanks> {
  const board = await findBoard(leaderboards, name)
  if (kind !== null && kindOf(board.memberType) !== kind) throw boardMissing(name)
  const ranking = { board: board.board, version: versionOf(board, query.version) }
  const principal = caller.origin?.principal
  const [ranked, count] = query.group
    ? await groupOf(leaderboards, ranking, query, query.group, caller)
    : await Promise.all([
        rankedIn(leaderboards, ranking, query, caller),
        query.count ? countMembers(leaderboards, ranking, principal) : undefined,
      ])
  const results = await showRanked(leaderboards, board, ranked, query, caller)
  return { results, ...(query.count && count !== undefined && { count }) }
}

/** Checks a version. @throws ApiError 2102: besides the archives, only the current and the previous version are kept */
function versionOf({ name, version }: Board, wanted: number | null): number {
  if (wanted === null) return version
  if (wanted > version || wanted < version - 1)
    throw errors.leaderboardVersionMissing(
      `'version' of '${name}' must be ${version === 0 ? '0' : `${version - 1} or ${version}`}; other versions are archived.`,
    )
  return wanted
}

async function rankedIn(
  leaderboards: Leaderboards,
  ranking: Ranking,
  { around, start, limit }: RankQuery,
  caller: Caller,
): Promise<RankedMember[]> {
  if (limit === 0) return []
  const principal = caller.origin?.principal
  if (around === null) return membersFrom(leaderboards, ranking, start, limit, principal)
  return membersAround(leaderboards, ranking, around, limit, principal)
}

async function groupOf(
  leaderboards: Leaderboards,
  ranking: Ranking,
  { around, start, limit }: RankQuery,
  group: readonly string[],
  caller: Caller,
): Promise<[RankedMember[], number]> {
  const all = await membersAmong(leaderboards, ranking, group, caller.origin?.principal)
  const rank = around === null ? start : all.findIndex(({ member }) => member === around)
  if (rank < 0) return [[], all.length]
  const first = around === null ? start : Math.max(0, rank - Math.floor(limit / 2))
  return [all.slice(first, first + limit), all.length]
}

async function showRanked(
  leaderboards: Leaderboards,
  { name, memberType, order }: Board,
  ranked: readonly RankedMember[],
  { view, statistics }: RankQuery,
  caller: Caller,
): Promise<string[]> {
  const members = ranked.map(({ member }) => member)
  const direction = directionOf(order)
  return leaderboards.objects.results.withRoom(caller.origin?.principal, async (room) => {
    const [shown, others] = await Promise.all([
      showMembers(leaderboards, memberType, members, view, caller),
      statistics.length > 0
        ? readStatisticTexts(leaderboards, kindOf(memberType), members, statistics, room, caller)
        : null,
    ])
    const missing = others ? members.findIndex((member) => !others.has(member)) : -1
    const within = missing < 0 ? ranked : ranked.slice(0, missing)
    return room.presentQueued(async () =>
      within.map(({ rank, member, score }) => {
        const shownRank = { rank, statisticName: name, statisticValue: score * direction + 0 }
        const statisticsText = others ? `,"statistics":${others.get(member)}` : ''
        return `${JSON.stringify(shownRank).slice(0, -1)},${shown(member)}${statisticsText}}`
      }),
    )
  })
}
