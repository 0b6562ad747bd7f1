import { type Notice, notice } from '../../notices/notice.ts'
import { NoticedError, noticeOf } from '../../notices/noticed-error.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import { isClassName } from '../../values/names.ts'
import { insisting } from '../import/send-batch.ts'
import { FailedRequest } from '../management.ts'
import { CursorCycle, NoAdvance } from './advancing.ts'
import { Part, type PulledItem, type PullTarget } from './part.ts'
import { type SourceApp, SourceRefusal } from './source-app.ts'

/** The result of pulling the leaderboards of the source. */
export interface Boards {
  readonly parts: readonly Part[]
  /** Why some could not be pulled. */
  readonly faults: readonly Notice[]
  /** Why none could be pulled; null when the source listed them. */
  readonly reason: Notice | null
}

/** Ranks, or boards, per request. */
export const RANKS = 1000

/** Maximum members of a board; larger counts are treated as invalid. */
const MAX_MEMBERS = 1_000_000_000
/** Maximum leaderboards of an app; a source with more is treated as endless. */
const MAX_BOARDS = 100_000

/** Maximum archives of a board (protocol/social, Leaderboards). */
const MAX_ARCHIVES = 60

/** The position up to which the ranks of a version are written. */
type RankMark = { readonly version: number; readonly start: number } | { readonly done: true }

/**
 * Pulls the leaderboards with the values of their current versions, ordered by rank (protocol/social, Leaderboards). Values have
 * no times, so each pull reads all of them. They replace the values here, except for better values in a board that keeps the
 * better one.
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
      const importBoard = () => target.management.request('PUT', `${target.appPath}/pulls/boards`, board)
      const here = (await insisting(importBoard)) as { readonly version: number }
      if (here.version === version) {
        begin(`leaderboard ${name}`)
        // Counted before the ranks are read, so that members who join meanwhile do not count as missing.
        const members = await countRanks(source, current)
        const { part, shown } = await pullRanks(source, target, current)
        parts.push(part)
        if (members !== null && shown < members)
          faults.push(notice('leaderboardMembersShown', { name, counted: members, shown }))
      } else faults.push(notice('leaderboardVersionHere', { name, here: here.version, there: version }))
    } catch (error) {
      const isRefused = error instanceof FailedRequest && error.status !== null && error.status < 500
      if (!isRefused && !(error instanceof SourceRefusal || error instanceof NoAdvance)) throw error
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

/** Returns the identification of a board of the source; null when it is incomplete. */
export function currentOf({ statisticName: name, memberType, version }: JsonObject): CurrentBoard | null {
  if (typeof name !== 'string' || typeof memberType !== 'string' || !isClassName(memberType) || !isNumber(version))
    return null
  return { name, memberType, version }
}

/** Returns the notice about a board without that identification. */
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
  // Ranks may have shifted meanwhile, so the page before the position is read again.
  let start = Math.max(0, (mark?.start ?? 0) - RANKS)
  for await (const texts of allRanks(source, board, start)) {
    // A prefix of the page may be written before the rest.
    const before = JSON.stringify({ version, start } satisfies RankMark)
    start += texts.length
    const items = texts.map((text): PulledItem => ({ text, mark: before }))
    await part.write(of, items, JSON.stringify({ version, start } satisfies RankMark))
  }
  await part.write(of, [], JSON.stringify({ done: true } satisfies RankMark))
  return { part, shown: start }
}

/** Yields the pages of ranks of the source, from a position to the last one. @throws as `SourceApp.text`; NoAdvance */
export async function* allRanks(
  source: SourceApp,
  board: CurrentBoard,
  start: number,
): AsyncGenerator<readonly string[]> {
  const cycle = new CursorCycle()
  for (let position = start; ; ) {
    const texts = await ranksFrom(source, board, position)
    if (texts.length === 0) return
    if (cycle.isRepeated(texts.join('\n'))) throw new NoAdvance(notice('leaderboardPageRepeats', { name: board.name }))
    yield texts
    position += texts.length
  }
}

/** Returns a page of ranks in the form of imports; empty after the last one. */
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

/** Returns the number of members of a board of the source; null when the source does not return it. */
export async function countRanks(
  source: SourceApp,
  { name, memberType, version }: CurrentBoard,
): Promise<number | null> {
  const { count } = await source.object(pathOfRanks(name, memberType), { maxResultsCount: 1, count: 1, version })
  return isNumber(count) && Number.isSafeInteger(count) && count >= 0 && count <= MAX_MEMBERS ? count : null
}

function pathOfRanks(name: string, memberType: string): string {
  return `/1.1/leaderboard/leaderboards/${kindOf(memberType)}/${encodeURIComponent(name)}/ranks`
}

/** Returns the archives of a board's former versions. @throws as `SourceApp.text` */
export async function archivesOf(source: SourceApp, name: string): Promise<JsonObject[]> {
  const path = `/1.1/leaderboard/leaderboards/${encodeURIComponent(name)}/archives`
  const { results } = await source.object(path, { limit: MAX_ARCHIVES })
  return Array.isArray(results) ? results.filter(isJsonObject) : []
}

/**
 * Returns the leaderboards of the source. It requests pages until no new ones appear, because pages may be shorter than
 * requested.
 * @throws as `SourceApp.text`
 */
export async function boardsOf(source: SourceApp): Promise<JsonObject[]> {
  const boards = new Map<string, JsonObject>()
  for (;;) {
    const { results } = await source.object('/1.1/leaderboard/leaderboards', { limit: RANKS, skip: boards.size })
    const before = boards.size
    for (const board of Array.isArray(results) ? results.filter(isJsonObject) : [])
      boards.set(JSON.stringify(board.statisticName ?? board), board)
    if (boards.size === before) return [...boards.values()]
    if (boards.size > MAX_BOARDS) throw new NoAdvance(notice('leaderboardsEndless', { maximum: MAX_BOARDS }))
  }
}

/** Returns a row of a ranking in the form of imports. The import rejects a row without a member. */
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
