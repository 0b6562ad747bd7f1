import type { Form } from '../../import/forms/form.ts'
import type { ImportRecord } from '../../import/forms/record.ts'
import { hasRecords } from '../../import/forms/records.ts'
import type { ByteReader } from '../../import/sources/byte-reader.ts'
import { type ContentCounts, CountedContent } from '../../import/sources/counted-content.ts'
import type { Surveyed, SurveyedEntry } from './survey.ts'

/** The fault of a source that has other files than when it was looked at first. */
export const CHANGED = 'it has changed while it was read: run the command again'

/** What was read of a file with records. */
export interface TakenFile extends ContentCounts {
  readonly records: number
  /** Lines behind headers of other types, which are named. */
  readonly skipped: number
  readonly isWhole: boolean
}

/** What was read of a file that was named, or of all that are no archives together. */
export interface Contents {
  /** The archive; null for files that are no archives. */
  readonly archive: string | null
  /** Files, as the directory of the archive lists them. They are counted once below. */
  readonly files: number
  readonly withRecords: number
  readonly withoutRecords: number
  /** Files with records that had been imported before, and were not read again. */
  readonly before: number
  readonly schemas: number
  readonly lists: number
  /** Files of systems, empty ones, and others without anything to import, by name. */
  readonly nothing: readonly string[]
  readonly notRead: readonly string[]
  readonly records: number
  readonly lines: number
  readonly headers: number
  readonly bytes: number
}

/** Counts what is read of a file, and compares it with what its archive says of it. */
export class FileCount {
  readonly #content: CountedContent
  #records = 0
  #skipped = 0

  constructor(reader: ByteReader) {
    this.#content = new CountedContent(reader)
  }

  /** To be read in place of the reader that is counted. */
  get reader(): ByteReader {
    return this.#content.reader
  }

  add({ form, skipped = 0, isHeader = false }: ImportRecord): void {
    if (isHeader) return
    if (form === null) this.#skipped += skipped
    else this.#records++
  }

  /** @param isWhole whether reading has met no fault */
  taken(isWhole: boolean): TakenFile {
    return { ...this.#content.counts, records: this.#records, skipped: this.#skipped, isWhole }
  }
}

/** What of a file was lost without a fault of its reader. It has read the file to its end. */
export function lossOf({ name, size, form }: SurveyedEntry, { bytes, lines, records, skipped }: TakenFile): string[] {
  const lost: string[] = []
  if (size !== null && bytes !== size)
    lost.push(`${name}: ${bytes} bytes of it were read, and its archive lists ${size}`)
  const isLines = form.form === 'rejected' || form.form.endsWith('lines')
  if (isLines && lines !== null && lines !== records + skipped)
    lost.push(`${name}: it has ${lines} lines, and ${records + skipped} of them were read`)
  return lost
}

/** @param read what was read of the files with records, by their index; null where they had been imported before */
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
    withRecords: namesOf('with records').length,
    withoutRecords: namesOf('without records').length,
    before: namesOf('before').length,
    schemas: namesOf('schema').length,
    lists: namesOf('list').length,
    nothing: namesOf('nothing'),
    notRead: namesOf('not read'),
    records: sum('records'),
    lines: sum('lines'),
    headers: sum('headers'),
    bytes: sum('bytes'),
  }
}

type Outcome = 'with records' | 'before' | 'without records' | 'schema' | 'list' | 'nothing' | 'not read'

function outcomeOf(form: Form, taken: TakenFile | undefined): Outcome {
  if (hasRecords(form)) {
    if (!taken?.isWhole) return 'not read'
    return taken.records > 0 ? 'with records' : 'without records'
  }
  switch (form.form) {
    case 'schema':
      return 'schema'
    case 'files':
      return 'list'
    case 'nothing':
      return 'nothing'
    case 'unknown':
      return 'not read'
  }
}

/** Archives one by one, and all other files together. */
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

/** Names that a line can hold. */
const MAX_NAMES = 5

/** A line for people: `export.tar.gz: of 7 files in the archive, 6 had records, …`. */
export function contentsText(contents: Contents): string {
  const { archive, files, withRecords, withoutRecords, before, schemas, lists, nothing, notRead } = contents
  const parts = [
    `${withRecords} had records`,
    ...counted(withoutRecords, 'had no records'),
    ...counted(before, before === 1 ? 'was imported before' : 'were imported before'),
    ...counted(schemas, schemas === 1 ? 'was a schema' : 'were schemas'),
    ...counted(lists, lists === 1 ? 'was a list of files' : 'were lists of files'),
    ...counted(nothing.length, `had nothing to import (${shown(nothing)})`),
    ...counted(notRead.length, `could not be read whole (${shown(notRead)})`),
  ]
  const { records, lines, headers, bytes } = contents
  const of = `of ${files} ${files === 1 ? 'file' : 'files'}${archive === null ? '' : ' in the archive'}`
  const read = `${records} records, ${lines} lines, ${headers} headers and ${bytes} bytes were read`
  return `${archive === null ? '' : `${archive}: `}${of}, ${parts.join(', ')}; ${read}`
}

function counted(count: number, text: string): string[] {
  return count > 0 ? [`${count} ${text}`] : []
}

function shown(names: readonly string[]): string {
  const more = names.length - MAX_NAMES
  return `${names.slice(0, MAX_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
