import { type Notice, notice } from '../../notices/notice.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import type { RecordForm } from './form.ts'
import { formOfHeader, isHeader } from './header.ts'
import { lineGroups } from './lines.ts'
import type { ImportRecord } from './record.ts'
import { rejectedRecord } from './rejected.ts'

/** Lines behind a header of another type. */
interface Unread {
  readonly header: ImportRecord
  readonly reason: Notice
  count: number
}

/**
 * The records of a file of lines, those together that end in the same piece of the file. A header changes what the lines
 * behind it are: people join the files of an export. Lines behind a header of another type are not read; a record without a
 * form says so.
 * @param first what the lines are before a second header
 * @throws SourceFault where the file is cut off, after the line in which it is
 */
export async function* headedLineGroups(
  first: RecordForm,
  reader: ByteReader,
): AsyncGenerator<readonly ImportRecord[]> {
  let form = first
  let unread: Unread | null = null
  let isFirst = true
  const groups = lineGroups(reader, true)[Symbol.asyncIterator]()
  for (;;) {
    let fault: unknown
    const next = await groups.next().catch((error: unknown) => {
      fault = error
      return null
    })
    if (!next || next.done) {
      if (unread) yield [recordOf(unread)]
      if (fault !== undefined) throw fault
      return
    }
    const records: ImportRecord[] = []
    for (const line of next.value) {
      if (!isHeader(line.text)) {
        if (unread) unread.count++
        else records.push(inForm(form, first, line))
      } else if (!isFirst) {
        if (unread) records.push(recordOf(unread))
        const said = formOfHeader(line.text)
        unread = null
        if (isOfLines(said)) {
          form = said
          records.push({ ...line, form, isHeader: true })
        } else unread = { header: line, reason: reasonOf(said), count: 0 }
      }
      isFirst = false
    }
    yield records
  }
}

function inForm(form: RecordForm, first: RecordForm, line: ImportRecord): ImportRecord {
  const record = form.form === 'rejected' ? rejectedRecord(line) : line
  return form === first ? record : { ...record, form }
}

function recordOf({ header: { at, text }, reason, count }: Unread): ImportRecord {
  return { at, text, reason: notice('linesNotRead', { reason, lines: count }), form: null, skipped: count }
}

function isOfLines(form: ReturnType<typeof formOfHeader>): form is RecordForm {
  return form.form === 'rejected' || form.form.endsWith('lines')
}

function reasonOf(form: ReturnType<typeof formOfHeader>): Notice {
  return form.form === 'unknown' ? form.reason : notice('fileListNotAlone')
}
