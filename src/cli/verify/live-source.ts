import { BOARDS, countedAs, type ImportState, type Kind } from '../../import/batch.ts'
import { isSampled } from '../../import/sample.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import { noticeOf } from '../../notices/noticed-error.ts'
import type { JsonObject } from '../../values/json.ts'
import { Faults } from '../import/faults.ts'
import { FailedRequest, type Management } from '../management.ts'
import { NoAdvance } from '../pull/advancing.ts'
import { type ClassLookup, checkAcls, lookUpClass } from '../pull/class-lookup.ts'
import { idsOf, objectsOf, objectsWith } from '../pull/objects-of.ts'
import { Part } from '../pull/part.ts'
import {
  allRanks,
  archivesOf,
  boardsOf,
  type CurrentBoard,
  countRanks,
  currentOf,
  nameless,
  RANKS,
  ranksFrom,
} from '../pull/pull-boards.ts'
import { MESSAGES_PART, messagePages } from '../pull/pull-messages.ts'
import type { PullProgress } from '../pull/pull-progress.ts'
import { membersOf } from '../pull/pull-relation.ts'
import { pulledUntil } from '../pull/round.ts'
import { type SourceApp, SourceRefusal } from '../pull/source-app.ts'
import { schemasOf } from '../pull/source-schemas.ts'
import { batched, type SourceRecord, type VerifiedSource } from './source.ts'

const MESSAGES: Kind = { kind: 'messaging', className: 'messaging-messages' }
/** Ids of the sample per request. */
const CHOSEN = 50

export interface LiveOptions {
  readonly source: SourceApp
  readonly progress: PullProgress
  /** Whether the source may hide ACLs because its objects have none. */
  readonly withoutAcl: boolean
  readonly withMessages: boolean
  readonly shareOf: (of: Kind) => number
  /** Approximate number of values to compare per leaderboard; null: all. */
  readonly sample: number | null
}

/** Values of a leaderboard, starting at a rank. */
interface PageOfRanks {
  readonly start: number
  readonly texts: readonly string[]
}

/** Reads a running app as a pull does (docs/moving-in.md, Pull). @throws as `SourceApp.text` */
export async function liveSource(options: LiveOptions): Promise<VerifiedSource> {
  const { source, progress } = options
  const { classes, relations, unknown } = await schemasOf(source)
  const totals = new Map<string, number | null>()
  const lookups: ClassLookup[] = []
  for (const className of classes.keys()) {
    const lookup = await lookUpClass(source, className)
    lookups.push(lookup)
    totals.set(className, lookup.total)
  }
  if (!options.withoutAcl) checkAcls(lookups)
  const faults = new Faults()
  for (const fault of unknown) faults.add(fault)
  const remarks: Notice[] = []
  const ofObjects = [...classes.keys()].map((className) => ({ kind: 'objects', className }) as const)
  const ofMembers = relations.map((field) => ({ kind: 'relations', ...field }) as const)
  const records = async function* (): AsyncGenerator<SourceRecord> {
    for (const of of ofObjects) {
      progress.begin(of.className, totals.get(of.className) ?? null)
      yield* objectsIn(source, of, options.shareOf(of))
    }
    for (const of of ofMembers) {
      progress.begin(`${of.className}.${of.field}`, null)
      yield* membersIn(source, of)
    }
    yield* boardsIn(options, faults, remarks)
    if (!options.withMessages) return
    progress.begin(countedAs(MESSAGES), null)
    try {
      yield* messagesIn(source)
    } catch (error) {
      if (!(error instanceof SourceRefusal)) throw error
      faults.add(notice('messagesNotRead', { reason: noticeOf(error) }))
    }
  }
  return {
    schemas: classes,
    kinds: [...ofObjects, ...ofMembers, ...(options.withMessages ? [MESSAGES] : [])],
    batches: () => batched(records()),
    faults,
    remarks,
  }
}

/** Yields the objects of a class. For objects that are not in the sample, only ids are read. */
async function* objectsIn(
  source: SourceApp,
  of: Extract<Kind, { kind: 'objects' }>,
  share: number,
): AsyncGenerator<SourceRecord> {
  const { className } = of
  let at = 0
  const record = (text: string, reason?: Notice): SourceRecord => ({
    of,
    file: className,
    item: { at: ++at, text, reason },
  })
  if (share >= 1) {
    for await (const page of objectsOf(source, className, { after: null, since: null }))
      for (const { text, reason } of page) yield record(text, reason)
    return
  }
  for await (const page of objectsOf(source, className, { after: null, since: null, keys: 'objectId' })) {
    for (const { id, text, reason } of page) if (id === null) yield record(text, reason)
    const ids = idsOf(page)
    const chosen = ids.filter((id) => isSampled(id, share))
    for (const id of ids) if (!isSampled(id, share)) yield record(JSON.stringify({ objectId: id }))
    for (let begin = 0; begin < chosen.length; begin += CHOSEN)
      for (const { text, reason } of await objectsWith(source, className, chosen.slice(begin, begin + CHOSEN)))
        yield record(text, reason)
  }
}

