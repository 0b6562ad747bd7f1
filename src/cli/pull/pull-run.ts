import { setTimeout as sleep } from 'node:timers/promises'
import { type Notice, notice } from '../../notices/notice.ts'
import { noticeOf } from '../../notices/noticed-error.ts'
import { runInParallel } from '../../scheduling/in-parallel.ts'
import { type Applied, applyClasses, NOTHING_APPLIED } from '../class-apply.ts'
import { openClasses } from '../import/class-notices.ts'
import { type RewriteTargets, type Rewritten, rewriteUrls } from '../import/rewrite-urls.ts'
import type { ShownClass } from '../shown-class.ts'
import { NoAdvance } from './advancing.ts'
import { checkAcls, lookUpClass } from './class-lookup.ts'
import { type Compared, compareClass, compareRelation } from './compare-ids.ts'
import type { FileSource } from './fetch-bytes.ts'
import type { Part, PullTarget } from './part.ts'
import { pullBoards } from './pull-boards.ts'
import { CHAT_LISTS_PART, type ChatLists, pullChatLists } from './pull-chat-lists.ts'
import { pullClass } from './pull-class.ts'
import { FILES_PART, pullFiles } from './pull-files.ts'
import { LOGINS_PART, type LoginSource, type Logins, pullLogins } from './pull-logins.ts'
import { HistoryCut, MESSAGES_PART, pullMessages } from './pull-messages.ts'
import type { PullProgress } from './pull-progress.ts'
import { pullRelation } from './pull-relation.ts'
import { reportPull } from './pull-report.ts'
import { type SourceApp, SourceRefusal } from './source-app.ts'
import { type Schemas, schemasOf, timeOf } from './source-schemas.ts'
import { urlLocations } from './url-locations.ts'

export interface PullOptions {
  readonly source: SourceApp
  readonly target: PullTarget
  readonly progress: PullProgress
  /** Number of parts that are pulled in parallel. */
  readonly parallel: number
  /** Whether the source may hide ACLs because its objects have none. */
  readonly withoutAcl: boolean
  /** The source of the bytes of files; null: they are not pulled. */
  readonly files: FileSource | null
  /** The source of passwords and session tokens; null: they are not pulled. */
  readonly logins: LoginSource | null
  /** Whether messages are pulled. */
  readonly messages: boolean
  /** Further data of conversations to pull; null: none. */
  readonly chatLists: ChatLists | null
  /** The texts in which URLs of files are rewritten, and former hosts of files; null: none. */
  readonly rewriting: { readonly targets: RewriteTargets; readonly domains: readonly string[] } | null
  /** Whether any number of objects deleted at the source may be removed. */
  readonly allowManyDeletions: boolean
  /** The directory of the report. */
  readonly report: string
}

/**
 * Pulls a complete app, or the changes since the last pull.
 * @param compares whether to remove objects that were deleted at the source
 * @returns whether everything was accepted
 * @throws Error with one line for the user
 */
export async function pullOnce(options: PullOptions, compares: boolean): Promise<boolean> {
  const { source, target, progress } = options
  const { parts: pulled, schemas, notUnderstood: unknown, applied } = await pull(options, true)
  const logins = options.logins && schemas.classes.has('_User') ? await loginsOf(options, options.logins) : NO_LOGINS
  const boards = await pullBoards(source, target, (name) => progress.begin(name, null))
  const compared = compares ? await compareAll(options, schemas) : []
  const rewritten = options.rewriting && (await rewriteTexts(options, options.rewriting))
  progress.end()
  const names = [...schemas.classes.keys()]
  const parts = [...pulled, ...boards.parts]
  const notUnderstood = [...unknown, ...boards.faults]
  const shown = (await target.management.request('GET', `${target.appPath}/classes`)) as { classes: ShownClass[] }
  const remarks = [
    ...openClasses(names, shown.classes, schemas.classes),
    ...(boards.reason === null ? [] : [notice('leaderboardsMissing', { reason: boards.reason })]),
    ...(options.logins || !schemas.classes.has('_User') ? [] : [WITHOUT_LOGINS]),
  ]
  const schema = applied.notApplied
  const report = { parts, names, logins, compared, rewritten, notUnderstood, schema, remarks }
  const isTaken = await reportPull(options, report)
  const isRefused = compared.some(({ refusal }) => refusal !== null)
  return applied.isComplete && isTaken && !isRefused && notUnderstood.length === 0
}

