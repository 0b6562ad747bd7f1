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
    if (!taken?.isWhole) return 'unread'
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
  const { archive, files } = contents
  const outcomes = outcomesText(contents)
  if (archive === null) return files === 1 ? `of 1 file, ${outcomes}` : `of ${files} files, ${outcomes}`
  return files === 1
    ? `${archive}: of 1 file in the archive, ${outcomes}`
    : `${archive}: of ${files} files in the archive, ${outcomes}`
}

/**
 * Each part is a sentence with those behind it, so that the console can translate them one by one. It looks for the longest
 * one first: so the longer ones stand in front.
 */
function outcomesText({ withRecords, records, lines, headers, bytes, ...counts }: Contents): string {
  const { withoutRecords, before, schemas, lists, nothing, notRead } = counts
  let others = ''
  if (schemas > 0) others = `, ${schemas} had schemas${others}`
  if (lists > 0) others = `, ${lists} listed files${others}`
  if (withoutRecords > 0) others = `, ${withoutRecords} had no records${others}`
  if (nothing.length > 0) others = `, ${nothing.length} had nothing to import (${shown(nothing)})${others}`
  if (before > 0) others = `, ${before} had been imported before${others}`
  if (notRead.length > 0) others = `, ${notRead.length} could not be read whole (${shown(notRead)})${others}`
  return `${withRecords} had records${others}; ${records} records, ${lines} lines, ${headers} headers and ${bytes} bytes were read`
}

function shown(names: readonly string[]): string {
  const more = names.length - MAX_NAMES
  return more > 0 ? `${names.slice(0, MAX_NAMES).join(', ')}, … (+${more})` : names.join(', ')
}
