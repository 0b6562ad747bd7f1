import { setTimeout as sleep } from 'node:timers/promises'
import type { Executor, Transaction } from '../../database/pool.ts'
import { errors } from '../../errors.ts'
import { at, notice } from '../../notices/notice.ts'
import { NoticedError } from '../../notices/noticed-error.ts'
import { noteWrite } from '../../objects/store.ts'
import { appPrincipal } from '../../scheduling/principal.ts'
import { isJsonObject, parseJson } from '../../values/json.ts'
import {
  addNotes,
  type Batch,
  type BatchOutcome,
  countedAs,
  type ImportState,
  type Item,
  isSamePosition,
  type Kind,
  NO_COUNTS,
  type Rejected,
  rejectedAs,
} from '../batch.ts'
import { boardWriter } from './board-writer.ts'
import { idWriter } from './compare-ids.ts'
import type { GrowingTables } from './growing-tables.ts'
import type { ImportApp } from './import-app.ts'
import type { ImportPace } from './import-pace.ts'
import { advance, findImport, type ImportKey, insertRejected } from './import-table.ts'
import type { BatchOrder, BatchSlot } from './in-order.ts'
import { inboxWriter } from './inbox-writer.ts'
import { messagingWriter } from './messaging/messaging-writer.ts'
import { objectWriter } from './objects/object-writer.ts'
import { type Outcome, readItems } from './read-items.ts'
import type { ReadingThreads } from './reading-threads.ts'
import type { RecentConflicts } from './recent-conflicts.ts'
import { type Member, parseMember, relationField, writeMembers } from './relation-rows.ts'
import { statisticWriter } from './statistic-writer.ts'
import type { Writer } from './writer.ts'

/** Kinds of batches that change objects of the class, or their relations. */
const WRITES_OBJECTS: ReadonlySet<Kind['kind']> = new Set(['objects', 'relations', 'files'])

/** Maximum milliseconds that the next batch waits for a vacuum in sequential mode. Most take a tenth of a second. */
const VACUUM_TIMEOUT_MS = 2000

/** The parts of a server that process batches. */
export interface ImportMeans {
  /** Read large batches. */
  readonly threads: ReadingThreads
  readonly pace: ImportPace
  readonly order: BatchOrder
  readonly recentConflicts: RecentConflicts
  readonly growing: GrowingTables
}

/** The batch does not start at the position of the import: it was already written, or another batch has advanced the import. */
export class MisplacedBatch extends NoticedError {
  override readonly name = 'MisplacedBatch'
  readonly state: ImportState

  constructor(state: ImportState) {
    super(notice('importMisplaced'))
    this.state = state
  }
}

/**
 * Writes the records of a batch and the position after them in one transaction, so that an interrupted batch leaves no trace. No
 * hook, live query or push is triggered.
 * @throws MisplacedBatch; ApiError when the class or the import is invalid; then nothing is written
 */
export function writeBatch(app: ImportApp, means: ImportMeans, importId: string, batch: Batch): Promise<BatchOutcome> {
  const { threads, pace, order, recentConflicts, growing } = means
  const key = { appId: app.id, importId }
  return order.run(`${app.id} ${importId}`, countedAs(batch.of), (slot) =>
    pace.keep(slot, async (isNarrow) => {
      // A batch whose predecessor is missing must not add fields either.
      const begin = async () => {
        await slot.ready
        if (!batch.dryRun) checkPosition(await findImport(app.objects.database, key), batch)
      }
      const isNew = !batch.dryRun && recentConflicts.expectsNone(nameOf(key, batch), NO_COUNTS)
      const writer = await writerOf(app, threads, batch, isNew, begin, isNarrow)
      const outcome = await writeInSequence(app, means, key, batch, writer, slot, isNarrow)
      if (!writer.table || batch.dryRun) return outcome
      const vacuumed = growing.grew(app.objects.database, writer.table, outcome.counts.created)
      if (isNarrow && vacuumed) await Promise.race([vacuumed, sleep(VACUUM_TIMEOUT_MS, undefined, { ref: false })])
      return outcome
    }),
  )
}

/** Returns the key under which conflicts of an import are remembered. */
function nameOf({ appId, importId }: ImportKey, { of }: Batch): string {
  return `${appId} ${importId} ${countedAs(of)}`
}

/** @throws MisplacedBatch; ApiError */
function checkPosition(state: ImportState | null, { from }: Batch): ImportState {
  if (!state) throw errors.notFound(notice('importMissing'))
  if (!isSamePosition(state.place, from)) throw new MisplacedBatch(state)
  return state
}

/**
 * Writes a batch that was read. Rows that are probably all new are sent to the database while the previous batch is being
 * committed, and are rolled back if this batch does not follow that one.
 */