const NO_LOGINS: Logins = { importPaths: [], reason: null }
const WITHOUT_LOGINS = notice('loginsLeftOut')

function loginsOf({ source, target, progress }: PullOptions, logins: LoginSource): Promise<Logins> {
  progress.begin(LOGINS_PART, null)
  return pullLogins(source, target, logins)
}

async function rewriteTexts(
  { source, target: { management, appPath }, progress }: PullOptions,
  { targets, domains }: NonNullable<PullOptions['rewriting']>,
): Promise<Rewritten> {
  progress.begin('URLs in texts', null)
  return rewriteUrls(management, appPath, targets, [...domains, ...(await urlLocations(source))])
}

function compareAll(
  { source, target, progress, parallel, allowManyDeletions }: PullOptions,
  { classes, relations }: Schemas,
): Promise<Compared[]> {
  return runInParallel(parallel, [
    ...[...classes.keys()].map((className) => () => {
      progress.begin(`${className} (ids)`, null)
      return compareClass(source, target, className, allowManyDeletions)
    }),
    ...relations.map((relation) => () => {
      progress.begin(`${relation.className}.${relation.field} (ids)`, null)
      return compareRelation(source, target, relation, allowManyDeletions)
    }),
  ])
}

/**
 * Pulls changes repeatedly, without a report.
 * @param until milliseconds as in `Date.now()`
 * @param pause milliseconds between two rounds
 * @throws Error with one line for the user
 */
export async function follow(options: PullOptions, until: number, pause: number): Promise<void> {
  for (let left = until - Date.now(); left > 0; left = until - Date.now()) {
    options.progress.follow()
    await sleep(Math.min(left, pause))
    let [created, updated] = [0, 0]
    const onBatch: PullTarget['onBatch'] = (name, outcome) => {
      created += outcome.counts.created
      updated += outcome.counts.updated
      options.target.onBatch(name, outcome)
    }
    await pull({ ...options, target: { ...options.target, again: false, onBatch } }, false)
    if (created + updated > 0) options.progress.say(`changes pulled: ${created} created, ${updated} updated`)
  }
}

interface Pulled {
  readonly parts: readonly Part[]
  readonly schemas: Schemas
  readonly notUnderstood: readonly Notice[]
  /** The result of applying the source's schema. */
  readonly applied: Applied
}

/**
 * @param applies whether to apply the schema before the objects; otherwise new columns are created with the objects that have
 *   them
 */
async function pull(options: PullOptions, applies: boolean): Promise<Pulled> {
  const { source, target, progress } = options
  const schemas = await schemasOf(source)
  const { classes, relations, unknown } = schemas
  const names = [...classes.keys()]
  const lookups = await runInParallel(
    options.parallel,
    names.map((className) => () => lookUpClass(source, className)),
  )
  if (!options.withoutAcl) checkAcls(lookups)
  const path = `${target.appPath}/classes`
  const applied = applies ? await applyClasses(target.management, path, classes, false) : NOTHING_APPLIED
  const now = await timeOf(source)
  const parts = await runInParallel(options.parallel, [
    ...names.map((className, index) => () => {
      progress.begin(className, lookups[index]!.total)
      return pullClass(source, target, className, now)
    }),
    ...relations.map((field) => () => {
      progress.begin(`${field.className}.${field.field}`, null)
      return pullRelation(source, target, field, now)
    }),
  ])
  if (options.files && classes.has('_File')) {
    progress.begin(FILES_PART, lookups[names.indexOf('_File')]!.total)
    parts.push(await pullFiles(source, target, options.files, now))
  }
  const notUnderstood = [...unknown]
  if (options.messages) {
    try {
      if (applies && options.chatLists) {
        progress.begin(CHAT_LISTS_PART, null)
        const { part, refused } = await pullChatLists(source, target, options.chatLists)
        parts.push(part)
        if (refused !== null) notUnderstood.push(refused)
      }
      progress.begin(MESSAGES_PART, null)
      parts.push(await pullMessages(source, target, now))
    } catch (error) {
      if (!(error instanceof SourceRefusal || error instanceof HistoryCut || error instanceof NoAdvance)) throw error
      notUnderstood.push(notice('messagesNotRead', { reason: noticeOf(error) }))
    }
  }
  return { parts, schemas, notUnderstood, applied }
}
