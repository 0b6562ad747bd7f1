import { createHash } from 'node:crypto'
import {
  type Batch,
  type BatchOutcome,
  BEGINNING,
  countedAs,
  type ImportState,
  type Item,
  isSamePosition,
  type Kind,
  messagingTable,
  type OnConflict,
  type Position,
  socialRecords,
} from '../../import/batch.ts'
import type { RecordForm } from '../../import/forms/form.ts'
import type { ImportRecord } from '../../import/forms/record.ts'
import { hasRecords, recordGroupsOf } from '../../import/forms/records.ts'
import { sourceEntries } from '../../import/sources/entries.ts'
import { SourceFault } from '../../import/sources/source-fault.ts'
import { inEnglish } from '../../notices/in-english.ts'
import { at, type Notice } from '../../notices/notice.ts'
import { noticeOf } from '../../notices/noticed-error.ts'
import type { Management } from '../management.ts'
import { CHANGED, FileCount, lossOf, type TakenFile } from './contents.ts'
import { Faults, NamedClasses } from './faults.ts'
import { giveWay } from './give-way.ts'
import { BATCH_ITEMS, BATCH_SIZE, sendBatch } from './send-batch.ts'
import type { Surveyed } from './survey.ts'

/** The help text of the flag `--strict`. */
export const STRICT =
  'reject records with invalid values, such as a GeoPoint without coordinates, instead of storing null'

export interface SendOptions {
  readonly management: Management
  /** The path of the app's imports in the management API. */
  readonly path: string
  readonly onConflict: OnConflict
  /** Rejects records with invalid values; otherwise null is stored for these values. */
  readonly strict: boolean
  readonly dryRun: boolean
  /** Restarts from the beginning instead of resuming. */
  readonly again: boolean
  /** Returns whether to send records of a kind; absent: all are sent. */
  readonly isWanted?: (of: Kind) => boolean
  /** Called with the number of bytes of each read. */
  readonly onRead: (bytes: number) => void
  /** Called when a batch is written. */
  readonly onBatch: (batch: Batch, outcome: BatchOutcome) => Promise<void>
}

/** The result of sending a source. The server stores the counts. */
export interface Sent {
  readonly importId: string
  /** Whether the source had already been imported completely. */
  readonly wasDone: boolean
  /** The position from which the import resumed; null when it started. */
  readonly wentOnAt: Position | null
  /** Parts that could not be read. */
  readonly faults: readonly Notice[]
  /** The counts of files with records, by their index, including files that were imported before. */
  readonly taken: ReadonlyMap<number, TakenFile>
  /** Classes that headers within files name, which may have no objects. */
  readonly declared: ReadonlySet<string>
}

/**
 * Sends the records of a file to the server in batches, starting at the position that the server has reached.
 * @throws Error with one line for the user
 */
export async function send(surveyed: Surveyed, options: SendOptions): Promise<Sent> {
  const { file, entries } = surveyed
  const importId = importIdOf(surveyed, options)
  const path = `${options.path}/${importId}`
  const state = options.dryRun
    ? null
    : ((await options.management.request('PUT', path, { source: file.name, again: options.again })) as ImportState)
  if (state?.isDone)
    return { importId, wasDone: true, wentOnAt: null, faults: [], taken: new Map(), declared: new Set() }
  const begin = state?.place ?? BEGINNING
  const outgoing = new Outgoing(path, begin, options)
  const faults = new Faults()
  const named = new NamedClasses()
  const taken = new Map<number, TakenFile>()
  const declared = new Set<string>()
  try {
    let index = 0
    for await (const { name, reader } of sourceEntries(file.path, file.name, options.onRead)) {
      const entry = entries[index]
      if (entry && hasRecords(entry.form)) {
        // Records that were imported before are read again to report their faults, because the server does not store these.
        const done = index < begin.entry ? Number.POSITIVE_INFINITY : index === begin.entry ? begin.record : 0
        const count = new FileCount(reader)
        const before = faults.count
        try {
          await sendRecords(outgoing, { index, name, form: entry.form, done, count, faults, named, declared })
          for (const lost of lossOf(entry, count.taken(true))) faults.add(lost)
        } catch (error) {
          faults.add(at(name, faultOf(error)))
        }
        taken.set(index, count.taken(faults.count === before))
      }
      index++
    }
    if (index !== entries.length) faults.add(CHANGED)
  } catch (error) {
    const fault = faultOf(error)
    if (!isAmong(faults, fault)) faults.add(fault)
  }
  await outgoing.finish()
  // An import with faults is not marked as done, so that the next run reads the source again and reports the faults.
  if (!options.dryRun && faults.count === 0) await options.management.request('POST', `${path}/end`, {})
  return {
    importId,
    wasDone: false,
    wentOnAt: isSamePosition(begin, BEGINNING) ? null : begin,
    faults: [...faults],
    taken,
    declared,
  }
}

