import type { ImportState } from '../../import/batch.ts'
import { isInternalFile } from '../../import/internal-file.ts'
import type { ForecastReport } from '../../moves/move-report.ts'
import { inEnglish } from '../../notices/in-english.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import { noticeOf } from '../../notices/noticed-error.ts'
import { runInParallel } from '../../scheduling/in-parallel.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { applyClasses } from '../class-apply.ts'
import { FailedRequest } from '../management.ts'
import { sendReport } from '../parent-server.ts'
import { printable } from '../printable.ts'
import { type ClassLookup, checkAcls, lookUpClass } from './class-lookup.ts'
import { Part } from './part.ts'
import type { PullOptions } from './pull-run.ts'
import { roundOf } from './round.ts'
import { type SourceApp, SourceRefusal } from './source-app.ts'
import { type Schemas, schemasOf, timeOf } from './source-schemas.ts'

/** Objects per request, as long as they are small. */
const PAGE = 1000

/** The expected work for a class. */
interface Forecast extends ClassLookup {
  readonly className: string
  /** Objects to be read: all, or those changed since the last pull; null when unknown. */
  readonly toRead: number | null
  /** When the previous round began; null: the class has not been pulled completely yet. */
  readonly since: string | null
}

/**
 * Reports what a pull would do, without changing anything.
 * @returns whether everything could be pulled
 * @throws Error with one line for the user
 */
export async function dryRun(options: PullOptions, rate: number): Promise<boolean> {
  const { source, target } = options
  const schemas = await schemasOf(source)
  const { isComplete: isApplied } = await applyClasses(
    target.management,
    `${target.appPath}/classes`,
    schemas.classes,
    true,
  )
  const now = await timeOf(source)
  const names = [...schemas.classes.keys()]
  const classes = await runInParallel(
    options.parallel,
    names.map((className) => () => forecast(options, className, now)),
  )
  const faults = [...schemas.unknown, ...aclFault(options, classes)]
  const files = options.files ? await forecastFiles(source, classes) : null
  const messages = options.messages ? await givesMessages(source, faults) : null
  const cost = costOf(schemas, classes, rate)
  const asksForLogins = options.logins?.file === null
  await sendReport(() => ({
    kind: 'foretold',
    counts: classes.map(({ className, total, toRead, meanSize, since }) => ({
      name: className,
      there: total,
      toRead,
      bytes: total === null || meanSize === null ? null : Math.round(total * meanSize),
      since,
    })),
    relations: schemas.relations.map(({ className, field, targetClass }) => ({
      name: `${className}.${field}`,
      targetClass,
      owners: ownersOf(className, classes),
    })),
    files,
    messages,
    asksForLogins,
    ...cost,
    faults,
  }))
  const lines = [
    ...table(classes),
    '',
    ...relationLines(schemas, classes),
    ...(files ? [fileLine(files)] : []),
    ...(messages === null ? [] : [MESSAGES[messages ? 'given' : 'refused']]),
    ...(asksForLogins ? ['Passwords: an export of users would be requested from the source.'] : []),
    costLine(cost, rate),
    ...(faults.length > 0 ? ['', 'Not pulled:', ...faults.map((fault) => `  ${inEnglish(fault)}`)] : []),
    '',
    'Nothing was changed.',
  ]
  process.stdout.write(`\n${printable(lines.join('\n'))}\n`)
  return isApplied && faults.length === 0
}

async function forecast({ source, target }: PullOptions, className: string, now: string): Promise<Forecast> {
  const found = await lookUpClass(source, className)
  const { since } = roundOf(await markOf(target, className), now)
  if (since === null) return { ...found, className, since, toRead: found.total }
  const where = { updatedAt: { $gte: { __type: 'Date', iso: since } } }
  const { count } = await source.object(`/1.1/classes/${className}`, { where, count: 1, limit: 0 })
  return { ...found, className, since, toRead: typeof count === 'number' ? count : null }
}

/** Returns the mark of a part without starting it. */
async function markOf(target: PullOptions['target'], name: string): Promise<string | null> {
  if (target.again) return null
  try {
    return ((await target.management.request('GET', Part.pathOf(target, name))) as ImportState).mark
  } catch (error) {
    if (error instanceof FailedRequest && error.status === 404) return null
    throw error
  }
}

