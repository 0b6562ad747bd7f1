import { inEnglish } from '../../notices/in-english.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import { isJsonObject, type Json } from '../../values/json.ts'
import type { Rejected } from '../batch.ts'
import { recordOfRejectedRow } from './csv.ts'
import { isJsonOfFile, jsonOfFile } from './parse-json.ts'
import type { ImportRecord } from './record.ts'

/** The first line of a file of rejected records. */
export const REJECTED_COMMENT = '#filetype:JSON-streaming {"type":"Rejected"}\n'

/** Encodes a rejected record as a line: its position, the reason, and its content. A user can correct the file and import it. */
export function rejectedLine({ className, field, place, reason, text }: Rejected): string {
  const of = { className, ...(field !== null && { field }), place, reason: inEnglish(reason) }
  return `${withObject(of, text) ?? JSON.stringify({ ...of, text })}\n`
}

/** Returns the line with the content as JSON, so that it can be corrected; null when that is not possible. */
function withObject(of: object, text: string): string | null {
  // A long number could lose digits when parsed, so it stays text.
  if (/\d{16}/.test(text)) return null
  try {
    const object = jsonOfFile(text)
    return isJsonObject(object) ? JSON.stringify({ ...of, object }) : null
  } catch {
    // It is not JSON, or nested too deeply.
    return null
  }
}

/** Parses the record of a line of such a file. */
export function rejectedRecord(line: ImportRecord): ImportRecord {
  return line.reason === undefined ? recordOf(line) : withoutClass(line, line.reason)
}

function recordOf({ at, text: line }: ImportRecord): ImportRecord {
  try {
    const { className, field, object, text } = jsonOfFile(line) as { [name: string]: Json | undefined }
    if (typeof className !== 'string') return withoutClass({ at, text: line }, notice('lineWithoutClassName'))
    const of = { className, field: typeof field === 'string' ? field : null }
    if (object !== undefined) return { at, text: JSON.stringify(object), of }
    const row = isJsonOfFile(String(text)) ? null : recordOfRejectedRow(at, String(text), of.field !== null)
    return { ...(row ?? { at, text: String(text) }), of }
  } catch {
    return withoutClass({ at, text: line }, notice('lineNotJson'))
  }
}

function withoutClass({ at, text }: ImportRecord, reason: Notice): ImportRecord {
  return { at, text, reason }
}
