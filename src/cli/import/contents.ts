import type { Form } from '../../import/forms/form.ts'
import type { ImportRecord } from '../../import/forms/record.ts'
import { hasRecords } from '../../import/forms/records.ts'
import type { ByteReader } from '../../import/sources/byte-reader.ts'
import { type ContentCounts, CountedContent } from '../../import/sources/counted-content.ts'
import { firstOf, type Notice, notice } from '../../notices/notice.ts'
import type { Surveyed, SurveyedEntry } from './survey.ts'

/** The fault of a source whose files have changed since the survey. */
export const CHANGED = notice('sourceChanged')

/** The counts of a file with records. */
export interface TakenFile extends ContentCounts {
  readonly records: number
  /** Lines after headers of other types, which are reported. */
  readonly skipped: number
  readonly isComplete: boolean
}

/** The counts of an archive, or of all files outside of archives together. */
export interface Contents {
  /** The archive; null for files outside of archives. */
  readonly archive: string | null
  /** Number of files according to the archive's directory. Each is also counted once below. */
  readonly files: number
  readonly withRecords: number
  readonly withoutRecords: number
  /** Files with records that were imported before, and were not read again. */
  readonly before: number
  readonly schemas: number
  readonly lists: number
  /** Names of system files, empty files, and other files without data to import. */
  readonly nothing: readonly string[]
  readonly notRead: readonly string[]
  readonly records: number
  readonly lines: number
  readonly headers: number
  readonly bytes: number
}

/** Counts the data read from a file, to compare it with the archive's directory. */
export class FileCount {
  readonly #content: CountedContent
  #records = 0
  #skipped = 0

  constructor(reader: ByteReader) {
    this.#content = new CountedContent(reader)
  }

  /** The reader to use in place of the counted one. */
  get reader(): ByteReader {
    return this.#content.reader
  }

  add({ form, skipped = 0, isHeader = false }: ImportRecord): void {
    if (isHeader) return
    if (form === null) this.#skipped += skipped
    else this.#records++
  }

  /** @param isComplete whether the file was read without a fault */
  taken(isComplete: boolean): TakenFile {
    return { ...this.#content.counts, records: this.#records, skipped: this.#skipped, isComplete }
  }
}

/** Returns the data that was lost without a fault of the reader, in a file that was read to its end. */
export function lossOf({ name, size, form }: SurveyedEntry, { bytes, lines, records, skipped }: TakenFile): Notice[] {
  const lost: Notice[] = []
  if (size !== null && bytes !== size) lost.push(notice('fileBytesRead', { file: name, bytes, listed: size }))
  const isLines = form.form === 'rejected' || form.form.endsWith('lines')
  if (isLines && lines !== null && lines !== records + skipped)
    lost.push(notice('fileLinesRead', { file: name, lines, read: records + skipped }))
  return lost
}

/** @param read the counts of files with records, by their index; null when they were imported before */
export function contentsOf({ file, entries }: Surveyed, read: ReadonlyMap<number, TakenFile> | null): Contents {
  const taken: ReadonlyMap<number, TakenFile> = read ?? new Map()
  const isArchive = entries.length !== 1 || entries[0]!.isPacked
  const kinds = entries.map(({ form }, index) => ({
    ...entries[index]!,
    outcome: read === null && hasRecords(form) ? ('before' as const) : outcomeOf(form, taken.get(index)),
  }))
  const namesOf = (outcome: Outcome) => kinds.filter((one) => one.outcome === outcome).map(({ name }) => name)
  const sum = (member: 'records' | 'lines' | 'headers' | 'bytes') =>
    [...taken.values()].reduce((total, one) => total + (one[member] ?? 0), 0)
  return {
    archive: isArchive ? file.name : null,
    files: entries.length,
    withRecords: namesOf('records').length,
    withoutRecords: namesOf('none').length,
    before: namesOf('before').length,
    schemas: namesOf('schema').length,
    lists: namesOf('list').length,
    nothing: namesOf('nothing'),
    notRead: namesOf('unread'),
    records: sum('records'),
    lines: sum('lines'),
    headers: sum('headers'),
    bytes: sum('bytes'),
  }
}

type Outcome = 'records' | 'before' | 'none' | 'schema' | 'list' | 'nothing' | 'unread'

function outcomeOf(form: Form, taken: TakenFile | undefined): Outcome {
  if (hasRecords(form)) {
    if (!taken?.isComplete) return 'unread'
    return taken.records > 0 ? 'records' : 'none'
  }
  switch (form.form) {
    case 'schema':
      return 'schema'
    case 'files':
      return 'list'
    case 'nothing':
      return 'nothing'
    case 'unknown':
      return 'unread'
  }
}

/** Returns archives individually, and all other files summed up. */
export function sumOfContents(all: readonly Contents[]): readonly Contents[] {
  const single = all.filter(({ archive }) => archive === null)
  const archives = all.filter(({ archive }) => archive !== null)
  return single.length === 0 ? archives : [...archives, single.reduce(sumOf)]
}

function sumOf(a: Contents, b: Contents): Contents {
  return {
    archive: null,
    files: a.files + b.files,
    withRecords: a.withRecords + b.withRecords,
    withoutRecords: a.withoutRecords + b.withoutRecords,
    before: a.before + b.before,
    schemas: a.schemas + b.schemas,
    lists: a.lists + b.lists,
    nothing: [...a.nothing, ...b.nothing],
    notRead: [...a.notRead, ...b.notRead],
    records: a.records + b.records,
    lines: a.lines + b.lines,
    headers: a.headers + b.headers,
    bytes: a.bytes + b.bytes,
  }
}

/** Maximum names in a line. */
const MAX_NAMES = 5

/** Returns the notice about the files read, such as `export.tar.gz: of 7 files in the archive, 6 had records, …`. */
export function contentsNotice({ archive, files, records, lines, headers, bytes, ...outcomes }: Contents): Notice {
  const read = { files, outcomes: outcomesOf(outcomes), records, lines, headers, bytes }
  return archive === null ? notice('filesContents', read) : notice('archiveContents', { archive, ...read })
}

type Outcomes = Omit<Contents, 'archive' | 'files' | 'records' | 'lines' | 'headers' | 'bytes'>

function outcomesOf({ withRecords, notRead, before, nothing, withoutRecords, lists, schemas }: Outcomes): Notice[] {
  return [
    notice('contentsWithRecords', { files: withRecords }),
    ...(notRead.length > 0
      ? [notice('contentsNotRead', { files: notRead.length, names: firstOf(notRead, MAX_NAMES) })]
      : []),
    ...(before > 0 ? [notice('contentsBefore', { files: before })] : []),
    ...(nothing.length > 0
      ? [notice('contentsNothing', { files: nothing.length, names: firstOf(nothing, MAX_NAMES) })]
      : []),
    ...(withoutRecords > 0 ? [notice('contentsWithoutRecords', { files: withoutRecords })] : []),
    ...(lists > 0 ? [notice('contentsLists', { files: lists })] : []),
    ...(schemas > 0 ? [notice('contentsSchemas', { files: schemas })] : []),
  ]
}
