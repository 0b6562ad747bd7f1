import type { ByteReader } from '../sources/byte-reader.ts'
import { bsonMembers, bsonRecords } from './bson.ts'
import { csvMembers, csvRecords } from './csv.ts'
import type { Form } from './form.ts'
import { jsonElements } from './json-elements.ts'
import { lines } from './lines.ts'
import type { ImportRecord } from './record.ts'
import { rejectedRecords } from './rejected.ts'

/** A form that has records. */
export type RecordForm = Exclude<Form, { form: 'schema' | 'files' | 'nothing' | 'unknown' }>

export function hasRecords(form: Form): form is RecordForm {
  return form.form !== 'schema' && form.form !== 'files' && form.form !== 'nothing' && form.form !== 'unknown'
}

/** The records of a file, one after another. @throws SourceFault where the file is cut off, after what came before */
export function recordsOf({ form }: RecordForm, reader: ByteReader): AsyncIterable<ImportRecord> {
  switch (form) {
    case 'lines':
    case 'member lines':
    case 'messaging lines':
      return lines(reader)
    case 'array':
    case 'messaging array':
      return jsonElements(reader)
    case 'csv':
      return csvRecords(reader)
    case 'member csv':
      return csvMembers(reader)
    case 'bson':
      return bsonRecords(reader)
    case 'member bson':
      return bsonMembers(reader)
    case 'rejected':
      return rejectedRecords(reader)
  }
}