/** Returns whether a fault of an archive was already reported for one of its files. */
export function isAmong(faults: Faults, fault: Notice): boolean {
  return [...faults].some((known) => inEnglish(known).endsWith(inEnglish(fault)))
}

/** Returns how the file is damaged. @throws the error when the file is not the cause */
export function faultOf(error: unknown): Notice {
  if (error instanceof SourceFault || (error as { code?: unknown }).code === 'EIO') return noticeOf(error)
  throw error
}

/** Returns the id of an import. A source is identified by name, size and beginning, and by how it is read. */
function importIdOf({ file, entries }: Surveyed, { onConflict, strict }: SendOptions): string {
  const of = entries.map(({ form }) => ('of' in form ? form.of : form.form))
  const encodings = entries.flatMap(({ form }) => ('encoding' in form && form.encoding ? [form.encoding] : []))
  return createHash('sha256')
    .update(JSON.stringify([file.digest, onConflict, of, ...(strict ? ['strict'] : []), ...encodings]))
    .digest('hex')
}

/** A file of a source, of which some records may have been sent before. */
interface Sending {
  readonly index: number
  readonly name: string
  readonly form: RecordForm
  /** Number of records that were sent before. */
  readonly done: number
  readonly count: FileCount
  readonly faults: Faults
  readonly named: NamedClasses
  readonly declared: Set<string>
}

async function sendRecords(
  outgoing: Outgoing,
  { index: entry, name, form, done, count, faults, named, declared }: Sending,
): Promise<void> {
  let record = 0
  for await (const group of recordGroupsOf(form, count.reader)) {
    for (const one of group) {
      record++
      count.add(one)
      const of = kindOf(form, one)
      // Reported even if it was read before, because the server does not store faults.
      if (!of) faults.add(at(`${name}:${one.at}`, one.reason!))
      // The form of a file names one class, or a few.
      else if (one.form || one.of) named.add(countedAs(of))
      if (one.isHeader && of?.kind === 'objects') declared.add(of.className)
      if (record <= done || !of || one.isHeader || !outgoing.isWanted(of)) continue
      // Usually there is nothing to await, which matters with millions of records.
      if (outgoing.hasToSend(of, name, one)) await outgoing.send()
      outgoing.add(of, name, { entry, record }, one)
    }
  }
}

/** Returns the kind that a record is sent as; null when it belongs to no class. @param first the form of its file */
export function kindOf(first: RecordForm, { of, form = first }: ImportRecord): Kind | null {
  if (form === null || form.form === 'lists') return null
  if (form.form === 'rejected') {
    if (!of) return null
    const { className, field } = of
    const social = socialRecords(className)
    if (social) return social
    const table = messagingTable(className)
    if (table) return { kind: 'messaging', className: `messaging-${table}` }
    return field === null ? { kind: 'objects', className } : { kind: 'relations', className, field, targetClass: null }
  }
  if (isOfMessaging(form)) return { kind: 'messaging', ...form.of }
  if (form.form === 'board lines') return { kind: 'boards', ...form.of }
  if (form.form === 'inbox lines') return { kind: 'inboxes', ...form.of }
  if (form.form === 'statistic lines') return { kind: 'statistics', ...form.of }
  return 'field' in form.of ? { kind: 'relations', ...form.of } : { kind: 'objects', ...form.of }
}

