import { setTimeout as sleep } from 'node:timers/promises'
import { addNotes, type ImportState, type Notes } from '../../import/batch.ts'
import type { FieldOfMembers, HostedClass } from '../../import/forms/form.ts'
import { BUILT_IN_CLASSES } from '../../objects/classes/built-in-classes.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import { isClassName } from '../../values/names.ts'
import { applyClasses } from '../class-apply.ts'
import { RejectedFile, reportText, sumOfCounts, writeReport } from '../import/report.ts'
import type { Management } from '../management.ts'
import type { FileSource } from './fetch-bytes.ts'
import type { Part, PullTarget } from './part.ts'
import { pullClass } from './pull-class.ts'
import { FILES_PART, pullFiles } from './pull-files.ts'
import { MESSAGES_PART, pullMessages } from './pull-messages.ts'
import type { PullProgress } from './pull-progress.ts'
import { pullRelation } from './pull-relation.ts'
import { type SourceApp, SourceRefusal } from './source-app.ts'

export interface PullOptions {
  readonly source: SourceApp
  readonly target: PullTarget
  readonly management: Management
  /** Of the app, in the management API. */
  readonly appPath: string
  readonly progress: PullProgress
  /** Parts that are pulled at a time. */
  readonly parallel: number
  /** The source may show no ACLs: its objects have none. */
  readonly withoutAcl: boolean
  /** Where the bytes of files are; null: they are not brought. */
  readonly files: FileSource | null
  /** Whether messages are brought. */
  readonly messages: boolean
  /** Directory of the report. */
  readonly report: string
}

/** What the source says of its classes. */
interface Schemas {
  readonly classes: ReadonlyMap<string, HostedClass>
  readonly relations: readonly (FieldOfMembers & { readonly targetClass: string })[]
  /** Classes that there cannot be here. */
  readonly unknown: readonly string[]
}

/**
 * Brings all of an app, or what has changed since the last time.
 * @returns whether everything was taken
 * @throws Error with one line for the user
 */
export async function pullOnce(options: PullOptions): Promise<boolean> {
  const { parts, names, notUnderstood, isApplied } = await bring(options, true)
  options.progress.end()
  const isTaken = await report(options, parts, names, notUnderstood)
  return isApplied && isTaken && notUnderstood.length === 0
}

/**
 * Brings what is new now and then, without a report.
 * @param until as `Date.now()` counts
 * @param pause milliseconds between two rounds
 * @throws Error with one line for the user
 */
export async function follow(options: PullOptions, until: number, pause: number): Promise<void> {
  for (let left = until - Date.now(); left > 0; left = until - Date.now()) {
    await sleep(Math.min(left, pause))
    let [created, updated] = [0, 0]
    const onBatch: PullTarget['onBatch'] = (name, outcome) => {
      created += outcome.counts.created
      updated += outcome.counts.updated
      options.target.onBatch(name, outcome)
    }
    await bring({ ...options, target: { ...options.target, again: false, onBatch } }, false)
    if (created + updated > 0) options.progress.say(`followed: ${created} new, ${updated} replaced`)
  }
}

interface Brought {
  readonly parts: readonly Part[]
  readonly names: readonly string[]
  readonly notUnderstood: readonly string[]
  /** Whether the columns of the source could be applied. */
  readonly isApplied: boolean
}

/** @param applies the columns too, before the objects; otherwise new ones come with the objects that have them */
async function bring(options: PullOptions, applies: boolean): Promise<Brought> {
  const { source, target, progress } = options
  const { classes, relations, unknown } = await schemasOf(source)
  const names = [...classes.keys()]
  const glimpses = await inParallel(
    options.parallel,
    names.map((className) => () => glimpseOf(source, className)),
  )
  if (!options.withoutAcl) checkAcls(glimpses)
  const path = `${options.appPath}/classes`
  const isApplied = !applies || (await applyClasses(options.management, path, classes, false))
  const now = await timeOf(source)
  const parts = await inParallel(options.parallel, [
    ...names.map((className, index) => () => {
      progress.begin(className, glimpses[index]!.total)
      return pullClass(source, target, className, now)
    }),
    ...relations.map((field) => () => {
      progress.begin(`${field.className}.${field.field}`, null)
      return pullRelation(source, target, field, now)
    }),
  ])
  if (options.files && classes.has('_File')) {
    progress.begin(FILES_PART, glimpses[names.indexOf('_File')]!.total)
    parts.push(await pullFiles(source, target, options.files, options.appPath, now))
  }
  const notUnderstood = [...unknown]
  if (options.messages) {
    progress.begin(MESSAGES_PART, null)
    try {
      parts.push(await pullMessages(source, target, now))
    } catch (error) {
      if (!(error instanceof SourceRefusal)) throw error
      notUnderstood.push(`the messages: ${error.message}`)
    }
  }
  return { parts, names, notUnderstood, isApplied }
}

