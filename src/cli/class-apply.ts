import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { HostedClass } from '../import/forms/form.ts'
import { isJsonObject, type Json } from '../values/json.ts'
import { type WantedClass, wantedClass } from './hosted-schema.ts'
import type { Management } from './management.ts'
import type { ShownClass } from './shown-class.ts'

const FILE_NAME = /^(.+)_(schema|permissions|indexes|all)\.json$/

/** What is to be sent for a class: only what differs from what it is. */
type Difference = Partial<Pick<WantedClass, 'fields' | 'permissions' | 'defaultAcl' | 'indexes'>>

/**
 * Applies schema files of the hosted service (protocol/moving-in, Schema export): each class as a whole or not at all.
 * What is the same already is not touched, so that files can be applied again.
 * @param path of the classes in the management API
 * @returns whether every class could be applied
 */
export async function applyFiles(
  management: Management,
  path: string,
  files: readonly string[],
  isDry: boolean,
): Promise<boolean> {
  return applyClasses(management, path, readFiles(files), isDry)
}

/** The same with what files say, by class. */
export async function applyClasses(
  { request }: Management,
  path: string,
  hosted: ReadonlyMap<string, HostedClass>,
  isDry: boolean,
): Promise<boolean> {
  const { classes } = (await request('GET', path)) as { classes: ShownClass[] }
  let isComplete = true
  for (const [className, parts] of hosted) {
    const wanted = wantedClass(className, parts)
    const known = classes.find((one) => one.className === className)
    try {
      const difference = differenceOf(wanted, known)
      const isNeeded = !known || Object.keys(difference).length > 0
      if (isNeeded && !isDry) await request('PATCH', `${path}/${encodeURIComponent(className)}`, difference)
      say(`${className}: ${isNeeded ? inWords(difference, known, isDry) : 'nothing to change'}`)
    } catch (error) {
      isComplete = false
      process.stderr.write(`homeport: ${className} is left as it is: ${(error as Error).message}\n`)
    }
    for (const note of wanted.notes) say(`${className}: not applied: ${note}`)
  }
  return isComplete
}

/** What the files say, by class. @throws Error with one line for the user */
function readFiles(paths: readonly string[]): ReadonlyMap<string, HostedClass> {
  const classes = new Map<string, HostedClass>()
  for (const path of paths.flatMap(filesAt)) {
    const [, className = '', part = ''] = FILE_NAME.exec(basename(path)) ?? []
    if (className === '')
      throw new Error(`${path}: is named neither <Class>_schema.json, _permissions, _indexes nor _all`)
    const content = readJson(path)
    const isWhole =
      part === 'all' || (isJsonObject(content) && isWrapped(content[part]) && Object.keys(content).length === 1)
    if (part === 'all' && !isJsonObject(content)) throw new Error(`${path}: must hold an object`)
    classes.set(className, { ...classes.get(className), ...(isWhole ? (content as HostedClass) : { [part]: content }) })
  }
  if (classes.size === 0) throw new Error('there are no files such as <Class>_schema.json or <Class>_all.json')
  return classes
}

/** A column of this name would have a type. */
function isWrapped(value: Json | undefined): boolean {
  return Array.isArray(value) || (isJsonObject(value) && typeof value.type !== 'string')
}

/** The file, or those of a directory that are named like schema files. */
function filesAt(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path]
    const names = readdirSync(path).filter((name) => FILE_NAME.test(name))
    return names.sort().map((name) => join(path, name))
  } catch (error) {
    throw new Error(`${path}: cannot be read: ${(error as Error).message}`)
  }
}

function readJson(path: string): Json {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Json
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`)
  }
}

/** @throws Error when a field has another type already */
function differenceOf(wanted: WantedClass, known: ShownClass | undefined): Difference {
  const fields = without(wanted.fields, (name, field) => {
    const present = known?.fields[name]
    if (!present) return false
    if (present.type !== field.type || present.className !== ('className' in field ? field.className : undefined))
      throw new Error(`the field '${name}' is ${typeText(present)} already, not ${typeText(field)}`)
    return Object.entries(field).every(([option, value]) => isDeepStrictEqual(present[option], value))
  })
  const permissions = without(wanted.permissions, (operation, who) =>
    isDeepStrictEqual(known?.permissions[operation] ?? 'public', who),
  )
  const indexes = wanted.indexes.filter(
    ({ fields, unique }) => !known?.indexes.includes(`${unique ? 'unique ' : ''}${fields.join(',')}`),
  )
  const isSameAcl = wanted.defaultAcl === undefined || isDeepStrictEqual(known?.defaultAcl, wanted.defaultAcl)
  return {
    ...(Object.keys(fields).length > 0 && { fields }),
    ...(Object.keys(permissions).length > 0 && { permissions }),
    ...(!isSameAcl && { defaultAcl: wanted.defaultAcl }),
    ...(indexes.length > 0 && { indexes }),
  }
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
  process.stdout.write(`${line}\n`)
}
