import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { HostedClass } from '../import/forms/form.ts'
import { isWholeClass } from '../import/forms/whole-class.ts'
import { inEnglish } from '../notices/in-english.ts'
import { at, type Notice, notice } from '../notices/notice.ts'
import { NoticedError, noticeOf } from '../notices/noticed-error.ts'
import { isJsonObject, type Json, ownMember } from '../values/json.ts'
import { isClassName } from '../values/names.ts'
import { isUnknownBuiltIn, NO_SUCH_CLASS, type WantedClass, type WantedIndex, wantedClass } from './hosted-schema.ts'
import { shownIndex, withoutCounterpart } from './index-counterpart.ts'
import type { Management } from './management.ts'
import { printable } from './printable.ts'
import type { ShownClass } from './shown-class.ts'

const FILE_NAME = /^(.+)_(schema|permissions|indexes|all)\.json$/
/** `leancloud-schema` uses these names. The content is that of `<Class>_all.json`. */
const CLASS_FILE = /^(\w+)\.json$/
const HEADER = /^\ufeff?#filetype:[^\n]*(?:\n|$)/

/** The members to send for a class: only those that differ from its current state. */
type Difference = Partial<Pick<WantedClass, 'fields' | 'permissions' | 'defaultAcl' | 'indexes'>>

/** The result of applying schema files. */
export interface Applied {
  /** Whether everything that has a counterpart here was applied. */
  readonly isComplete: boolean
  /** The parts that were not applied, with the reasons. */
  readonly notApplied: readonly Notice[]
}

/** The result when there are no files. */
export const NOTHING_APPLIED: Applied = { isComplete: true, notApplied: [] }

/**
 * Applies schema files of the hosted service (protocol/moving-in, Schema export): fields, permissions and the default ACL of a
 * class in one request, then its indexes one by one. Unchanged parts are not sent, so that files can be applied repeatedly.
 * @param path the path of the classes in the management API
 */
export async function applyFiles(
  management: Management,
  path: string,
  files: readonly string[],
  isDry: boolean,
): Promise<Applied> {
  return applyClasses(management, path, readFiles(files), isDry)
}

/** Applies parsed schema files, by class. */
export async function applyClasses(
  management: Management,
  path: string,
  hosted: ReadonlyMap<string, HostedClass>,
  isDry: boolean,
): Promise<Applied> {
  const { classes } = (await management.request('GET', path)) as { classes: ShownClass[] }
  const notApplied: Notice[] = []
  let isComplete = true
  for (const [className, parts] of hosted) {
    if (isUnknownBuiltIn(className)) {
      notApplied.push(at(className, NO_SUCH_CLASS))
      say(`${className}: not applied: ${inEnglish(NO_SUCH_CLASS)}`)
      continue
    }
    const wanted = wantedClass(className, parts)
    const known = classes.find((one) => one.className === className)
    const fault = (what: Notice) => {
      isComplete = false
      notApplied.push(at(className, what))
      process.stderr.write(`homeport: ${className}: ${inEnglish(what)}\n`)
    }
    const { difference, notes } = differenceOf(className, wanted, known)
    try {
      await applyClass(management, `${path}/${encodeURIComponent(className)}`, {
        className,
        difference,
        known,
        isDry,
        fault,
      })
    } catch (error) {
      fault(notice('leftAsItIs', { reason: noticeOf(error) }))
    }
    for (const note of [...wanted.notes, ...notes]) {
      notApplied.push(at(className, note))
      say(`${className}: not applied: ${inEnglish(note)}`)
    }
  }
  return { isComplete, notApplied }
}

interface Application {
  readonly className: string
  readonly difference: Difference
  readonly known: ShownClass | undefined
  readonly isDry: boolean
  /** Called with each part that could not be applied although the rest could. */
  readonly fault: (what: Notice) => void
}

/** @throws Error when the class is unchanged because of a fault */
async function applyClass(
  { request }: Management,
  path: string,
  { className, difference, known, isDry, fault }: Application,
): Promise<void> {
  const { indexes = [], ...rest } = difference
  checkTypes(difference, known)
  const isChanged = !known || Object.keys(rest).length > 0
  if (isChanged && !isDry) await request('PATCH', path, rest)
  const built: WantedIndex[] = []
  for (const index of indexes) {
    try {
      if (!isDry) await request('PATCH', path, { indexes: [index] })
      built.push(index)
    } catch (error) {
      fault(notice('indexNotBuilt', { index: shownIndex(index), reason: noticeOf(error) }))
    }
  }
  const applied = { ...rest, ...(built.length > 0 && { indexes: built }) }
  const isNothing = !isChanged && built.length === 0
  if (isNothing && indexes.length > 0) return
  say(`${className}: ${isNothing ? 'nothing to change' : inWords(applied, known, isDry)}`)
}

/** Reads the schema files, by class. @throws Error with one line for the user */
function readFiles(paths: readonly string[]): ReadonlyMap<string, HostedClass> {
  const classes = new Map<string, HostedClass>()
  for (const path of paths.flatMap(filesAt)) {
    const { className, part } = namedBy(path)
    const content = readJson(path)
    if (part === null && !isWholeClass(content))
      throw new Error(
        `${path}: must contain an object with 'schema' and optionally 'permissions' and 'indexes'; name a file with only one of these <Class>_schema.json, <Class>_permissions.json or <Class>_indexes.json`,
      )
    const isComplete =
      part === null ||
      part === 'all' ||
      (isJsonObject(content) && isWrapped(content[part]) && Object.keys(content).length === 1)
    if (part === 'all' && !isJsonObject(content)) throw new Error(`${path}: must contain an object`)
    classes.set(className, {
      ...classes.get(className),
      ...(isComplete ? (content as HostedClass) : { [part]: content }),
    })
  }
  if (classes.size === 0) throw new Error('no files named <Class>.json, <Class>_all.json or <Class>_schema.json found')
  return classes
}

