import { type Notice, notice } from '../../notices/notice.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import type { Form, RecordForm } from './form.ts'
import { contentOf, formOfHeader } from './header.ts'
import { isHeader, recordBeforeHeader } from './header-line.ts'
import { lineGroups } from './lines.ts'
import { isJsonOfFile } from './parse-json.ts'
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
export function headedLineGroups(first: RecordForm, reader: ByteReader): AsyncGenerator<readonly ImportRecord[]> {
  return groupsOf(first, first, reader)
}

/**
 * Yields the records of the lines of an export that follow JSON in another form in the same file. The first line is a header.
 * @throws SourceFault when the file is cut off, after the truncated line
 */
export function linesAfterHeader(reader: ByteReader): AsyncGenerator<readonly ImportRecord[]> {
  return groupsOf(null, null, reader)
}

/**
 * @param ofFile the form of the file, whose records have no form of their own; null: each record has its form
 * @param first the form that the first line, if it is a header, has already determined; null: it is not known yet
 */
async function* groupsOf(
  ofFile: RecordForm | null,
  first: RecordForm | null,
  reader: ByteReader,
): AsyncGenerator<readonly ImportRecord[]> {
  let form = first
  let unread: Unread | null = null
  let isFirst = first !== null
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
      const joined = line.reason === undefined ? recordBeforeHeader(line.text, isJsonOfFile) : null
      const header = joined?.header ?? (isHeader(line.text) ? line.text : null)
      if (header === null || joined) {
        if (unread) unread.count++
        else if (form) records.push(inForm(form, ofFile, joined ? { ...line, text: joined.record } : line))
      }
      if (header !== null && (joined || !isFirst)) {
        if (unread) records.push(recordOf(unread))
        const said = formAfter(header, ofFile)
        unread = null
        if (isOfLines(said)) {
          form = said
          records.push({ at: line.at, text: header, form, isHeader: true })
        } else unread = { header: { at: line.at, text: header }, reason: reasonOf(said), count: 0 }
      }
      isFirst = false
    }
    yield records
  }
}

/** Returns the form of the lines after a further header. */
function formAfter(header: string, ofFile: RecordForm | null): Form {
  const said = formOfHeader(header)
  const replaced = ofFile && 'replaced' in ofFile ? ofFile.replaced : undefined
  if (ofFile === null || replaced === undefined || said.form === 'unknown') return said
  // The user named the class of this file, which has records of one class.
  const name = contentOf(said)
  return name === replaced ? ofFile : { form: 'unknown', reason: notice('headerNotAsGiven', { content: name }) }
}

function inForm(form: RecordForm, ofFile: RecordForm | null, line: ImportRecord): ImportRecord {
  const record = form.form === 'rejected' ? rejectedRecord(line) : line
  return form === ofFile ? record : { ...record, form }
}

function recordOf({ header: { at, text }, reason, count }: Unread): ImportRecord {
  return { at, text, reason: notice('linesNotRead', { reason, lines: count }), form: null, skipped: count }
}

function isOfLines(form: Form): form is RecordForm {
  return form.form === 'rejected' || form.form.endsWith('lines')
}

function reasonOf(form: Form): Notice {
  return form.form === 'unknown' ? form.reason : notice('fileListNotAlone')
}
