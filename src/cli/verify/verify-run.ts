import { countedAs, type Kind, NO_COUNTS } from '../../import/batch.ts'
import type { KeyPage } from '../../import/verification.ts'
import type { VerifyBeginning } from '../../import/verify/beginning.ts'
import { notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'
import { forEachInParallel } from '../../scheduling/in-parallel.ts'
import { ownMember } from '../../values/json.ts'
import type { Progress } from '../import/progress.ts'
import { formerDomains } from '../import/rewrite-urls.ts'
import { insisting } from '../import/send-batch.ts'
import type { Surveyed } from '../import/survey.ts'
import type { Management, ShownApp } from '../management.ts'
import type { PullProgress } from '../pull/pull-progress.ts'
import { urlLocations } from '../pull/url-locations.ts'
import type { ShownClass } from '../shown-class.ts'
import { BoardComparison } from './compare-boards.ts'
import { compareSchema } from './compare-schema.ts'
import { fileSource } from './file-source.ts'
import { KeyStore } from './key-store.ts'
import { type LiveOptions, liveSource, pulledUntilOf } from './live-source.ts'
import { checkLogins } from './logins.ts'
import type { Arrival } from './meaning.ts'
import type { DifferencesFile, VerifyReport } from './report.ts'
import type { VerifiedSource } from './source.ts'
import { Tally } from './tally.ts'
import { Verification } from './verification.ts'

export interface VerifyRunOptions {
  readonly management: Management
  readonly app: ShownApp
  /** The path of the app in the management API. */
  readonly appPath: string
  /** Approximate number of objects per class whose fields are all compared; null: all. */
  readonly sample: number | null
  readonly withFiles: boolean
  /** A file of logins; null: no logins are checked. */
  readonly login: string | null
  /** Former hosts of files in addition to those in records, if URLs in texts were rewritten; null: they were not. */
  readonly oldDomains: readonly string[] | null
  /** Receives each difference; null: they are not written. */
  readonly differences: DifferencesFile | null
  /** @param leave removes temporary files when the user interrupts */
  readonly onInterrupt: (leave: () => void) => void
}

interface ShownIndex {
  readonly keys: readonly string[]
  readonly unique: boolean
  readonly madeBy: string | null
}

/** Number of batches that are compared in parallel. */
const AT_A_TIME = 2

/** Compares files with an app. @throws Error with one line for the user */
export async function verifyFiles(
  surveyed: readonly Surveyed[],
  progress: Progress,
  options: VerifyRunOptions,
): Promise<VerifyReport> {
  const source = fileSource(surveyed, options.withFiles, (bytes) => progress.onRead(bytes))
  const shares = await sharesOf(source.kinds, options)
  return verifySource(source, options, {
    isLive: false,
    shareOf: (of) => shares.get(of.className) ?? 1,
    pulledUntil: async () => null,
    onCompared: (_, read, faults) => progress.onBatch({ counts: { ...NO_COUNTS, read, rejected: faults } }),
    end: () => progress.end(),
  })
}

/** Compares a running app with one here. @throws Error with one line for the user */
export async function verifyLive(
  live: Pick<LiveOptions, 'source' | 'withoutAcl' | 'withMessages'>,
  progress: PullProgress,
  options: VerifyRunOptions,
): Promise<VerifyReport> {
  let shares: ReadonlyMap<string, number> = new Map()
  const shareOf = (of: Kind) => shares.get(of.className) ?? 1
  const source = await liveSource({ ...live, progress, shareOf, sample: options.sample })
  shares = await sharesOf(source.kinds, options)
  const { management, appPath } = options
  const oldDomains = options.oldDomains && [...options.oldDomains, ...(await urlLocations(live.source))]
  return verifySource(
    source,
    { ...options, oldDomains },
    {
      isLive: true,
      shareOf,
      pulledUntil: (of) => pulledUntilOf(management, appPath, live.source.appId, of),
      onCompared: (of, read) => progress.onTaken(countedAs(of), read),
      end: () => progress.end(),
    },
  )
}

/** The differences between comparing files and a running app. */
interface Way {
  readonly isLive: boolean
  readonly shareOf: (of: Kind) => number
  readonly pulledUntil: (of: Kind) => Promise<string | null>
  readonly onCompared: (of: Kind, read: number, faults: number) => void
  readonly end: () => void
}

async function verifySource(source: VerifiedSource, options: VerifyRunOptions, way: Way): Promise<VerifyReport> {
  const { management, appPath, differences } = options
  const { importedAt } = await begin(options, [])
  const arrivals = new Map<string, Arrival>()
  const boards = new BoardComparison(management, appPath, options.withFiles)
  const arrivalOf = (of: Kind): Arrival => ({
    ...(arrivals.get(countedAs(of)) ?? { isLive: way.isLive, pulledUntil: null, importedAt }),
    ...(of.kind === 'statistics' && { board: boards.rulesOf(of) }),
  })
  const kinds = new Map(source.kinds.map((of) => [countedAs(of), of]))
  for (const [name, of] of kinds)
    arrivals.set(name, { isLive: way.isLive, pulledUntil: await way.pulledUntil(of), importedAt })
  const keys = new KeyStore()
  const leave = () => keys.remove()
  options.onInterrupt(leave)
  try {
    keys.open()
    const tally = new Tally((difference) => differences?.write(difference))
    const verification = new Verification({
      management,
      appPath,
      keys,
      tally,
      arrivalOf,
      shareOf: way.shareOf,
      onCompared: way.onCompared,
      formerPlaces: options.oldDomains ? await formerLocations(options, options.oldDomains) : [],
      written: async () => differences?.drained(),
    })
    await forEachInParallel(source.batches(), AT_A_TIME, async (batch) => {
      if (await boards.take(batch)) return
      kinds.set(countedAs(batch.of), batch.of)
      await verification.compare(batch)
    })
    for (const of of kinds.values()) await verification.findOnlyHere(of)
    way.end()
    const classes = await classesHere(options)
    const logins = options.login === null ? null : await logIn(options, options.login)
    return {
      tallied: tally.tallied(),
      examples: tally.examples(),
      notes: tally.notes,
      schema: compareSchema(source.schemas, classes, await indexesMade(source, options, classes)),
      boards: boards.compared(),
      notRead: [...source.faults],
      remarks: [...source.remarks],
      otherClasses: await withObjects(options, classes, kinds),
      logins,
      sample: options.sample,
    }
  } finally {
    way.end()
    leave()
  }
}

async function begin({ management, appPath }: VerifyRunOptions, count: readonly string[]): Promise<VerifyBeginning> {
  return (await insisting(() => management.request('POST', `${appPath}/verifications`, { count }))) as VerifyBeginning
}

/** @throws Error when files have no permanent URL here, so that no URLs can have been rewritten */
async function formerLocations({ management, appPath }: VerifyRunOptions, oldDomains: readonly string[]) {
  const request = () => management.request('GET', `${appPath}/rewritten-urls`)
  const { base, places } = (await insisting(request)) as { base: string | null; places: string[] }
  if (base === null) throw new NoticedError(notice('rewrittenWithoutBase'))
  return formerDomains(base, [...oldDomains, ...places])
}

/** Returns for each class the share that makes a sample of the size. */
async function sharesOf(kinds: readonly Kind[], options: VerifyRunOptions): Promise<Map<string, number>> {
  const shares = new Map<string, number>()
  if (options.sample === null) return shares
  for (const of of kinds) {
    if (of.kind !== 'objects') continue
    // One request per class, because a large class takes long and a request at most five minutes.
    const { objects } = await begin(options, [of.className])
    shares.set(of.className, Math.min(1, options.sample / Math.max(1, ownMember(objects, of.className) ?? 0)))
  }
  return shares
}

async function classesHere({ management, appPath }: VerifyRunOptions): Promise<readonly ShownClass[]> {
  const { classes } = (await insisting(() => management.request('GET', `${appPath}/classes`))) as {
    classes: ShownClass[]
  }
  return classes
}

/**
 * Returns the indexes that administrators created, of classes whose indexes the source specifies. Other indexes are automatic.
 */
async function indexesMade(
  { schemas }: VerifiedSource,
  { management, appPath }: VerifyRunOptions,
  classes: readonly ShownClass[],
): Promise<(className: string) => readonly string[]> {
  const made = new Map<string, readonly string[]>()
  for (const { className, indexes } of classes) {
    if (indexes.length === 0 || schemas.get(className)?.indexes === undefined) continue
    const path = `${appPath}/classes/${className}/indexes`
    const listed = (await insisting(() => management.request('GET', path))) as { indexes: readonly ShownIndex[] }
    const byPeople = listed.indexes.filter(({ madeBy }) => madeBy === 'administrator')
    made.set(
      className,
      byPeople.map(({ keys, unique }) => `${unique ? 'unique ' : ''}${keys.join(',')}`),
    )
  }
  return (className) => made.get(className) ?? []
}

/** Returns classes with objects here that the source does not have. */
async function withObjects(
  { management, appPath }: VerifyRunOptions,
  classes: readonly ShownClass[],
  kinds: ReadonlyMap<string, Kind>,
): Promise<string[]> {
  const names: string[] = []
  for (const { className } of classes) {
    if (kinds.has(className)) continue
    const body = { of: { kind: 'objects', className }, after: null }
    const page = (await insisting(() => management.request('POST', `${appPath}/verifications/keys`, body))) as KeyPage
    if (page.keys.length > 0) names.push(className)
  }
  return names
}

function logIn({ management, app, differences }: VerifyRunOptions, path: string) {
  return checkLogins(path, { url: management.url, appId: app.appId, appKey: app.appKey }, (failed) =>
    differences?.writeLogin(failed),
  )
}