/**
 * Returns the class that a file is named after, and the part that it contains; null: all parts.
 * @throws Error with one line for the user
 */
function namedBy(path: string): { readonly className: string; readonly part: string | null } {
  const [, className, part] = FILE_NAME.exec(basename(path)) ?? []
  if (className !== undefined) return { className, part: part! }
  const [, fileName] = CLASS_FILE.exec(basename(path)) ?? []
  if (fileName === undefined || !isClassName(fileName))
    throw new Error(
      `${path}: the name must be <Class>.json, <Class>_schema.json, <Class>_permissions.json, <Class>_indexes.json or <Class>_all.json`,
    )
  return { className: fileName, part: null }
}

/** Returns whether the value is a schema part and not a column, which would have a type. */
function isWrapped(value: Json | undefined): boolean {
  return Array.isArray(value) || (isJsonObject(value) && typeof value.type !== 'string')
}

/** Returns the file, or the schema files of a directory. */
function filesAt(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path]
    const names = readdirSync(path).sort()
    const files = names.filter((name) => FILE_NAME.test(name)).map((name) => join(path, name))
    const fileName = names
      .filter((name) => CLASS_FILE.test(name) && !FILE_NAME.test(name))
      .map((name) => join(path, name))
    // Other JSON files in the directory are skipped, and exported objects, which follow a header line one by one.
    return [...files, ...fileName.filter((file) => isSchemaFile(file))]
  } catch (error) {
    throw new NoticedError(notice('cannotRead', { file: path, reason: noticeOf(error) }))
  }
}

function isSchemaFile(path: string): boolean {
  const text = readFileSync(path, 'utf8')
  return isWholeClass(HEADER.test(text) ? parsedOrNull(withoutHeader(text)) : readJson(path))
}

function parsedOrNull(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

/** Removes the first line if it is the header of an export (protocol/moving-in, JSON export). */
function withoutHeader(text: string): string {
  return text.replace(HEADER, '')
}

function readJson(path: string): Json {
  try {
    return JSON.parse(withoutHeader(readFileSync(path, 'utf8'))) as Json
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`)
  }
}

/** @throws Error when a field already has another type */
function checkTypes({ fields = {} }: Difference, known: ShownClass | undefined): void {
  for (const [name, field] of Object.entries(fields)) {
    const present = known && ownMember(known.fields, name)
    if (!present || field.type === 'Any') continue
    if (present.type !== field.type || present.className !== ('className' in field ? field.className : undefined))
      throw new Error(
        `the field '${name}' already has the type ${typeText(present)}, which cannot be changed to ${typeText(field)}`,
      )
  }
}

/** @returns the members to send, and why some indexes are not included */
function differenceOf(
  className: string,
  wanted: WantedClass,
  known: ShownClass | undefined,
): { readonly difference: Difference; readonly notes: readonly Notice[] } {
  const fields = without(wanted.fields, (name, field) => {
    const present = known && ownMember(known.fields, name)
    return (
      present !== undefined && Object.entries(field).every(([key, value]) => isDeepStrictEqual(present[key], value))
    )
  })
  const permissions = without(wanted.permissions, (operation, who) =>
    isDeepStrictEqual(known?.permissions[operation] ?? 'public', who),
  )
  const notes: Notice[] = []
  // An export can contain indexes over a pointer and over its id, which are the same here.
  const seen = new Set(known?.indexes)
  const indexes = wanted.indexes.filter((index) => {
    const shown = shownIndex(index)
    if (seen.has(shown)) return false
    seen.add(shown)
    const reason = withoutCounterpart(className, index, wanted, known)
    if (reason !== null) notes.push(reason)
    return reason === null
  })
  const isSameAcl = wanted.defaultAcl === undefined || isDeepStrictEqual(known?.defaultAcl, wanted.defaultAcl)
  const difference = {
    ...(Object.keys(fields).length > 0 && { fields }),
    ...(Object.keys(permissions).length > 0 && { permissions }),
    ...(!isSameAcl && { defaultAcl: wanted.defaultAcl }),
    ...(indexes.length > 0 && { indexes }),
  }
  return { difference, notes }
}

function without<Value>(
  members: { readonly [name: string]: Value },
  isSame: (name: string, value: Value) => boolean,
): { readonly [name: string]: Value } {
  return Object.fromEntries(Object.entries(members).filter(([name, value]) => !isSame(name, value)))
}

function typeText({ type, className }: { readonly type: string; readonly className?: string }): string {
  return className ? `${type} to ${className}` : type
}

function inWords(
  { fields = {}, permissions = {}, defaultAcl, indexes = [] }: Difference,
  known: object | undefined,
  isDry: boolean,
): string {
  const parts = [
    ...(known ? [] : ['new class']),
    ...listed('fields', Object.keys(fields)),
    ...listed('permissions', Object.keys(permissions)),
    ...(defaultAcl ? ['default ACL'] : []),
    ...listed(
      'indexes',
      indexes.map(({ fields, unique }) => `${unique ? 'unique ' : ''}${fields.join('+')}`),
    ),
  ]
  return `${isDry ? 'would apply' : 'applied'} ${parts.join('; ')}`
}

function listed(what: string, names: readonly string[]): string[] {
  return names.length > 0 ? [`${what} ${names.join(', ')}`] : []
}

function say(line: string): void {
  process.stdout.write(`${printable(line)}\n`)
}
