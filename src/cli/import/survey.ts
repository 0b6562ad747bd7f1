import { isBson } from '../../import/forms/bson.ts'
import type { Form, FormOptions } from '../../import/forms/form.ts'
import { isLeftOut } from '../../import/forms/left-out.ts'
import { otherPackingOf } from '../../import/forms/other-packing.ts'
import { recognise } from '../../import/forms/recognise.ts'
import { hasRecords } from '../../import/forms/records.ts'
import { IS_SPREADSHEET, isOldSpreadsheet, spreadsheetsAmong } from '../../import/forms/spreadsheet.ts'
import type { ByteReader } from '../../import/sources/byte-reader.ts'
import type { Encoding } from '../../import/sources/detect-encoding.ts'
import { sourceEntries } from '../../import/sources/entries.ts'
import type { SourceFile } from '../../import/sources/files.ts'
import { SourceFault } from '../../import/sources/source-fault.ts'
import { utf8Content } from '../../import/sources/utf8-reader.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import { NoticedError, noticeOf } from '../../notices/noticed-error.ts'

/** A file to import, with its contents. */
export interface Surveyed {
  readonly file: SourceFile
  /** In the order in which they are read. */
  readonly entries: readonly SurveyedEntry[]
  /** Why the file is cut off or damaged; null otherwise. */
  readonly fault: Notice | null
}

export interface SurveyedEntry {
  readonly name: string
  readonly form: Form
  /** Bytes according to the directory of its archive; null when no directory has the size. */
  readonly size: number | null
  /** Whether the file is in an archive. */
  readonly isPacked: boolean
  /** Whether only its file name determines the class of its objects. */
  readonly isNamedAfterFile?: boolean
}

/** Maximum characters of schemas and of class names in headers that are kept for all files together. */
const MAX_CACHED = 8 * 1024 * 1024
/** Extra weight of an object or list. Empty ones take two characters and twenty times as much memory. */
const PER_OBJECT = 16
const TOO_MUCH: Form = {
  form: 'unknown',
  reason: notice('schemasTooLong', { maximum: MAX_CACHED }),
}

const IS_LINK = notice('linksNotFollowed')

function weightOf(json: string): number {
  let weight = json.length
  for (const character of json) if (character === '{' || character === '[') weight += PER_OBJECT
  return weight
}

/** Surveys the contents of files. @throws Error with one line for the user when one cannot be read */
export async function surveyAll(files: readonly SourceFile[], options: FormOptions): Promise<readonly Surveyed[]> {
  let cached = 0
  const bounded = (form: Form): Form => {
    const length = weightOf(JSON.stringify(form))
    if (cached + length > MAX_CACHED) return TOO_MUCH
    cached += length
    return form
  }
  const surveyed: Surveyed[] = []
  for (const file of files) surveyed.push(await survey(file, options, bounded))
  return surveyed
}

/**
 * Surveys the contents of a file before anything is written, because schemas, wherever they are stored, must be applied before
 * objects. For a zip archive, a megabyte of each file is read. A compressed tar archive has no list and is unpacked to its end,
 * because its last file may be a schema, and keeping the files before it would need storage.
 * @throws Error with one line for the user when it cannot be read
 */
async function survey(file: SourceFile, options: FormOptions, bounded: (form: Form) => Form): Promise<Surveyed> {
  const entries: SurveyedEntry[] = []
  if (file.isLink) {
    const form: Form = isLeftOut(file.name) ? { form: 'nothing' } : { form: 'unknown', reason: IS_LINK }
    return { file, entries: [{ name: file.name, form, size: null, isPacked: false }], fault: null }
  }
  try {
    for await (const { name, size, isPacked, reader } of sourceEntries(file.path, file.name)) {
      const text = await utf8Content(reader, options.encoding, isNoText)
      const form = bounded(inEncoding(await formOf(name, text.reader, options), text.encoding))
      entries.push({ name, form, size, isPacked, isNamedAfterFile: await isNamedAfterFile(form, text.reader, options) })
    }
    return { file, entries: withoutSheets(file, entries), fault: null }
  } catch (error) {
    if (error instanceof SourceFault) return { file, entries, fault: error.notice }
    throw new NoticedError(notice('cannotRead', { file: file.path, reason: noticeOf(error) }))
  }
}

/** Returns the form of a file. A file that cannot be unpacked is unknown, unless its records before the damage can be read. */
async function formOf(name: string, reader: ByteReader, options: FormOptions): Promise<Form> {
  if (isOldSpreadsheet(await reader.peek(8))) return { form: 'unknown', reason: IS_SPREADSHEET }
  const form = await recognise(name, reader, options).catch((error: unknown): Form => unreadable(error))
  const { fault } = reader
  return fault === undefined || hasRecords(form) || isLeftOut(name) ? form : unreadable(fault)
}

/** Replaces the files of a spreadsheet, which mean nothing to users, with one entry for the spreadsheet. */
function withoutSheets(file: SourceFile, entries: readonly SurveyedEntry[]): SurveyedEntry[] {
  const seen = new Set<string>()
  const sheets = spreadsheetsAmong(entries.map(({ name }) => name))
  return entries.map((entry): SurveyedEntry => {
    const sheet = sheets.find((before) => entry.name.startsWith(before))
    if (sheet === undefined) return entry
    if (seen.has(sheet)) return { ...entry, form: { form: 'nothing' } }
    seen.add(sheet)
    const name = sheet === '' ? file.name : sheet.slice(0, -1)
    return { ...entry, name, form: { form: 'unknown', reason: IS_SPREADSHEET } }
  })
}

function isNoText(beginning: Buffer): boolean {
  return isBson(beginning) || otherPackingOf(beginning) !== null
}

function inEncoding(form: Form, encoding: Encoding | null): Form {
  return encoding !== null && hasRecords(form) ? { ...form, encoding } : form
}

/** A header, optionally after a byte-order mark. */
const HEADER_START = /^(\xef\xbb\xbf)?#/

async function isNamedAfterFile({ form }: Form, reader: ByteReader, { className }: FormOptions): Promise<boolean> {
  if (className !== undefined) return false
  if (form === 'array' || form === 'csv' || form === 'sequence') return true
  return form === 'lines' && !HEADER_START.test((await reader.peek(4)).toString('latin1'))
}

function unreadable(fault: unknown): Form {
  if (!(fault instanceof SourceFault)) throw fault
  return { form: 'unknown', reason: fault.notice }
}