async function* membersIn(
  source: SourceApp,
  of: Extract<Kind, { kind: 'relations' }> & { readonly targetClass: string },
): AsyncGenerator<SourceRecord> {
  const file = `${of.className}.${of.field}`
  let at = 0
  for await (const page of objectsOf(source, of.className, { after: null, since: null, keys: 'objectId' }))
    for await (const { owningId, members } of membersOf(source, of, idsOf(page)))
      for (const relatedId of members)
        yield { of, file, item: { at: ++at, text: JSON.stringify({ owningId, relatedId }) } }
}

/** @param remarks receives the reason when there are none, for example for a server without leaderboards */
async function* boardsIn(options: LiveOptions, faults: Faults, remarks: Notice[]): AsyncGenerator<SourceRecord> {
  let boards: readonly JsonObject[]
  try {
    boards = await boardsOf(options.source)
  } catch (error) {
    if (!(error instanceof SourceRefusal)) throw error
    remarks.push(notice('leaderboardsNotCompared', { reason: noticeOf(error) }))
    return
  }
  for (const board of boards) {
    const ranking = currentOf(board)
    if (!ranking) {
      faults.add(nameless(board))
      continue
    }
    try {
      yield* boardIn(options, board, ranking)
    } catch (error) {
      if (!(error instanceof SourceRefusal || error instanceof NoAdvance)) throw error
      faults.add(notice('leaderboardNotBrought', { name: ranking.name, reason: noticeOf(error) }))
    }
  }
}

async function* boardIn(
  { source, progress, sample }: LiveOptions,
  board: JsonObject,
  ranking: CurrentBoard,
): AsyncGenerator<SourceRecord> {
  const { name, memberType, version } = ranking
  const file = `leaderboard ${name}`
  const members = await countRanks(source, ranking)
  const isComplete = sample === null || members === null || members <= sample
  const text = JSON.stringify({ ...board, ...(await archivesIn(source, name)), ...(!isComplete && { members }) })
  yield { of: { kind: 'boards', className: BOARDS }, file, item: { at: 1, text } }
  const of: Kind = { kind: 'statistics', className: memberType, board: name, version }
  progress.begin(countedAs(of), isComplete ? members : sample)
  for await (const { start, texts } of isComplete
    ? allPages(source, ranking)
    : someRanks(source, ranking, members, sample))
    for (const [index, text] of texts.entries()) yield { of, file, item: { at: start + index + 1, text } }
}

async function* allPages(source: SourceApp, ranking: CurrentBoard): AsyncGenerator<PageOfRanks> {
  let start = 0
  for await (const texts of allRanks(source, ranking, start)) {
    yield { start, texts }
    start += texts.length
  }
}

/** Yields the first page, which players view most, and other pages up to the sample size. */
async function* someRanks(
  source: SourceApp,
  ranking: CurrentBoard,
  members: number,
  sample: number,
): AsyncGenerator<PageOfRanks> {
  for (let start = 0; start < members; start += RANKS)
    if (start === 0 || isSampled(`${ranking.name} ${start}`, sample / members))
      yield { start, texts: await ranksFrom(source, ranking, start) }
}

/** Returns the archived rankings that the source lists. */
async function archivesIn(source: SourceApp, name: string): Promise<JsonObject> {
  try {
    return { archives: await archivesOf(source, name) }
  } catch (error) {
    if (error instanceof SourceRefusal) return { noArchives: error.notice }
    throw error
  }
}

async function* messagesIn(source: SourceApp): AsyncGenerator<SourceRecord> {
  let at = 0
  for await (const page of messagePages(source))
    for (const text of page) yield { of: MESSAGES, file: 'messages', item: { at: ++at, text } }
}

/** Returns the time up to which all data of a kind has been pulled; null when it was not. */
export async function pulledUntilOf(management: Management, appPath: string, sourceApp: string, of: Kind) {
  const name = of.kind === 'messaging' ? MESSAGES_PART : countedAs(of)
  try {
    const state = (await management.request('GET', Part.pathOf({ sourceApp, appPath }, name))) as ImportState
    return pulledUntil(state.mark)
  } catch (error) {
    if (error instanceof FailedRequest && error.status === 404) return null
    throw error
  }
}