function aclFault({ withoutAcl }: PullOptions, lookups: readonly ClassLookup[]): Notice[] {
  if (withoutAcl) return []
  try {
    checkAcls(lookups)
    return []
  } catch (error) {
    return [noticeOf(error)]
  }
}

function table(classes: readonly Forecast[]): string[] {
  const rows = classes.map(({ className, total, toRead, meanSize, since }) => [
    className,
    inWords(total),
    inWords(toRead),
    total === null || meanSize === null ? '?' : `about ${inMegabytes(total * meanSize)} MB`,
    since === null ? '' : `last pull: ${since}`,
  ])
  const all = [['Class', 'objects in source', 'would be read', 'size', ''], ...rows]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

function relationLines({ relations }: Schemas, classes: readonly Forecast[]): string[] {
  return relations.map(({ className, field, targetClass }) => {
    const owners = inWords(ownersOf(className, classes))
    return `${className}.${field}: members of ${targetClass}; one request for each of ${owners} objects`
  })
}

function ownersOf(className: string, classes: readonly Forecast[]): number | null {
  return classes.find((one) => one.className === className)!.toRead
}

async function forecastFiles(source: SourceApp, classes: readonly Forecast[]): Promise<ForecastReport['files']> {
  const total = classes.find(({ className }) => className === '_File')?.total ?? 0
  if (total === 0) return { count: 0, elsewhere: 0, bytes: 0 }
  const { results } = await source.object('/1.1/classes/_File', { limit: PAGE })
  const records = (Array.isArray(results) ? results : []).filter((one): one is JsonObject => isJsonObject(one as Json))
  const internal = records.filter(isInternalFile)
  const sizes = internal.flatMap(({ metaData }) => {
    const size = isJsonObject(metaData) ? metaData.size : null
    return typeof size === 'number' ? [size] : []
  })
  const share = records.length === 0 ? 0 : internal.length / records.length
  const mean = sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length)
  return {
    count: Math.round(total * share),
    elsewhere: Math.round(total * (1 - share)),
    bytes: sizes.length === 0 ? null : Math.round(total * share * mean),
  }
}

function fileLine({ count, elsewhere, bytes }: NonNullable<ForecastReport['files']>): string {
  if (count + elsewhere === 0) return 'Files: none.'
  const about = bytes === null ? 'of unknown size' : `about ${inMegabytes(bytes)} MB`
  return `Files: about ${count} would be downloaded, ${about}; ${elsewhere} external URLs.`
}

const MESSAGES = {
  given: 'Messages: available from the source; their number is unknown.',
  refused: 'Messages: not available from the source.',
}

async function givesMessages(source: SourceApp, faults: Notice[]): Promise<boolean> {
  try {
    await source.text('/1.2/rtm/messages', { limit: 1 })
    return true
  } catch (error) {
    if (!(error instanceof SourceRefusal)) throw error
    faults.push(notice('messagesNotRead', { reason: noticeOf(error) }))
    return false
  }
}

type Cost = Pick<ForecastReport, 'requests' | 'seconds'>

/** @param rate requests per second */
function costOf({ relations }: Schemas, classes: readonly Forecast[], rate: number): Cost {
  const pages = classes.reduce((sum, { toRead }) => sum + Math.ceil((toRead ?? 0) / PAGE) + 1, 0)
  const owners = relations.reduce((sum, { className }) => sum + (ownersOf(className, classes) ?? 0), 0)
  return { requests: pages + owners, seconds: Math.ceil((pages + owners) / rate) }
}

function costLine({ requests, seconds }: Cost, rate: number): string {
  const hours = seconds / 3600
  const time = hours < 1 ? `${Math.max(1, Math.round(hours * 60))} min` : `${hours.toFixed(1)} h`
  return `About ${requests} requests for objects and relations: at least ${time} at ${rate}/s.`
}

function inWords(count: number | null): string {
  return count === null ? '?' : String(count)
}

function inMegabytes(bytes: number): string {
  const megabytes = bytes / 1024 ** 2
  return megabytes < 10 ? megabytes.toFixed(1) : String(Math.round(megabytes))
}
