import { BOARDS, countedAs, type ImportState, type Kind } from '../../import/batch.ts'
import { isSampled } from '../../import/sample.ts'
import { FailedRequest, type Management } from '../management.ts'
import { checkAcls, type Glimpse, glimpseOf } from '../pull/glimpse.ts'
import { objectsOf, objectsWith } from '../pull/objects-of.ts'
import { Part } from '../pull/part.ts'
import { boardsOf, ranksFrom } from '../pull/pull-boards.ts'
import { MESSAGES_PART, messagePages } from '../pull/pull-messages.ts'
import type { PullProgress } from '../pull/pull-progress.ts'
import { membersOf } from '../pull/pull-relation.ts'
import { pulledUntil } from '../pull/round.ts'
import { type SourceApp, SourceRefusal } from '../pull/source-app.ts'
import { schemasOf } from '../pull/source-schemas.ts'
import { batched, type SourceRecord, type VerifiedSource } from './source.ts'

const MESSAGES: Kind = { kind: 'messaging', className: 'messaging-messages' }
/** Ids of the sample that are asked for at once. */
const CHOSEN = 50

export interface LiveOptions {
  readonly source: SourceApp
  readonly progress: PullProgress
  /** The source may show no ACLs: its objects have none. */
  readonly withoutAcl: boolean
  readonly withMessages: boolean
  readonly shareOf: (of: Kind) => number
}

/** An app that runs, read as a pull reads it (docs/moving-in.md, Pull). @throws as `SourceApp.text` */
export async function liveSource(options: LiveOptions): Promise<VerifiedSource> {
  const { source, progress } = options
  const { classes, relations, unknown } = await schemasOf(source)
  const totals = new Map<string, number | null>()
  const glimpses: Glimpse[] = []
  for (const className of classes.keys()) {
    const glimpse = await glimpseOf(source, className)
    glimpses.push(glimpse)
    totals.set(className, glimpse.total)
  }
  if (!options.withoutAcl) checkAcls(glimpses)
  const faults = new Set(unknown)
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
    try {
      yield* boardsIn(source)
    } catch (error) {
      // A server without them, perhaps: what a pull has not brought is told of there.
      if (!(error instanceof SourceRefusal)) throw error
    }
    if (!options.withMessages) return
    progress.begin(countedAs(MESSAGES), null)
    try {
      yield* messagesIn(source)
    } catch (error) {
      if (!(error instanceof SourceRefusal)) throw error
      faults.add(`the messages: ${error.message}`)
    }
  }
  return {
    schemas: classes,
    kinds: [...ofObjects, ...ofMembers, ...(options.withMessages ? [MESSAGES] : [])],
    batches: () => batched(records()),
    faults,
  }
}

/** Of what is only looked for, ids are enough. */
async function* objectsIn(
  source: SourceApp,
  of: Extract<Kind, { kind: 'objects' }>,
  share: number,
): AsyncGenerator<SourceRecord> {
  const { className } = of
  let at = 0
  const record = (text: string): SourceRecord => ({ of, file: className, item: { at: ++at, text } })
  if (share >= 1) {
    for await (const page of objectsOf(source, className, { after: null, since: null }))
      for (const { text } of page) yield record(text)
    return
  }
  for await (const page of objectsOf(source, className, { after: null, since: null, keys: 'objectId' })) {
    const chosen = page.filter(({ id }) => isSampled(id, share)).map(({ id }) => id)
    for (const { id } of page) if (!isSampled(id, share)) yield record(JSON.stringify({ objectId: id }))
    for (let begin = 0; begin < chosen.length; begin += CHOSEN)
      for (const { text } of await objectsWith(source, className, chosen.slice(begin, begin + CHOSEN)))
        yield record(text)
  }
}

async function* membersIn(
  source: SourceApp,
  of: Extract<Kind, { kind: 'relations' }> & { readonly targetClass: string },
): AsyncGenerator<SourceRecord> {
  const file = `${of.className}.${of.field}`
  let at = 0
  for await (const page of objectsOf(source, of.className, { after: null, since: null, keys: 'objectId' }))
    for await (const { owningId, members } of membersOf(
      source,
      of,
      page.map(({ id }) => id),
    ))
      for (const relatedId of members)
        yield { of, file, item: { at: ++at, text: JSON.stringify({ owningId, relatedId }) } }
}

async function* boardsIn(source: SourceApp): AsyncGenerator<SourceRecord> {
  for (const board of await boardsOf(source)) {
    const { statisticName: name, memberType, version } = board
    if (typeof name !== 'string' || typeof memberType !== 'string' || typeof version !== 'number') continue
    const file = `leaderboard ${name}`
    yield { of: { kind: 'boards', className: BOARDS }, file, item: { at: 1, text: JSON.stringify(board) } }
    const of: Kind = { kind: 'statistics', className: memberType, board: name, version }
    for (let start = 0; ; ) {
      const texts = await ranksFrom(source, { name, memberType, version }, start)
      if (texts.length === 0) break
      for (const text of texts) yield { of, file, item: { at: ++start, text } }
    }
  }
}

async function* messagesIn(source: SourceApp): AsyncGenerator<SourceRecord> {
  let at = 0
  for await (const page of messagePages(source))
    for (const text of page) yield { of: MESSAGES, file: 'messages', item: { at: ++at, text } }
}

/** Until when all that the source had of a kind has been pulled; null where it was not. */
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
