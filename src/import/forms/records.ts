import { notice } from '../../notices/notice.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import type { Encoding } from '../sources/detect-encoding.ts'
import { utf8Reader } from '../sources/utf8-reader.ts'
import { bsonMembers, bsonRecords } from './bson.ts'
import { csvMembers, csvRecords } from './csv.ts'
import type { Form, RecordForm } from './form.ts'
import { headedLineGroups } from './headed-lines.ts'
import { elementGroups, ROOT_OR_RESULTS } from './json-elements.ts'
import { valueGroups } from './json-sequence.ts'
import { listedGroups } from './lists.ts'
import type { ImportRecord } from './record.ts'

export function hasRecords(form: Form): form is RecordForm {
  return form.form !== 'schema' && form.form !== 'files' && form.form !== 'nothing' && form.form !== 'unknown'
}

/** Yields the records of a file one by one. @throws SourceFault when the file is cut off, after the records before the cut */
export async function* recordsOf(form: RecordForm, reader: ByteReader): AsyncGenerator<ImportRecord> {
  for await (const group of recordGroupsOf(form, reader)) yield* group
}

/**
 * Yields the records of a file in order, in groups that are read at once. With millions of records, passing each one individually
 * would take longer than reading it.
 * @throws SourceFault when the file is cut off, after the records before the cut
 */
export function recordGroupsOf(form: RecordForm, reader: ByteReader): AsyncIterable<readonly ImportRecord[]> {
  if (form.encoding === undefined) return groupsOf(form, reader)
  return withoutUndecoded(groupsOf(form, utf8Reader(reader, form.encoding)), form.encoding)
}

/** Rejects records with bytes that are invalid in the encoding, which were decoded to this character. */
async function* withoutUndecoded(
  groups: AsyncIterable<readonly ImportRecord[]>,
  encoding: Encoding,
): AsyncGenerator<readonly ImportRecord[]> {
  const reason = notice('notInEncoding', { encoding })
  for await (const group of groups)
    yield group.map((record) =>
      record.reason === undefined && record.text.includes('\ufffd') ? { ...record, reason } : record,
    )
}

function groupsOf(form: RecordForm, reader: ByteReader): AsyncIterable<readonly ImportRecord[]> {
  switch (form.form) {
    case 'lines':
    case 'member lines':
    case 'messaging lines':
    case 'board lines':
    case 'inbox lines':
    case 'statistic lines':
    case 'rejected':
      return headedLineGroups(form, reader)
    case 'array':
    case 'member array':
    case 'messaging array':
      return elementGroups(reader, ROOT_OR_RESULTS)
    case 'sequence':
    case 'member sequence':
    case 'messaging sequence':
      return valueGroups(reader)
    case 'lists':
      return listedGroups(form.within, reader)
    case 'csv':
    case 'member typed csv':
      return singly(csvRecords(reader))
    case 'member csv':
      return singly(csvMembers(reader))
    case 'bson':
      return singly(bsonRecords(reader))
    case 'member bson':
      return singly(bsonMembers(reader))
  }
}

async function* singly(records: AsyncIterable<ImportRecord>): AsyncGenerator<readonly ImportRecord[]> {
  for await (const record of records) yield [record]
}