function isOfMessaging(form: RecordForm): form is Extract<RecordForm, { form: `messaging ${string}` }> {
  return form.form.startsWith('messaging')
}

/** Maximum concurrent batches: one is committed, one written, one read on the server, and one in transit. */
const AT_A_TIME = 4

/** Characters from which an import yields to other work. A smaller one ends before anyone notices. */
const LARGE = 32 * 1024 * 1024

/** Collects records into batches, and sends batches while the next one is collected. */
class Outgoing {
  readonly #path: string
  readonly #options: SendOptions
  #from: Position
  #to: Position
  #of: Kind | null = null
  #file = ''
  #items: Item[] = []
  #size = 0
  #sent = 0
  /** In order; each resolves after the ones before it. */
  #underWay: { readonly to: Position; readonly written: Promise<void> }[] = []

  constructor(path: string, from: Position, options: SendOptions) {
    this.#path = path
    this.#from = from
    this.#to = from
    this.#options = options
  }

  isWanted(of: Kind): boolean {
    return this.#options.isWanted?.(of) ?? true
  }

  /** Returns whether the collected records must be sent before a record can be added. */
  hasToSend(of: Kind, file: string, { text }: ImportRecord): boolean {
    if (this.#items.length === 0) return false
    const isFull = this.#items.length >= BATCH_ITEMS || this.#size + text.length > BATCH_SIZE
    return isFull || this.#file !== file || !isSameKind(this.#of, of)
  }

  add(of: Kind, file: string, position: Position, { at, text, notes, reason }: ImportRecord): void {
    this.#of = of
    this.#file = file
    this.#to = position
    this.#items.push({ at, text, notes, reason })
    this.#size += text.length
  }

  /** Sends the collected records when few enough batches are in progress. @throws the error of an earlier batch */
  async send(): Promise<void> {
    if (this.#underWay.length === AT_A_TIME) {
      await this.#underWay[0]!.written
      this.#underWay = this.#underWay.slice(1)
    }
    if (!this.#of || this.#items.length === 0) return
    const { onConflict, strict, dryRun } = this.#options
    const file = this.#file.slice(-1000)
    const way = { onConflict, ...(strict && { strict }), dryRun }
    const batch: Batch = { of: this.#of, file, from: this.#from, to: this.#to, items: this.#items, ...way }
    this.#from = this.#to
    const isFirstOfLarge = this.#sent < LARGE && this.#sent + this.#size >= LARGE
    if (isFirstOfLarge) giveWay()
    this.#sent += this.#size
    this.#items = []
    this.#size = 0
    const written = this.#send(batch, this.#underWay.at(-1)?.written ?? Promise.resolve())
    // The failure is thrown to the next caller that awaits it.
    written.catch(() => {})
    this.#underWay = [...this.#underWay, { to: batch.to, written }]
  }

  async finish(): Promise<void> {
    await this.send()
    await this.#underWay.at(-1)?.written
  }

  async #send(batch: Batch, before: Promise<void>): Promise<void> {
    const { management, onBatch } = this.#options
    const hasReached = (position: Position) => {
      const ends = this.#underWay.map(({ to }) => to)
      return ends
        .slice(ends.findIndex((to) => isSamePosition(to, batch.to)) + 1)
        .some((to) => isSamePosition(to, position))
    }
    const outcome = await sendBatch(management, this.#path, batch, { before, hasReached })
    await before
    if (outcome) await onBatch(batch, outcome)
  }
}

function isSameKind(a: Kind | null, b: Kind): boolean {
  return a === b || (a !== null && a.kind === b.kind && countedAs(a) === countedAs(b))
}
