import { notice } from '../../notices/notice.ts'
import type { ByteReader } from '../sources/byte-reader.ts'
import type { Encoding } from '../sources/detect-encoding.ts'
import { utf8Reader } from '../sources/utf8-reader.ts'
import { bsonMembers, bsonRecords } from './bson.ts'
import { csvMembers, csvRecords } from './csv.ts'
import type { Form, RecordForm } from './form.ts'
import { headedLineGroups } from './headed-lines.ts'
import { elementGroups, WHOLE_OR_RESULTS } from './json-elements.ts'
import { valueGroups } from './json-sequence.ts'
import { listedGroups } from './lists.ts'
import type { ImportRecord } from './record.ts'

export function hasRecords(form: Form): form is RecordForm {
  return form.form !== 'schema' && form.form !== 'files' && form.form !== 'nothing' && form.form !== 'unknown'
}

/** The records of a file, one after another. @throws SourceFault where the file is cut off, after what came before */
export async function* recordsOf(form: RecordForm, reader: ByteReader): AsyncGenerator<ImportRecord> {
  for await (const group of recordGroupsOf(form, reader)) yield* group
}

/**
 * The records of a file in their order, as many together as come together: where there are millions, each by itself would
 * take longer to hand over than to read.
 * @throws SourceFault where the file is cut off, after what came before
 */
export function recordGroupsOf(form: RecordForm, reader: ByteReader): AsyncIterable<readonly ImportRecord[]> {
  if (form.encoding === undefined) return groupsOf(form, reader)
  return withoutUndecoded(groupsOf(form, utf8Reader(reader, form.encoding)), form.encoding)
}

/** Refuses records with bytes that are none of the encoding, which have become this character. */
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
      return elementGroups(reader, WHOLE_OR_RESULTS)
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
