import type { Form } from '../../import/forms/form.ts'
import { formOfList } from '../../import/forms/lists.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import { noticeOf } from '../../notices/noticed-error.ts'
import { FailedRequest, type Management } from '../management.ts'
import type { ShownClass } from '../shown-class.ts'
import type { Surveyed } from './survey.ts'

/** Returns the classes in files, including those without objects. Built-in ones exist here, or are not supported. */
export function classesIn({ entries }: Pick<Surveyed, 'entries'>): readonly string[] {
  return entries.flatMap(({ form }) => classesOf(form)).filter((name) => !name.startsWith('_'))
}

function classesOf(form: Form): readonly string[] {
  switch (form.form) {
    case 'lines':
    case 'array':
    case 'sequence':
    case 'csv':
    case 'bson':
      return [form.of.className]
    case 'lists':
      return form.names.flatMap((name) => {
        const ofList = formOfList(name)
        return ofList?.form === 'array' ? [ofList.of.className] : []
      })
    default:
      return []
  }
}

/** The result of creating classes without objects. */
export interface EmptyClasses {
  readonly made: readonly string[]
  /** Why some classes could not be created. */
  readonly faults: readonly Notice[]
}

/**
 * Creates the classes that do not exist. Records create their class, but a file may have none.
 * @param path the path of the classes in the management API
 */
export async function makeEmptyClasses(
  { request }: Management,
  path: string,
  names: readonly string[],
  dryRun: boolean,
): Promise<EmptyClasses> {
  if (names.length === 0) return { made: [], faults: [] }
  const { classes } = (await request('GET', path)) as { classes: ShownClass[] }
  const known = new Set(classes.map(({ className }) => className))
  const made: string[] = []
  const faults: Notice[] = []
  for (const className of new Set(names)) {
    if (known.has(className)) continue
    try {
      if (!dryRun) await request('PATCH', `${path}/${encodeURIComponent(className)}`, {})
      made.push(className)
    } catch (error) {
      if (!(error instanceof FailedRequest) || error.status !== 400) throw error
      faults.push(notice('emptyClassNotMade', { className, reason: noticeOf(error) }))
    }
  }
  return { made, faults }
}
