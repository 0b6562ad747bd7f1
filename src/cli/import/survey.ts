import type { Form, Told } from '../../import/forms/form.ts'
import { isLeftOut } from '../../import/forms/left-out.ts'
import { recognise } from '../../import/forms/recognise.ts'
import { hasRecords } from '../../import/forms/records.ts'
import type { ByteReader } from '../../import/sources/byte-reader.ts'
import { sourceEntries } from '../../import/sources/entries.ts'
import type { SourceFile } from '../../import/sources/files.ts'
import { SourceFault } from '../../import/sources/source-fault.ts'

/** A file to be imported, and what is in it. */
export interface Surveyed {
  readonly file: SourceFile
  /** In the order in which they are read. */
  readonly entries: readonly SurveyedEntry[]
  /** Where it is cut off or damaged. */
  readonly fault: string | null
}

export interface SurveyedEntry {
  readonly name: string
  readonly form: Form
  /** Bytes, as the directory of its archive says; null where no directory says it. */
  readonly size: number | null
  /** Whether it lies in an archive of files. */
  readonly isPacked: boolean
}

/**
 * Looks at what is in a file, before anything is written: a schema is needed before the objects, wherever it lies.
 * Of a zip archive that costs a megabyte of each file. A packed tar archive has no list: it is unpacked to its end, as its last
 * file may be the schema, and whatever lies in front of it would have to be kept somewhere.
 * @throws Error with one line for the user when it cannot be read
 */
export async function survey(file: SourceFile, told: Told): Promise<Surveyed> {
  const entries: SurveyedEntry[] = []
  try {
    for await (const { name, size, isPacked, reader } of sourceEntries(file.path, file.name))
      entries.push({ name, form: await formOf(name, reader, told), size, isPacked })
    return { file, entries, fault: null }
  } catch (error) {
    if (error instanceof SourceFault) return { file, entries, fault: error.message }
    throw new Error(`${file.path}: cannot be read: ${(error as Error).message}`)
  }
}

/** What a file is; one that cannot be unpacked is unknown, unless its records up to the damage can be read. */
async function formOf(name: string, reader: ByteReader, told: Told): Promise<Form> {
  const form = await recognise(name, reader, told).catch((error: unknown): Form => unreadable(error))
  const { fault } = reader
  return fault === undefined || hasRecords(form) || isLeftOut(name) ? form : unreadable(fault)
}

function unreadable(fault: unknown): Form {
  if (!(fault instanceof SourceFault)) throw fault
  return { form: 'unknown', reason: fault.message }
}
