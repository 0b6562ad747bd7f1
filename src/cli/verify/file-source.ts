import { countedAs, type Kind } from '../../import/batch.ts'
import type { Form, HostedClass, RecordForm } from '../../import/forms/form.ts'
import { lines } from '../../import/forms/lines.ts'
import { parseListedFile } from '../../import/forms/listed-file.ts'
import { hasRecords, recordsOf } from '../../import/forms/records.ts'
import { type SourceEntry, sourceEntries } from '../../import/sources/entries.ts'
import { at, type Notice, notice } from '../../notices/notice.ts'
import {
  CHANGED,
  type Contents,
  contentsNotice,
  contentsOf,
  FileCount,
  lossOf,
  sumOfContents,
  type TakenFile,
} from '../import/contents.ts'
import { classesIn } from '../import/empty-classes.ts'
import { Faults, NamedClasses } from '../import/faults.ts'
import { faultOf, isAmong, kindOf } from '../import/send.ts'
import type { Surveyed } from '../import/survey.ts'
import { schemasOf, unknownIn } from '../import.ts'
import { batched, type SourceRecord, type VerifiedSource } from './source.ts'

const BYTES: Kind = { kind: 'files', className: '_File' }

/** Reads files as an import does. @param onRead called with the number of bytes of each read */
export function fileSource(
  surveyed: readonly Surveyed[],
  withFiles: boolean,
  onRead: (bytes: number) => void,
): VerifiedSource {
  const faults = new Faults()
  for (const fault of surveyed.flatMap(unknownIn)) faults.add(fault)
  const remarks: Notice[] = []
  return {
    schemas: withClasses(schemasOf(surveyed), surveyed.flatMap(classesIn)),
    kinds: kindsIn(surveyed, withFiles),
    batches: () => batched(recordsIn(surveyed, withFiles, onRead, faults, remarks)),
    faults,
    remarks,
  }
}

/** Adds classes that the source has without a schema, which must exist here too. */
function withClasses(hosted: Map<string, HostedClass>, classes: readonly string[]): Map<string, HostedClass> {
  for (const className of classes) if (!hosted.has(className)) hosted.set(className, {})
  return hosted
}

function kindsIn(surveyed: readonly Surveyed[], withFiles: boolean): Kind[] {
  const kinds = new Map<string, Kind>()
  for (const { form } of surveyed.flatMap(({ entries }) => entries)) {
    if (form.form === 'files' && withFiles) kinds.set(countedAs(BYTES), BYTES)
    if (!hasRecords(form) || BOARD_FORMS.has(form.form) || form.form === 'rejected') continue
    const kind = kindOf(form, { at: 0, text: '' })
    if (kind && isCompared(kind)) kinds.set(countedAs(kind), kind)
  }
  return [...kinds.values()]
}

/** Forms that are compared separately (`compare-boards.ts`). */
const BOARD_FORMS: ReadonlySet<Form['form']> = new Set(['board lines', 'statistic lines'])

/** Returns whether records of a kind are compared. Inboxes are not, because they change during normal use. */
function isCompared({ kind }: Kind): boolean {
  return kind !== 'inboxes'
}

async function* recordsIn(
  surveyed: readonly Surveyed[],
  withFiles: boolean,
  onRead: (bytes: number) => void,
  faults: Faults,
  remarks: Notice[],
): AsyncGenerator<SourceRecord> {
  const contents: Contents[] = []
  const named = new NamedClasses()
  for (const one of surveyed) {
    const taken = new Map<number, TakenFile>()
    yield* recordsOfFile(one, withFiles, onRead, faults, named, taken)
    contents.push(contentsOf(one, taken))
  }
  for (const one of sumOfContents(contents)) remarks.push(contentsNotice(one))
}

/** Yields the records of a file; those before a fault are valid. */
async function* recordsOfFile(
  { file, entries }: Surveyed,
  withFiles: boolean,
  onRead: (bytes: number) => void,
  faults: Faults,
  named: NamedClasses,
  taken: Map<number, TakenFile>,
): AsyncGenerator<SourceRecord> {
  // The survey has reported it.
  if (file.isLink) return
  try {
    let index = 0
    for await (const source of sourceEntries(file.path, file.name, onRead)) {
      const entry = entries[index]
      const count = new FileCount(source.reader)
      const before = faults.count
      try {
        if (entry?.form.form === 'files' && withFiles) yield* listedIn(source)
        else if (entry && hasRecords(entry.form)) {
          yield* recordsOfEntry(source.name, entry.form, count, faults, named)
          for (const lost of lossOf(entry, count.taken(true))) faults.add(lost)
        }
      } catch (error) {
        faults.add(at(source.name, faultOf(error)))
      }
      taken.set(index++, count.taken(faults.count === before))
    }
    if (index !== entries.length) faults.add(at(file.name, CHANGED))
  } catch (error) {
    const fault = faultOf(error)
    if (!isAmong(faults, fault)) faults.add(at(file.name, fault))
  }
}

async function* recordsOfEntry(
  name: string,
  form: RecordForm,
  count: FileCount,
  faults: Faults,
  named: NamedClasses,
): AsyncGenerator<SourceRecord> {
  for await (const record of recordsOf(form, count.reader)) {
    count.add(record)
    const of = kindOf(form, record)
    const { at: line, text, notes, reason } = record
    if (of && (record.form || record.of)) named.add(countedAs(of))
    if (!of) faults.add(at(`${name}:${line}`, reason!))
    else if (isCompared(of) && !record.isHeader) yield { of, file: name, item: { at: line, text, notes, reason } }
  }
}

/** Yields the entries of a list of files, whether or not their bytes are stored next to it. */
async function* listedIn({ name, reader }: SourceEntry): AsyncGenerator<SourceRecord> {
  for await (const { at, text, reason } of lines(reader)) {
    const listed = reason === undefined ? parseListedFile(text) : null
    const item = listed
      ? { at, text: JSON.stringify({ key: listed.key, size: listed.size, md5: listed.md5 }) }
      : { at, text: text.slice(0, 2000), reason: reason ?? notice('lineWithoutFile') }
    yield { of: BYTES, file: name, item }
  }
}
