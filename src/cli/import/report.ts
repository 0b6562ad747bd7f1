import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { reserveOfCommand } from '../../disk-reserve.ts'
import { addCounts, type Counts, type ImportState, NO_COUNTS, type Notes, type Rejected } from '../../import/batch.ts'
import { REJECTED_COMMENT, rejectedLine } from '../../import/forms/rejected.ts'
import type { ImportReport } from '../../moves/move-report.ts'
import { inEnglish } from '../../notices/in-english.ts'
import { type Notice, notice, storedNotice, textNotice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'
import { ownMember } from '../../values/json.ts'
import type { Management } from '../management.ts'
import { printable } from '../printable.ts'
import type { NewClass } from './class-notices.ts'
import { type Contents, contentsNotice } from './contents.ts'
import type { Rewritten } from './rewrite-urls.ts'

/** The report of an import. */
export interface Report {
  readonly dryRun: boolean
  /** By class, or by class and relation field. */
  readonly counts: { readonly [countedAs: string]: Counts }
  /** Number of objects in the app after the import, by class. */
  readonly objectsHere: { readonly [className: string]: number }
  /** Changes that were made to records. */
  readonly notes: Notes
  /** Why records were rejected, by class or relation. */
  readonly reasons: readonly RejectedReason[]
  /** Files, or parts of them, that could not be read or have no known form. */
  readonly notUnderstood: readonly Notice[]
  /** Parts of the schema that were skipped, or could not be applied. */
  readonly schema?: readonly Notice[]
  /** Classes that did not exist before and are named after a file. */
  readonly newClasses?: readonly NewClass[]
  /** The files read, as listed by their archives; absent for a pull. */
  readonly contents?: readonly Contents[]
  /**
   * For a pull with comparison, by class or relation: objects deleted at the source that were removed here, or why they were
   * kept.
   */
  readonly removed?: { readonly [name: string]: Removals }
  /** Further remarks. */
  readonly remarks?: readonly Notice[]
  /** The result of rewriting URLs in texts; null when they were not rewritten. */
  readonly rewritten?: Rewritten | null
  /** Number of rejected records. */
  readonly rejected: number
}

export interface RejectedReason {
  /** Class, or class and relation field. */
  readonly name: string
  readonly reason: Notice
  readonly count: number
}

/** Maximum distinct reasons. Reasons contain names from the data, so their number is otherwise unbounded. */
const MAX_REASONS = 100
/** Maximum reasons in the text, which begins with the most frequent ones. */
const MAX_SHOWN_REASONS = 20

interface Removals {
  readonly removed: number
  /** Objects that were kept because they were changed here later. */
  readonly kept: number
  /** Why nothing was removed; null otherwise. */
  readonly refusal: Notice | null
}

/** Returns the sum of two counts, by class in the order of names. */
export function sumOfCounts(a: ImportState['counts'], b: ImportState['counts']): ImportState['counts'] {
  const sums = new Map(Object.entries(a))
  for (const [name, one] of Object.entries(b)) sums.set(name, addCounts(sums.get(name) ?? NO_COUNTS, one))
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * The file of rejected records, which can be corrected and imported. It appears when it is complete, and only its owner can read
 * it, because it may contain password hashes and session tokens.
 */
export class RejectedFile {
  readonly #path: string
  readonly #stream: WriteStream
  #fault: Error | null = null
  count = 0
  readonly #reasons = new Map<string, { readonly name: string; readonly reason: Notice; count: number }>()

  private constructor(path: string) {
    this.#path = path
    this.#stream = createWriteStream(`${path}.part`, { mode: 0o600 })
    // Thrown by the next write, or at the end.
    this.#stream.on('error', (error) => {
      this.#fault = error
    })
    this.#stream.write(REJECTED_COMMENT)
  }

  static async open(directory: string): Promise<RejectedFile> {
    await mkdir(directory, { recursive: true })
    return new RejectedFile(join(directory, 'rejected.jsonl'))
  }

  /** @throws Error with one line for the user when it cannot be written */
  async write(rejected: readonly Rejected[]): Promise<void> {
    this.count += rejected.length
    try {
      for (const one of rejected) {
        this.#note(one)
        if (this.#fault) throw this.#fault
        const line = rejectedLine(one)
        await reserveOfCommand().take(dirname(this.#path), Buffer.byteLength(line))
        if (!this.#stream.write(line)) await once(this.#stream, 'drain')
      }
    } catch (error) {
      throw cannotWrite(this.#path, error)
    }
  }

  /** Returns the reasons, the most frequent first. */
  get reasons(): readonly RejectedReason[] {
    return [...this.#reasons.values()].sort((a, b) => b.count - a.count)
  }

  #note({ className, field, reason: said }: Rejected): void {
    const name = field === null ? className : `${className}.${field}`
    const key = `${name}\n${storedNotice(said)}`
    const isKnown = this.#reasons.has(key) || this.#reasons.size < MAX_REASONS
    const [as, reason] = isKnown ? [key, said] : [name, notice('furtherReasons')]
    const known = this.#reasons.get(as)
    if (known) known.count++
    else this.#reasons.set(as, { name, reason, count: 1 })
  }

  /** Writes all rejected records that the server stores for an import. */
  async writeAllOf({ request }: Management, importPath: string): Promise<void> {
    for (let after = 0; ; ) {
      const page = (await request('GET', `${importPath}/rejected?after=${after}`)) as {
        rejected: Rejected[]
        last: number
      }
      if (page.rejected.length === 0) return
      await this.write(page.rejected)
      after = page.last
    }
  }

  async close(): Promise<void> {
    try {
      if (this.#fault) throw this.#fault
      this.#stream.end()
      await finished(this.#stream)
      await rename(`${this.#path}.part`, this.#path)
    } catch (error) {
      throw cannotWrite(this.#path, error)
    }
  }
}

/** Returns an error with one line for the user, for example when the disk is full. */
function cannotWrite(path: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException
  return new NoticedError(
    notice('cannotWrite', { file: path, reason: code === 'ENOSPC' ? notice('diskIsFull') : textNotice(message) }),
  )
}

export async function writeReport(directory: string, report: Report): Promise<void> {
  await writeFile(join(directory, 'report.json'), `${JSON.stringify(reportJson(report), null, 2)}\n`)
  await writeFile(join(directory, 'report.txt'), reportText(report))
}

/** Returns the report with English texts and, in `data`, with notices. */
function reportJson(report: Report): object {
  const { notUnderstood, schema, remarks } = report
  return {
    ...report,
    reasons: report.reasons.map((one) => ({ ...one, reason: inEnglish(one.reason) })),
    notUnderstood: notUnderstood.map(inEnglish),
    schema: schema?.map(inEnglish),
    remarks: remarks?.map(inEnglish),
    removed:
      report.removed &&
      Object.fromEntries(
        Object.entries(report.removed).map(([name, one]) => [
          name,
          { ...one, refusal: one.refusal === null ? null : inEnglish(one.refusal) },
        ]),
      ),
    data: importReport(report),
  }
}

/** Returns the report for a page of the console. */
export function importReport({
  counts,
  objectsHere,
  notes,
  reasons,
  notUnderstood,
  schema = [],
  newClasses = [],
  removed = {},
  remarks = [],
  contents = [],
  ...report
}: Report): ImportReport {
  const { dryRun, rewritten = null } = report
  return {
    kind: 'brought',
    dryRun,
    counts: Object.entries(counts).map(([name, one]) => ({ name, ...one, here: ownMember(objectsHere, name) ?? null })),
    notes: Object.values(notes),
    reasons,
    notUnderstood,
    schema,
    newClasses,
    remarks: [...contents.map(contentsNotice), ...remarks],
    removed: Object.entries(removed).map(([name, one]) => ({ name, ...one })),
    rewritten: rewritten && {
      ...rewritten,
      counts: Object.entries(rewritten.counts).map(([name, { changed, urls }]) => ({ name, texts: changed, urls })),
    },
  }
}

/** Returns the report as plain text. */
export function reportText({
  dryRun,
  counts,
  objectsHere,
  notes,
  reasons,
  notUnderstood,
  schema = [],
  newClasses = [],
  removed,
  remarks = [],
  contents = [],
  rewritten = null,
  rejected,
}: Report): string {
  const rows = Object.entries(counts).map(([name, one]) => [
    name,
    ...[one.read, one.created, one.updated, one.existing, one.rejected].map(String),
    String(ownMember(objectsHere, name) ?? ''),
  ])
  const created = dryRun ? 'would be created' : 'created'
  const table = [['Class', 'read', created, 'updated', 'existing', 'rejected', 'objects in app'], ...rows]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  const lines = table.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '),
  )
  const noted = Object.values(notes).map(
    ({ notice, count, examples }) =>
      `  ${count} × ${inEnglish(notice)} (${examples.slice(0, 3).join(', ')}${count > 3 ? ', …' : ''})`,
  )
  const removals = Object.entries(removed ?? {}).flatMap(([name, one]) => removalText(name, one))
  return printable(
    [
      ...(rows.length > 0 ? lines : ['No records found.']),
      ...(noted.length > 0 ? ['', 'Notes:', ...noted] : []),
      ...(reasons.length > 0 ? ['', 'Rejected:', ...reasons.slice(0, MAX_SHOWN_REASONS).map(reasonText)] : []),
      ...(notUnderstood.length > 0 ? ['', 'Not read:', ...notUnderstood.map((one) => `  ${inEnglish(one)}`)] : []),
      ...(newClasses.length > 0
        ? ['', 'New classes named after a file:', ...newClasses.map(({ name, file }) => `  ${name} (${file})`)]
        : []),
      ...(schema.length > 0 ? ['', 'Not applied from the schema:', ...schema.map((one) => `  ${inEnglish(one)}`)] : []),
      ...(contents.length > 0
        ? ['', 'Files read:', ...contents.map((one) => `  ${inEnglish(contentsNotice(one))}`)]
        : []),
      ...(removals.length > 0 ? ['', 'Deleted in the source:', ...removals] : []),
      ...(rewritten ? ['', ...rewrittenText(rewritten)] : []),
      ...(rejected > 0 ? ['', inEnglish(notice('recordsRejected', { records: rejected }))] : []),
      ...(remarks.length > 0 ? ['', ...remarks.map(inEnglish)] : []),
      '',
    ].join('\n'),
  )
}

function reasonText({ name, reason, count }: RejectedReason): string {
  return `  ${count} × ${name}: ${inEnglish(reason)}`
}

function rewrittenText({ base, places, counts }: Rewritten): string[] {
  const from = places.length > 0 ? places.join(', ') : 'no known host (set --old-domain)'
  const lines = Object.entries(counts).map(
    ([name, { changed, urls }]) =>
      `  ${name}: ${urls} ${urls === 1 ? 'URL' : 'URLs'} in ${changed} ${changed === 1 ? 'text' : 'texts'}`,
  )
  return [`File URLs in texts, rewritten from ${from} to ${base}:`, ...(lines.length > 0 ? lines : ['  none'])]
}

function removalText(name: string, { removed, kept, refusal }: Removals): string[] {
  if (refusal !== null) return [`  ${name}: ${inEnglish(refusal)}`]
  if (removed + kept === 0) return []
  return [`  ${name}: ${removed} removed${kept > 0 ? `, ${kept} kept because they were changed in the app later` : ''}`]
}
