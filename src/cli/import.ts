import { join } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { addNotes, countedAs, type ImportState, type Notes, ON_CONFLICT, type OnConflict } from '../import/batch.ts'
import type { FormOptions, HostedClass } from '../import/forms/form.ts'
import { hasRecords } from '../import/forms/records.ts'
import { type Encoding, encodingNamed } from '../import/sources/detect-encoding.ts'
import { filesAt } from '../import/sources/files.ts'
import { at, type Notice, notice } from '../notices/notice.ts'
import { NoticedError, noticeOf } from '../notices/noticed-error.ts'
import { has } from '../values/json.ts'
import { isClassName, isKeyName } from '../values/names.ts'
import { type Applied, applyClasses, NOTHING_APPLIED } from './class-apply.ts'
import { classesNamedAfterFiles, detectedEncodings, openClasses } from './import/class-notices.ts'
import { type Contents, contentsOf, sumOfContents } from './import/contents.ts'
import { copyFiles } from './import/copy-files.ts'
import { download, isWebAddress, removeDownload } from './import/download.ts'
import { downloadProgress } from './import/download-progress.ts'
import { classesIn, type EmptyClasses, makeEmptyClasses } from './import/empty-classes.ts'
import { Progress } from './import/progress.ts'
import { importReport, RejectedFile, reportText, sumOfCounts, writeReport } from './import/report.ts'
import {
  OLD_DOMAIN,
  parseOldDomain,
  parseTargets,
  REWRITE_URLS,
  type RewriteTargets,
  type Rewritten,
  rewriteUrls,
} from './import/rewrite-urls.ts'
import { type Sent, STRICT, send } from './import/send.ts'
import { insistent } from './import/send-batch.ts'
import { type Surveyed, surveyAll } from './import/survey.ts'
import { typesOfFirstRecords } from './import/types-of-first-records.ts'
import { appPath, chooseApp, connect, type Management, type ServerFlags, withServerFlags } from './management.ts'
import { sendReport } from './parent-server.ts'
import { printable } from './printable.ts'
import type { ShownClass } from './shown-class.ts'

interface Flags extends ServerFlags {
  readonly app?: string
  readonly class?: string
  readonly relation?: string
  readonly encoding?: Encoding
  readonly onConflict: OnConflict
  readonly strict?: boolean
  readonly dryRun?: boolean
  readonly again?: boolean
  readonly rewriteUrls?: RewriteTargets
  readonly oldDomain?: readonly string[]
  readonly report?: string
}

/** Exit code when some records were rejected, or some files not understood. */
const INCOMPLETE = 3
const INTERRUPTED = 130

/** `homeport import` imports data into an app (docs/moving-in.md). */
export function importCommand(): Command {
  const command = new Command('import')
    .argument('<files...>', 'files, archives, folders, or URLs of files')
    .description('Import data into an app: LeanCloud exports and backups, JSON, CSV.')
  return withServerFlags(command)
    .option('--app <appId>', 'target app (default: the only app)')
    .option('--class <Class>', 'class of a file whose name and content do not contain it')
    .option(
      '--relation <Class.field>',
      'relation of a file of members; Class.field:Target also names the class of the members',
    )
    .option('--encoding <name>', ENCODING, parseEncoding)
    .addOption(
      new Option('--on-conflict <what>', 'how to treat an object that already exists in the app')
        .choices([...ON_CONFLICT])
        .default('skip'),
    )
    .option('--strict', STRICT)
    .option('--dry-run', 'show what would be imported without changing anything')
    .option('--again', 'import files again that were already imported')
    .option('--rewrite-urls <fields>', REWRITE_URLS, parseTargets)
    .option('--old-domain <host>', OLD_DOMAIN, parseOldDomain)
    .option('--report <directory>', 'directory of the report (default: homeport-import-<appId>)')
    .action(runImport)
}

