import { type Notice, notice } from '../../notices/notice.ts'
import { NoticedError, noticeOf } from '../../notices/noticed-error.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import { isClassName } from '../../values/names.ts'
import { insisting } from '../import/send-batch.ts'
import { FailedRequest } from '../management.ts'
import { Part, type PulledItem, type PullTarget } from './part.ts'
import { type SourceApp, SourceRefusal } from './source-app.ts'

/** What came of the leaderboards of the source. */
export interface Boards {
  readonly parts: readonly Part[]
  /** Why some could not be brought. */
  readonly faults: readonly Notice[]
  /** Why there are none; null where the source has said which it has. */
  readonly reason: Notice | null
}

/** Ranks, or boards, that are asked for at once. */
export const RANKS = 1000

/** Archives that a board has at most (protocol/social, Leaderboards). */
const MOST_ARCHIVES = 60

/** Where the ranks of a version are written up to. */
type RankMark = { readonly version: number; readonly start: number } | { readonly done: true }

/**
 * Brings the leaderboards with the values of their current versions, in the order of ranks (protocol/social, Leaderboards).
 * Values have no times: each pull reads all of them, and those that are here give way to those of the source, in a board that
 * keeps the better one to better ones.
 * @throws Error with one line for the user
 */
export async function pullBoards(
  source: SourceApp,
  target: PullTarget,
  begin: (name: string) => void,
): Promise<Boards> {
  const parts: Part[] = []
  const faults: Notice[] = []
  let boards: JsonObject[]
  try {
    boards = await boardsOf(source)
  } catch (error) {
    if (!(error instanceof SourceRefusal)) throw error
    return { parts, faults, reason: error.notice }
  }
  for (const board of boards) {
    const current = currentOf(board)
    if (!current) {
      faults.push(nameless(board))
      continue
    }
    const { name, version } = current
    try {
      const bring = () => target.management.request('PUT', `${target.appPath}/pulls/boards`, board)
      const here = (await insisting(bring)) as { readonly version: number }
      if (here.version === version) {
        begin(`leaderboard ${name}`)
        // Before they are read: who comes meanwhile is not missed.
        const members = await countRanks(source, current)
        const { part, shown } = await pullRanks(source, target, current)
        parts.push(part)
        if (members !== null && shown < members)
          faults.push(notice('leaderboardMembersShown', { name, counted: members, shown }))
      } else faults.push(notice('leaderboardVersionHere', { name, here: here.version, there: version }))
    } catch (error) {
      const isRefused = error instanceof FailedRequest && error.status !== null && error.status < 500
      if (!isRefused && !(error instanceof SourceRefusal)) throw error
      faults.push(notice('leaderboardNotBrought', { name, reason: noticeOf(error) }))
    }
  }
  return { parts, faults, reason: null }
}

/** A leaderboard of the source with its current version. */
export interface CurrentBoard {
  readonly name: string
  readonly memberType: string
  readonly version: number
}

/** What a board of the source is read by; null where it does not say it. */
export function currentOf({ statisticName: name, memberType, version }: JsonObject): CurrentBoard | null {
  if (typeof name !== 'string' || typeof memberType !== 'string' || !isClassName(memberType) || !isNumber(version))
    return null
  return { name, memberType, version }
}

/** What is told of a board without that. */
export function nameless(board: JsonObject): Notice {
  return notice('leaderboardIncomplete', { record: JSON.stringify(board).slice(0, 200) })
}

async function pullRanks(source: SourceApp, target: PullTarget, board: CurrentBoard) {
  const { name, memberType, version } = board
  const partName = `leaderboard ${name}`
  let part = await Part.open(target, partName)
  let mark = part.mark === null ? null : (JSON.parse(part.mark) as RankMark)
  if (mark && ('done' in mark || mark.version !== version)) {
    part = await Part.open(target, partName, true)
    mark = null
  }
  const of = { kind: 'statistics', className: memberType, board: name, version } as const
  // Who goes on may have been overtaken meanwhile: a page in front is read again.
  let start = Math.max(0, (mark?.start ?? 0) - RANKS)
  for (;;) {
    const texts = await ranksFrom(source, board, start)
    if (texts.length === 0) break
    // A part of a page may be written before the rest.
    const before = JSON.stringify({ version, start } satisfies RankMark)
    start += texts.length
    const items = texts.map((text): PulledItem => ({ text, mark: before }))
    await part.write(of, items, JSON.stringify({ version, start } satisfies RankMark))
  }
  await part.write(of, [], JSON.stringify({ done: true } satisfies RankMark))
  return { part, shown: start }
}

/** A page of the ranks of the source, as they are imported; none behind the last one. */
export async function ranksFrom(
  source: SourceApp,
  { name, memberType, version }: CurrentBoard,
  start: number,
): Promise<string[]> {
  const query = { startPosition: start, maxResultsCount: RANKS, version }
  const { results } = await source.object(pathOfRanks(name, memberType), query)
  if (!Array.isArray(results)) throw new NoticedError(notice('sourceBoardWithoutResults', { name }))
  return results.map((row) => statisticOf(row, kindOf(memberType)))
}

/** How many members a board of the source has; null where it does not say it. */
export async function countRanks(
  source: SourceApp,
  { name, memberType, version }: CurrentBoard,
): Promise<number | null> {
  const { count } = await source.object(pathOfRanks(name, memberType), { maxResultsCount: 1, count: 1, version })
  return isNumber(count) ? count : null
}

function pathOfRanks(name: string, memberType: string): string {
  return `/1.1/leaderboard/leaderboards/${kindOf(memberType)}/${encodeURIComponent(name)}/ranks`
}

/** The archives of versions of a board that have ended. @throws as `SourceApp.text` */
export async function archivesOf(source: SourceApp, name: string): Promise<JsonObject[]> {
  const path = `/1.1/leaderboard/leaderboards/${encodeURIComponent(name)}/archives`
  const { results } = await source.object(path, { limit: MOST_ARCHIVES })
  return Array.isArray(results) ? results.filter(isJsonObject) : []
}

/** The leaderboards of the source, until it tells no others: it may show fewer at once than it is asked for. @throws as `SourceApp.text` */
export async function boardsOf(source: SourceApp): Promise<JsonObject[]> {
  const boards = new Map<string, JsonObject>()
  for (;;) {
    const { results } = await source.object('/1.1/leaderboard/leaderboards', { limit: RANKS, skip: boards.size })
    const before = boards.size
    for (const board of Array.isArray(results) ? results.filter(isJsonObject) : [])
      boards.set(JSON.stringify(board.statisticName ?? board), board)
    if (boards.size === before) return [...boards.values()]
  }
}

/** A row of a ranking as it is imported; one that says no member is refused there. */
function statisticOf(row: unknown, kind: ReturnType<typeof kindOf>): string {
  const { statisticValue: value = null, [kind]: shown = null } = isJsonObject(row) ? row : {}
  const member = isJsonObject(shown) ? (shown.objectId ?? null) : shown
  return JSON.stringify({ member, value })
}

export function kindOf(memberType: string): 'user' | 'entity' | 'object' {
  if (memberType === '_User') return 'user'
  return memberType === '_Entity' ? 'entity' : 'object'
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}