async function writeInSequence(
  app: ImportApp,
  { recentConflicts }: ImportMeans,
  key: ImportKey,
  batch: Batch,
  { copy, write }: Writer,
  slot: BatchSlot,
  inPieces: boolean,
): Promise<BatchOutcome> {
  const name = nameOf(key, batch)
  if (batch.dryRun) return tryInSequence(app, batch, write, slot)
  await slot.near
  const isEarly = slot.near !== null && copy !== undefined && recentConflicts.expectsNone(name, NO_COUNTS)
  if (!isEarly) await slot.ready
  const outcome = await app.objects.database.backgroundTransaction(
    async (transaction) => {
      let isCopied = isEarly && (await copy(transaction))
      await slot.ready
      const state = checkPosition(await findImport(transaction, key, true), batch)
      const before = state.counts[countedAs(batch.of)] ?? NO_COUNTS
      if (!isEarly && copy && recentConflicts.expectsNone(name, before)) isCopied = await copy(transaction)
      // The remaining writes do not wait for rows that the next batch may copy.
      if (isCopied) slot.wrote()
      const outcome = outcomeOf(batch, await write(transaction, isCopied))
      recentConflicts.note(name, outcome.counts, before)
      slot.wrote()
      await insertRejected(transaction, key, outcome.rejected)
      await advance(transaction, key, state, batch.to, countedAs(batch.of), outcome.counts, outcome.notes, batch.mark)
      return outcome
    },
    appPrincipal(app.id),
    inPieces,
  )
  if (WRITES_OBJECTS.has(batch.of.kind)) noteWrite(app.objects, batch.of.className)
  return { ...outcome, rejected: [] }
}

async function tryInSequence(
  app: ImportApp,
  batch: Batch,
  write: Writer['write'],
  slot: BatchSlot,
): Promise<BatchOutcome> {
  await slot.ready
  let outcome: BatchOutcome | undefined
  try {
    await app.objects.database.backgroundTransaction(async (transaction) => {
      outcome = outcomeOf(batch, await write(transaction, false))
      throw new DryRun()
    }, appPrincipal(app.id))
  } catch (error) {
    if (!(error instanceof DryRun)) throw error
  }
  return outcome!
}

/** Thrown to roll back a dry run. */
class DryRun extends Error {}

/**
 * @param isNew whether all records are probably new, as far as known before the previous batches are written
 * @param begin resolves when the batch is the next one to write; reading before that changes nothing
 */
async function writerOf(
  app: ImportApp,
  threads: ReadingThreads,
  batch: Batch,
  isNew: boolean,
  begin: () => Promise<void>,
  inPieces: boolean,
): Promise<Writer> {
  switch (batch.of.kind) {
    case 'objects':
      return objectWriter(app, threads, batch, begin, inPieces)
    case 'messaging':
      return messagingWriter(app, threads, batch, isNew, inPieces)
    default: {
      const write = await plainWriterOf(app, batch)
      await begin()
      return { write }
    }
  }
}

function plainWriterOf(app: ImportApp, batch: Batch): Promise<(transaction: Transaction) => Promise<Outcome>> {
  switch (batch.of.kind) {
    case 'objects':
    case 'messaging':
      throw new Error('objects have a writer of their own')
    case 'relations':
      return memberWriter(app, batch)
    case 'files':
      return fileWriter(batch)
    case 'ids':
      return idWriter(app, batch)
    case 'boards':
      return boardWriter(app, batch)
    case 'inboxes':
      return inboxWriter(app, batch)
    case 'statistics':
      return statisticWriter(app, batch)
  }
}

async function memberWriter(app: ImportApp, { of, items, dryRun, source }: Batch) {
  if (of.kind !== 'relations') throw new Error('not a batch of relation members')
  const problem = await relationField(app.objects, of, dryRun)
  const { read, refused } = await readItems(items, (text): Member => {
    if (problem) throw problem
    return parseMember(text)
  })
  return async (transaction: Executor): Promise<Outcome> => {
    const created = await writeMembers(
      transaction,
      app,
      of,
      read.map(({ value }) => value),
      source,
    )
    return { counts: { created, updated: 0, existing: read.length - created }, refused, notes: [] }
  }
}

/** Counts files, whose bytes are already stored. Each item tells whether its bytes were new. */
async function fileWriter({ items }: Batch) {
  const { read, refused } = await readItems(items, (text) => {
    const line = parseJson(text, notice('theLine'))
    return isJsonObject(line) && line.isNew === true
  })
  const created = read.filter(({ value }) => value).length
  return async (): Promise<Outcome> => ({
    counts: { created, updated: 0, existing: read.length - created },
    refused,
    notes: [],
  })
}

function outcomeOf(batch: Batch, { counts, refused, notes }: Outcome): BatchOutcome {
  const { of, file, items, to } = batch
  const locationOf = ({ at }: Item) => `${file}:${at}`
  const noted = notes.map(({ item, note }) => ({
    notice: at(of.className, note),
    count: 1,
    examples: [locationOf(item)],
  }))
  const rejected: Rejected[] = refused
    .toSorted((a, b) => a.item.at - b.item.at)
    .map(({ item, reason }) => ({
      className: rejectedAs(of),
      field: of.kind === 'relations' ? of.field : null,
      place: locationOf(item),
      reason,
      text: item.text,
    }))
  return {
    place: to,
    counts: { ...NO_COUNTS, ...counts, read: items.length, rejected: rejected.length },
    rejected,
    notes: addNotes({}, noted),
  }
}
