import type { Form, Told } from '../../import/forms/form.ts'
import { recognise } from '../../import/forms/recognise.ts'
import { sourceEntries } from '../../import/sources/entries.ts'
import type { SourceFile } from '../../import/sources/files.ts'
import { SourceFault } from '../../import/sources/source-fault.ts'

/** A file to be imported, and what is in it. */
export interface Surveyed {
  readonly file: SourceFile
  /** In the order in which they are read. */
  readonly entries: readonly { readonly name: string; readonly form: Form }[]
  /** Where it is cut off or damaged. */
  readonly fault: string | null
}

/**
 * Looks at what is in a file, before anything is written: a schema is needed before the objects, wherever it lies.
 * Of a zip archive that costs a megabyte of each file. A packed tar archive has no list: it is unpacked to its end, as its last
 * file may be the schema, and whatever lies in front of it would have to be kept somewhere.
 * @throws Error with one line for the user when it cannot be read
 */
export async function survey(file: SourceFile, told: Told): Promise<Surveyed> {
  const entries: { name: string; form: Form }[] = []
  try {
    for await (const { name, reader } of sourceEntries(file.path, file.name))
      entries.push({ name, form: await recognise(name, reader, told) })
    return { file, entries, fault: null }
  } catch (error) {
    if (error instanceof SourceFault) return { file, entries, fault: error.message }
    throw new Error(`${file.path}: cannot be read: ${(error as Error).message}`)
  }
}