async function runImport(paths: readonly string[], flags: Flags): Promise<void> {
  const formOptions = formOptionsOf(flags)
  const management = connect(flags)
  const { appId } = await chooseApp(management, flags.app)
  const downloads = await downloaded(paths.filter(isWebAddress), flags.report ?? reportOf(appId))
  const local = paths.map((path) => downloads.get(path) ?? path)
  const files = (await Promise.all(local.map(filesAt))).flat()
  if ((formOptions.className !== undefined || formOptions.relation) && files.length > 1)
    throw new Error('--class and --relation require a single file')
  const surveyed = await surveyAll(files, formOptions)
  process.once('SIGINT', () => {
    process.stderr.write('\nhomeport: interrupted; run the same command again to resume\n')
    process.exit(INTERRUPTED)
  })
  const run = new ImportRun(management, appId, flags, surveyed)
  const isComplete = await run.run().catch((error: Error) => {
    throw new NoticedError(notice('sameCommandGoesOn', { reason: noticeOf(error) }))
  })
  for (const path of downloads.values()) await removeDownload(path)
  if (!isComplete) process.exitCode = INCOMPLETE
}

/** Downloads the files at URLs. @returns the paths by URL. @throws Error with one line for the user */
export async function downloaded(urls: readonly string[], report: string): Promise<ReadonlyMap<string, string>> {
  const paths = new Map<string, string>()
  for (const url of urls) {
    const { host, pathname } = new URL(url)
    // The administrator trusts this host, but not the hosts that it redirects to.
    const options = { directory: join(report, 'downloads'), trusted: new Set([host]) }
    paths.set(url, await download(url, { ...options, onBytes: downloadProgress(pathname.split('/').at(-1)!) }))
  }
  return paths
}

function reportOf(appId: string): string {
  return `homeport-import-${appId}`
}

/** Help text of the flag `--encoding`. */
export const ENCODING = 'text encoding, such as gbk or utf-16, if it is detected wrongly'

/** @throws InvalidArgumentError for an unknown name */
export function parseEncoding(name: string): Encoding {
  const encoding = encodingNamed(name)
  if (!encoding) throw new InvalidArgumentError('must be utf-8, gbk, gb18030, utf-16le or utf-16be')
  return encoding
}

export function formOptionsOf({
  class: className,
  relation,
  encoding,
}: Pick<Flags, 'class' | 'relation' | 'encoding'>): FormOptions {
  if (className !== undefined && !isClassName(className))
    throw new Error(`--class: '${className}' is not a valid class name`)
  if (className !== undefined && relation !== undefined)
    throw new Error('--class and --relation cannot be used together: a file contains objects, or members of a relation')
  if (relation === undefined) return { className, relation: undefined, encoding }
  const [, owner = '', field = '', targetClass = null] = /^(\w+)\.(\w+)(?::(\w+))?$/.exec(relation) ?? []
  if (!isClassName(owner) || !isKeyName(field) || (targetClass !== null && !isClassName(targetClass)))
    throw new Error('--relation: must be <Class>.<field>, or <Class>.<field>:<Target>')
  return { className, relation: { className: owner, field, targetClass }, encoding }
}

/** An import of files into an app. */
class ImportRun {
  readonly #management: Management
  /** For repeatable requests: waits up to a minute for a server that cannot be reached. */
  readonly #insistent: Management
  readonly #app: string
  readonly #flags: Flags
  readonly #surveyed: readonly Surveyed[]
  readonly #report: string
  readonly #progress: Progress
  #counts: ImportState['counts'] = {}
  #notes: Notes = {}
  readonly #contents: Contents[] = []
  /** Classes with records, or declared to have none. */
  readonly #classes = new Set<string>()

  constructor(management: Management, appId: string, flags: Flags, surveyed: readonly Surveyed[]) {
    this.#management = management
    this.#insistent = insistent(management)
    this.#app = appPath(appId)
    this.#flags = flags
    this.#surveyed = surveyed
    this.#report = flags.report ?? reportOf(appId)
    this.#progress = new Progress(surveyed.reduce((sum, { file }) => sum + file.size, 0))
  }

