import { type Notice, notice } from '../../notices/notice.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import type { RecordForm } from './form.ts'
import { formOfHeader, isHeader } from './header.ts'
import { lineGroups } from './lines.ts'
import type { ImportRecord } from './record.ts'
import { rejectedRecord } from './rejected.ts'

/** Lines after a header of another type, which are skipped. */
interface Unread {
  readonly header: ImportRecord
  readonly reason: Notice
  count: number
}

/**
 * Yields the records of a file of lines, in groups that end in the same chunk of the file. A header changes the form of the lines
 * after it, because users concatenate the files of an export. Lines after a header of another type are skipped; a record without
 * a form reports them.
 * @param first the form of the lines before a second header
 * @throws SourceFault when the file is cut off, after the truncated line
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
