import type { HostedClass } from '../../import/forms/form.ts'
import type { Encoding } from '../../import/sources/detect-encoding.ts'
import { firstOf, type Notice, notice } from '../../notices/notice.ts'
import { isClassName } from '../../values/names.ts'
import type { ShownClass } from '../shown-class.ts'
import type { Surveyed } from './survey.ts'

/** A class that was not here before, and the file whose name is the only word of it. */
export interface NewClass {
  readonly name: string
  readonly file: string
}

/** Classes that an import makes because a file is named like them: a backup of something else may be among them. */
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

/** Says which files are not UTF-8 and were read in another encoding, unless the user has said which. */
export function detectedEncodings(surveyed: readonly Surveyed[], told: Encoding | undefined): Notice[] {
  if (told !== undefined) return []
  return surveyed
    .flatMap(({ entries }) => entries)
    .flatMap(({ name, form }) =>
      'encoding' in form && form.encoding ? [notice('encodingDetected', { file: name, encoding: form.encoding })] : [],
    )
}

/** Operations that everybody may do in an open class. */
const OPEN = ['find', 'update', 'delete'] as const
const MAX_NAMES = 10

/**
 * Says which of the imported classes everybody may read and write, because nothing told their permissions.
 * @param names of what was counted, classes among them
 * @param here the classes of the app; one that is missing will be open when it is made
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