  /** @returns whether everything was imported */
  async run(): Promise<boolean> {
    const dryRun = this.#flags.dryRun ?? false
    const rejected = await RejectedFile.open(this.#report)
    const hosted = schemasOf(this.#surveyed)
    const notUnderstood = this.#surveyed.flatMap(unknownIn)
    const before = await this.#classesHere()
    const early = await this.#applySchemas(withoutIndexes(hosted))
    for (const one of messagesLast(this.#surveyed)) {
      const sent = await this.#send(one, rejected)
      this.#contents.push(contentsOf(one, sent?.wasDone ? null : (sent?.taken ?? new Map())))
      for (const className of [...classesIn(one), ...(sent?.declared ?? [])]) this.#classes.add(className)
      if (sent) notUnderstood.push(...sent.faults.map((fault) => at(one.file.name, fault)))
    }
    for (const one of this.#surveyed) notUnderstood.push(...(await this.#copyFiles(one, dryRun)))
    const empty = await this.#makeEmptyClasses(dryRun)
    notUnderstood.push(...empty.faults)
    this.#progress.end()
    const counts = this.#counts
    const rewritten = dryRun ? null : await this.#rewriteUrls()
    const objectsHere = dryRun ? {} : await this.#finish(Object.keys(counts))
    // Applying the schema again repeats the notes of the first time.
    const applied = dryRun ? early : await this.#applySchemas(hosted)
    await rejected.close()
    const report = {
      dryRun,
      counts,
      objectsHere,
      notes: this.#notes,
      reasons: rejected.reasons,
      notUnderstood,
      schema: applied.notApplied,
      newClasses: classesNamedAfterFiles(this.#surveyed, before),
      remarks: [
        ...detectedEncodings(this.#surveyed, this.#flags.encoding),
        ...typesOfFirstRecords(rejected.reasons, before),
        ...openClasses([...new Set([...Object.keys(counts), ...empty.made])], await this.#classesHere(), hosted),
        ...empty.made.map((name) =>
          dryRun ? notice('emptyClassWouldBeMade', { className: name }) : notice('emptyClassMade', { className: name }),
        ),
      ],
      contents: sumOfContents(this.#contents),
      rewritten,
      rejected: rejected.count,
    }
    await writeReport(this.#report, report)
    await sendReport(() => importReport(report))
    say(`\n${reportText(report)}\nReport written to ${this.#report}.`)
    return early.isComplete && applied.isComplete && rejected.count === 0 && notUnderstood.length === 0
  }

  /** @returns null for a file without records */
  async #send(one: Surveyed, rejected: RejectedFile): Promise<Sent | null> {
    if (!one.entries.some(({ form }) => hasRecords(form))) return null
    const { dryRun = false, again = false, strict = false, onConflict } = this.#flags
    const path = `${this.#app}/imports`
    const sent = await send(one, {
      management: this.#insistent,
      path,
      onConflict,
      strict,
      dryRun,
      again,
      onRead: (bytes) => this.#progress.onRead(bytes),
      onBatch: async (batch, outcome) => {
        this.#progress.onBatch(outcome)
        if (!dryRun) return
        this.#add({ counts: { [countedAs(batch.of)]: outcome.counts }, notes: outcome.notes })
        await rejected.write(outcome.rejected)
      },
    })
    this.#progress.end()
    if (sent.wasDone) say(`${one.file.name}: already imported; use --again to import it again`)
    else if (sent.wentOnAt)
      say(`${one.file.name}: resumed after record ${sent.wentOnAt.record} of file ${sent.wentOnAt.entry + 1}`)
    if (!dryRun) {
      const state = (await this.#insistent.request('GET', `${path}/${sent.importId}`)) as ImportState
      this.#add(state)
      await rejected.writeAllOf(this.#insistent, `${path}/${sent.importId}`)
    }
    return sent
  }

  /** Uploads the bytes of files in a list. @returns the faults */
  async #copyFiles({ file, entries }: Surveyed, dryRun: boolean): Promise<readonly Notice[]> {
    if (!entries.some(({ form }) => form.form === 'files')) return []
    if (entries[0]!.name !== file.name) return [notice('archiveOfFileBytes', { file: file.name })]
    const { counts, faults } = await copyFiles(this.#management, `${this.#app}/files`, file, dryRun)
    this.#add({ counts: { 'bytes of files': counts }, notes: {} })
    return faults
  }

  /** Creates the classes whose files have no records. */
  async #makeEmptyClasses(dryRun: boolean): Promise<EmptyClasses> {
    const names = [...this.#classes].filter((name) => !name.startsWith('_') && !has(this.#counts, name))
    return makeEmptyClasses(this.#insistent, `${this.#app}/classes`, names, dryRun)
  }

  /** Rewrites URLs in texts. Must run before the former URLs are removed from the records of files. */
  async #rewriteUrls(): Promise<Rewritten | null> {
    const { rewriteUrls: targets, oldDomain = [] } = this.#flags
    return targets === undefined ? null : rewriteUrls(this.#management, this.#app, targets, oldDomain)
  }

  async #classesHere(): Promise<readonly ShownClass[]> {
    const { classes } = (await this.#insistent.request('GET', `${this.#app}/classes`)) as { classes: ShownClass[] }
    return classes
  }

  async #applySchemas(hosted: ReadonlyMap<string, HostedClass>): Promise<Applied> {
    if (hosted.size === 0) return NOTHING_APPLIED
    return applyClasses(this.#management, `${this.#app}/classes`, hosted, this.#flags.dryRun ?? false)
  }

  #add({ counts, notes }: Pick<ImportState, 'counts' | 'notes'>): void {
    this.#counts = sumOfCounts(this.#counts, counts)
    this.#notes = addNotes(this.#notes, Object.values(notes))
  }

  /** @returns the number of objects by class */
  async #finish(counted: readonly string[]): Promise<{ [className: string]: number }> {
    const objectsHere: { [className: string]: number } = {}
    for (const className of new Set(counted.map((name) => name.split('.')[0]!).filter((name) => isClassName(name)))) {
      // One request per class, because a large class takes long and a request at most five minutes.
      const path = `${this.#app}/imports/finish`
      const answer = (await this.#insistent.request('POST', path, { classes: [className] })) as {
        readonly objects: { readonly [className: string]: number }
      }
      Object.assign(objectsHere, answer.objects)
    }
    return objectsHere
  }
}

/** Puts messages last: their receivers and read marks depend on the conversations. */
function messagesLast(surveyed: readonly Surveyed[]): readonly Surveyed[] {
  const hasMessages = ({ entries }: Surveyed) => entries.some(({ form }) => form.form.startsWith('messaging'))
  return [...surveyed.filter((one) => !hasMessages(one)), ...surveyed.filter(hasMessages)]
}

export function schemasOf(surveyed: readonly Surveyed[]): Map<string, HostedClass> {
  const hosted = new Map<string, HostedClass>()
  for (const { form } of surveyed.flatMap(({ entries }) => entries)) {
    if (form.form !== 'schema') continue
    for (const [name, part] of Object.entries(form.classes)) hosted.set(name, { ...hosted.get(name), ...part })
  }
  return hosted
}

/** Returns schemas without indexes, which are built after the objects are written. That is faster than updating them for each. */
function withoutIndexes(hosted: ReadonlyMap<string, HostedClass>): Map<string, HostedClass> {
  return new Map([...hosted].map(([name, { indexes: _, ...rest }]) => [name, rest]))
}

export function unknownIn({ file, entries, fault }: Surveyed): Notice[] {
  const unknown = entries.flatMap(({ name, form }) =>
    form.form === 'unknown' ? [at(name === file.name ? name : `${file.name}: ${name}`, form.reason)] : [],
  )
  // A fault of a file with records is reported when the records are read.
  const isRead = entries.some(({ form }) => hasRecords(form))
  return fault !== null && !isRead ? [...unknown, at(file.name, fault)] : unknown
}

function say(line: string): void {
  process.stdout.write(`${printable(line)}\n`)
}
