import { countedAs, type Kind } from '../../import/batch.ts'
import type { Form, RecordForm } from '../../import/forms/form.ts'
import { lines } from '../../import/forms/lines.ts'
import { parseListedFile } from '../../import/forms/listed-file.ts'
import { hasRecords, recordsOf } from '../../import/forms/records.ts'
import { type SourceEntry, sourceEntries } from '../../import/sources/entries.ts'
import { faultText, kindOf } from '../import/send.ts'
import type { Surveyed } from '../import/survey.ts'
import { schemasOf, unknownIn } from '../import.ts'
import { batched, type SourceRecord, type VerifiedSource } from './source.ts'

const BYTES: Kind = { kind: 'files', className: '_File' }

/** Files as an import takes them. @param onRead is told how many bytes have been read each time */
export function fileSource(
  surveyed: readonly Surveyed[],
  withFiles: boolean,
  onRead: (bytes: number) => void,
): VerifiedSource {
  const faults = new Set(surveyed.flatMap(unknownIn))
  return {
    schemas: schemasOf(surveyed),
    kinds: kindsIn(surveyed, withFiles),
    batches: () => batched(recordsIn(surveyed, withFiles, onRead, faults)),
    faults,
    remarks: new Set(),
  }
}

function kindsIn(surveyed: readonly Surveyed[], withFiles: boolean): Kind[] {
  const kinds = new Map<string, Kind>()
  for (const { form } of surveyed.flatMap(({ entries }) => entries)) {
    if (form.form === 'files' && withFiles) kinds.set(countedAs(BYTES), BYTES)
    if (!isCompared(form) || BOARD_FORMS.has(form.form) || form.form === 'rejected') continue
    const kind = kindOf(form, { at: 0, text: '' })
    if (kind) kinds.set(countedAs(kind), kind)
  }
  return [...kinds.values()]
}

/** Inboxes go on by themselves: what is here is not what was there, and that is as it should be. */
const GO_ON: ReadonlySet<Form['form']> = new Set(['inbox lines'])
/** What is compared in a way of its own (`compare-boards.ts`). */
const BOARD_FORMS: ReadonlySet<Form['form']> = new Set(['board lines', 'statistic lines'])

function isCompared(form: Form): form is RecordForm {
  return hasRecords(form) && !GO_ON.has(form.form)
}

async function* recordsIn(
  surveyed: readonly Surveyed[],
  withFiles: boolean,
  onRead: (bytes: number) => void,
  faults: Set<string>,
): AsyncGenerator<SourceRecord> {
  for (const one of surveyed) yield* recordsOfFile(one, withFiles, onRead, faults)
}

/** What is in front of a fault is good. */
async function* recordsOfFile(
  { file, entries }: Surveyed,
  withFiles: boolean,
  onRead: (bytes: number) => void,
  faults: Set<string>,
): AsyncGenerator<SourceRecord> {
  try {
    let index = 0
    for await (const entry of sourceEntries(file.path, file.name, onRead)) {
      const form = entries[index++]?.form
      try {
        if (form?.form === 'files' && withFiles) yield* listedIn(entry)
        else if (form && isCompared(form)) {
          for await (const record of recordsOf(form, entry.reader)) {
            const of = kindOf(form, record)
            const { at, text, notes, reason } = record
            if (of?.kind === 'inboxes') continue
            if (of) yield { of, file: entry.name, item: { at, text, notes, reason } }
            else faults.add(`${entry.name}:${at}: ${reason}`)
          }
        }
      } catch (error) {
        faults.add(`${entry.name}: ${faultText(error)}`)
      }
    }
  } catch (error) {
    const text = faultText(error)
    if (![...faults].some((fault) => fault.endsWith(text))) faults.add(`${file.name}: ${text}`)
  }
}

/** The bytes of a list of files, whether they lie beside it or not. */
async function* listedIn({ name, reader }: SourceEntry): AsyncGenerator<SourceRecord> {
  for await (const { at, text, reason } of lines(reader)) {
    const listed = reason === undefined ? parseListedFile(text) : null
    const item = listed
      ? { at, text: JSON.stringify({ key: listed.key, size: listed.size, md5: listed.md5 }) }
      : { at, text: text.slice(0, 2000), reason: reason ?? 'The line tells of no file.' }
    yield { of: BYTES, file: name, item }
  }
}
