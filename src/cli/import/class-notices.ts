import type { HostedClass } from '../../import/forms/form.ts'
import type { Encoding } from '../../import/sources/detect-encoding.ts'
import { firstOf, type Notice, notice } from '../../notices/notice.ts'
import { isClassName } from '../../values/names.ts'
import type { ShownClass } from '../shown-class.ts'
import type { Surveyed } from './survey.ts'

/** A class that did not exist before, whose name comes only from a file name. */
export interface NewClass {
  readonly name: string
  readonly file: string
}

/** Returns the classes that an import creates only because of a file name. The file may be a backup of something else. */
export function classesNamedAfterFiles(surveyed: readonly Surveyed[], before: readonly ShownClass[]): NewClass[] {
  const known = new Set(before.map(({ className }) => className))
  const made = new Map<string, NewClass>()
  for (const { name: file, form, isNamedAfterFile } of surveyed.flatMap(({ entries }) => entries)) {
    if (!isNamedAfterFile || !('of' in form)) continue
    const { className: name } = form.of
    if (!known.has(name) && !made.has(name)) made.set(name, { name, file })
  }
  return [...made.values()]
}

/** Reports files that are not UTF-8 and were read in a detected encoding, unless the user specified one. */
export function detectedEncodings(surveyed: readonly Surveyed[], given: Encoding | undefined): Notice[] {
  if (given !== undefined) return []
  return surveyed
    .flatMap(({ entries }) => entries)
    .flatMap(({ name, form }) =>
      'encoding' in form && form.encoding ? [notice('encodingDetected', { file: name, encoding: form.encoding })] : [],
    )
}

/** Operations that an open class allows to all clients. */
const OPEN = ['find', 'update', 'delete'] as const
const MAX_NAMES = 10

/**
 * Reports imported classes that all clients may read and write, because no file specified their permissions.
 * @param names the names that records are counted under, which include classes
 * @param here the classes of the app; a missing one will be open when it is created
 * @returns a notice, or none
 */
export function openClasses(
  names: readonly string[],
  here: readonly ShownClass[],
  hosted: ReadonlyMap<string, HostedClass>,
): Notice[] {
  const open = names.filter((name) => {
    if (!isClassName(name) || hosted.get(name)?.permissions !== undefined) return false
    const permissions = here.find(({ className }) => className === name)?.permissions ?? {}
    return OPEN.every((operation) => (permissions[operation] ?? 'public') === 'public')
  })
  if (open.length === 0) return []
  const listed = firstOf(open, MAX_NAMES)
  const isGiven = [...hosted.values()].some(({ permissions }) => permissions !== undefined)
  return [
    isGiven
      ? notice('permissionsNotInSchema', { classes: listed })
      : notice('permissionsNotGiven', { classes: listed }),
  ]
}