/** protocol/storage, Schemas */
async function schemasOf(source: SourceApp): Promise<Schemas> {
  const schemas = Object.entries(await source.object('/1.1/schemas'))
  const isPossible = (name: string) =>
    isClassName(name) && (!name.startsWith('_') || Object.hasOwn(BUILT_IN_CLASSES, name))
  const classes = schemas.filter(([name]) => isPossible(name))
  return {
    classes: new Map(classes.map(([name, schema]) => [name, { schema }])),
    relations: classes.flatMap(([className, schema]) => relationsOf(className, schema)),
    unknown: schemas.flatMap(([name]) =>
      isPossible(name) ? [] : [`the class ${name.slice(0, 60)}: no app here has one`],
    ),
  }
}

function relationsOf(className: string, schema: Json): Schemas['relations'] {
  return Object.entries(isJsonObject(schema) ? schema : {}).flatMap(([field, column]) => {
    if (!isJsonObject(column) || column.type !== 'Relation') return []
    const { className: targetClass } = column
    return typeof targetClass === 'string' && isClassName(targetClass) ? [{ className, field, targetClass }] : []
  })
}

/** The clock of the source, by which its objects have their times. */
async function timeOf(source: SourceApp): Promise<string> {
  const { iso } = await source.object('/1.1/date')
  if (typeof iso !== 'string' || Number.isNaN(Date.parse(iso))) throw new Error('the source does not tell its time')
  return new Date(iso).toISOString()
}

/** What is seen of a class at first. */
interface Glimpse {
  /** null where the source does not count so much */
  readonly total: number | null
  readonly hasObjects: boolean
  readonly showsAcl: boolean
}

const GLIMPSED = 10

async function glimpseOf(source: SourceApp, className: string): Promise<Glimpse> {
  try {
    const query = { count: 1, limit: GLIMPSED, returnACL: 'true' }
    const { count, results } = await source.object(`/1.1/classes/${className}`, query)
    const objects = Array.isArray(results) ? results.filter(isJsonObject) : []
    return {
      total: typeof count === 'number' ? count : null,
      hasObjects: objects.length > 0,
      showsAcl: objects.some((object) => Object.hasOwn(object, 'ACL')),
    }
  } catch (error) {
    if (error instanceof SourceRefusal && error.status !== 401)
      return { total: null, hasObjects: false, showsAcl: false }
    throw error
  }
}

/** Objects without their ACLs would be everybody's. */
function checkAcls(glimpses: readonly Glimpse[]): void {
  if (glimpses.some(({ showsAcl }) => showsAcl) || !glimpses.some(({ hasObjects }) => hasObjects)) return
  throw new Error(
    'the source shows no ACLs, and objects without them would be open to everybody: switch on "return ACL in queries" in ' +
      'the settings of the app there (at Homeport: homeport app set <appId> storage.returnAclInQueries true), or say ' +
      '--without-acl if no object has one',
  )
}

/** Does some work, so many pieces at a time; after the first that fails no other is begun. */
async function inParallel<Result>(width: number, work: readonly (() => Promise<Result>)[]): Promise<Result[]> {
  const results: Result[] = []
  const waiting = [...work.entries()]
  let failed = false
  const worker = async () => {
    for (let next = waiting.shift(); next && !failed; next = waiting.shift()) {
      const [index, begin] = next
      try {
        results[index] = await begin()
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  return results
}

async function report(
  { management, appPath, progress, report: directory }: PullOptions,
  parts: readonly Part[],
  classes: readonly string[],
  unknown: readonly string[],
): Promise<boolean> {
  const rejected = await RejectedFile.open(directory)
  let counts: ImportState['counts'] = {}
  let notes: Notes = {}
  for (const { importPath } of parts) {
    const state = (await management.request('GET', importPath)) as ImportState
    counts = sumOfCounts(counts, state.counts)
    notes = addNotes(notes, state.notes)
    await rejected.writeAllOf(management, importPath)
  }
  await rejected.close()
  const objectsHere = await finish(management, appPath, classes)
  const whole = { dryRun: false, counts, objectsHere, notes, notUnderstood: unknown, rejected: rejected.count }
  await writeReport(directory, whole)
  progress.end()
  process.stdout.write(`\n${reportText(whole)}\nThe report is in ${directory}.\n`)
  return rejected.count === 0
}

/** @returns how many objects the classes have now */
async function finish(
  management: Management,
  appPath: string,
  classes: readonly string[],
): Promise<{ [name: string]: number }> {
  const objects: { [className: string]: number } = {}
  // Each by itself: a large class takes its time, and a request may take five minutes.
  for (const className of classes) {
    const answer = (await management.request('POST', `${appPath}/imports/finish`, {
      classes: [className],
    })) as JsonObject
    Object.assign(objects, answer.objects)
  }
  return objects
}
