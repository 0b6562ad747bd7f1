import type { Kind } from '../../import/batch.ts'
import { at, type Notice, notice } from '../../notices/notice.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { insisting } from '../import/send-batch.ts'
import type { Management } from '../management.ts'
import { kindOf } from '../pull/pull-boards.ts'
import type { BoardRules } from './meaning.ts'
import type { SourceBatch } from './verification.ts'

/** Settings that determine the members of a board and their order. */
const SETTINGS = ['memberType', 'order', 'updateStrategy', 'versionChangeInterval'] as const

type Values = Extract<Kind, { kind: 'statistics' }>

/** The result of comparing leaderboards, as notices. */
export interface ComparedBoards {
  /** Number of leaderboards. */
  readonly count: number
  readonly faults: readonly Notice[]
  readonly notes: readonly Notice[]
}

/** A leaderboard of the source. */
export interface BoardThere extends JsonObject {
  /** Number of members, if not all of their values are compared. */
  readonly members?: number
  /** Why its archives are unknown. */
  readonly noArchives?: Notice
}

/**
 * Compares leaderboards: their existence, settings, versions and archives. Their values are compared like other records
 * (`verification.ts`). Boards keep running, so a version that has ended here only causes a note.
 */
export class BoardComparison {
  readonly #management: Management
  readonly #appPath: string
  readonly #withFiles: boolean
  #here: Promise<ReadonlyMap<string, JsonObject>> | undefined
  /** The resolved value of `#here`. */
  #known: ReadonlyMap<string, JsonObject> = new Map()
  readonly #versionsThere = new Map<string, number>()
  readonly #faults: Notice[] = []
  readonly #notes: Notice[] = []

  /** @param withFiles whether to compare the bytes of files, including those of archives */
  constructor(management: Management, appPath: string, withFiles: boolean) {
    this.#management = management
    this.#appPath = appPath
    this.#withFiles = withFiles
  }

  /** Adds leaderboards. @returns whether the batch is handled here: it has leaderboards, or values of a board that is missing */
  async take({ of, file, items }: SourceBatch): Promise<boolean> {
    if (of.kind === 'statistics') return !(await this.#boardsHere()).has(of.board)
    if (of.kind !== 'boards') return false
    const boards: JsonObject[] = []
    for (const { at: line, text, reason } of items) {
      const board = reason === undefined ? objectIn(text) : null
      if (!board) this.#faults.push(at(`${file}:${line}`, reason ?? notice('notLeaderboardRecord')))
      // Set before anything is awaited, because it is needed to judge the values that follow.
      else this.#versionsThere.set(String(board.statisticName), Number(board.version))
      if (board) boards.push(board)
    }
    for (const board of boards) await this.#compareBoard(board)
    return true
  }

  /** Returns the rules by which values of a board may change. */
  rulesOf({ board: name, version }: Values): BoardRules {
    const { order, updateStrategy } = this.#known.get(name) ?? {}
    return {
      order: order === 'ascending' ? 'ascending' : 'descending',
      updateStrategy: String(updateStrategy),
      isOver: version < (this.#versionsThere.get(name) ?? version),
    }
  }

  /** Returns the result; call it at the end. */
  compared(): ComparedBoards {
    return { count: this.#versionsThere.size, faults: this.#faults, notes: this.#notes }
  }

  async #compareBoard(there: BoardThere): Promise<void> {
    const name = String(there.statisticName)
    const here = (await this.#boardsHere()).get(name)
    if (!here) {
      this.#faults.push(notice('leaderboardNotHere', { name }))
      return
    }
    for (const setting of SETTINGS) {
      const [wanted, present] = [there[setting], here[setting]]
      if (wanted !== undefined && wanted !== present)
        this.#faults.push(
          notice('leaderboardSettingDiffers', { name, setting, here: shown(present), there: shown(wanted) }),
        )
    }
    const text = notice('leaderboardAtOtherVersion', { name, here: shown(here.version), there: shown(there.version) })
    if (Number(here.version) < Number(there.version)) this.#faults.push(text)
    else if (here.version !== there.version) this.#notes.push(text)
    else if (there.members !== undefined) await this.#compareMembers(name, String(here.memberType), there.members)
    await this.#compareArchives(name, there)
  }

  /** Compares the numbers of members, because a sample does not show which ones are missing. */
  async #compareMembers(name: string, memberType: string, there: number): Promise<void> {
    const { count } = await this.#get(
      `/${kindOf(memberType)}/${encodeURIComponent(name)}/ranks?maxResultsCount=0&count=1`,
    )
    const members = Number(count)
    if (members < there) this.#faults.push(notice('leaderboardMembersDiffer', { name, here: members, there }))
    this.#notes.push(notice('leaderboardSampled', { name, members: there }))
  }

  /** Checks that each kept ranking still exists here, as an archive of the board or as a file. */
  async #compareArchives(name: string, { archives: expected, noArchives }: BoardThere): Promise<void> {
    if (noArchives !== undefined) this.#notes.push(notice('leaderboardArchivesUnknown', { name, reason: noArchives }))
    const archives = Array.isArray(expected) ? expected.filter(isJsonObject) : []
    const kept = archives.filter(({ status }) => status === 'completed')
    if (kept.length < archives.length)
      this.#notes.push(
        notice('leaderboardArchivesNotThere', {
          name,
          versions: versionsOf(archives.filter((one) => !kept.includes(one))),
        }),
      )
    if (kept.length === 0) return
    const missing = await this.#withoutBytes(kept.map(({ file_key: key }) => String(key)))
    const lost = kept.filter(({ file_key: key }) => missing.has(String(key)))
    if (lost.length > 0) this.#faults.push(notice('leaderboardArchivesMissing', { name, versions: versionsOf(lost) }))
    const { results } = await this.#get(`/${encodeURIComponent(name)}/archives`)
    const listed = new Set(results.map(({ file_key: key }) => key))
    const unlisted = kept.filter((one) => !lost.includes(one) && !listed.has(one.file_key!))
    if (unlisted.length > 0)
      this.#notes.push(notice('leaderboardArchivesNotListed', { name, versions: versionsOf(unlisted) }))
  }

  async #withoutBytes(keys: readonly string[]): Promise<ReadonlySet<string>> {
    if (!this.#withFiles) return new Set()
    const findMissing = () => this.#management.request('POST', `${this.#appPath}/files/missing`, { keys })
    return new Set(((await insisting(findMissing)) as { readonly missing: readonly string[] }).missing)
  }

  async #boardsHere(): Promise<ReadonlyMap<string, JsonObject>> {
    const read = async () => {
      const { results } = await this.#get('')
      return new Map(results.map((board) => [String(board.statisticName), board]))
    }
    this.#here ??= read()
    this.#known = await this.#here
    return this.#known
  }

  async #get(path: string): Promise<{ readonly results: readonly JsonObject[]; readonly count?: Json }> {
    const url = `${this.#appPath}/api/1.1/leaderboard/leaderboards${path}`
    const answer = await insisting(() => this.#management.request('GET', url))
    return answer as { readonly results: readonly JsonObject[]; readonly count?: Json }
  }
}

function objectIn(text: string): JsonObject | null {
  try {
    const record = JSON.parse(text) as Json
    return isJsonObject(record) ? record : null
  } catch {
    return null
  }
}

function versionsOf(archives: readonly JsonObject[]): string[] {
  return archives.map(({ version }) => shown(version))
}

function shown(value: Json | undefined): string {
  return value === undefined ? 'nothing' : String(value)
}
