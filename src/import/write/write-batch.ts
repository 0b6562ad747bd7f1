import { isRefusal } from '../../database/faults.ts'
import type { Executor, Transaction } from '../../database/pool.ts'
import { raw } from '../../database/sql.ts'
import { ApiError, errors } from '../../errors.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import { noteWrite } from '../../objects/store.ts'
import { isJsonObject, parseJson } from '../../values/json.ts'
import {
  addNotes,
  type Batch,
  type BatchOutcome,
  countedAs,
  type ImportState,
  type Item,
  isSamePlace,
  type Kind,
  NO_COUNTS,
  type Notes,
  type Rejected,
  rejectedAs,
} from '../batch.ts'
import { boardWriter } from './board-writer.ts'
import { idWriter } from './compare-ids.ts'
import { type Fitting, fitToClass } from './field-types.ts'
import type { ImportApp } from './import-app.ts'
import { advance, findImport, type ImportKey, insertRejected } from './import-table.ts'
import { inOrder } from './in-order.ts'
import { inboxWriter } from './inbox-writer.ts'
import { messagingWriter } from './messaging/messaging-writer.ts'
import { copyObjects, withoutRepeated, writeObjects } from './object-rows.ts'
import { type ImportedObject, parseObject } from './parse-object.ts'
import { noteSeen } from './pulled-rows.ts'
import { type Outcome, readItems } from './read-items.ts'
import { reasonOf } from './reason.ts'
import { type Member, parseMember, relationField, writeMembers } from './relation-rows.ts'
import { statisticWriter } from './statistic-writer.ts'
import { fillLogins, writeLogins } from './user-rows.ts'
import { type Refused, writeOrSplit } from './write-or-split.ts'

/** Kinds of batches that change objects of the class, or their relations. */
const WRITES_OBJECTS: ReadonlySet<Kind['kind']> = new Set(['objects', 'relations', 'files'])

/** The batch does not begin where the import is: it was written already, or another one has gone on. */
export class MisplacedBatch extends Error {
  readonly state: ImportState

  constructor(state: ImportState) {
    super('the import is at another place')
    this.name = 'MisplacedBatch'
    this.state = state
  }
}

/**
 * Writes the records of a batch and the place behind them, in one transaction: whenever it is cut off, all of it is there or
 * nothing. No hook, live query or push hears of it.
 * @throws MisplacedBatch; ApiError when the class or the import cannot be; nothing is written then
 */
export function writeBatch(app: ImportApp, importId: string, batch: Batch): Promise<BatchOutcome> {
  const key = { appId: app.id, importId }
  return inOrder(`${app.id} ${importId}`, async (turn) => {
    // A batch of which the one before is missing may add no field either.
    const begin = async () => {
      await turn()
      if (!batch.dryRun) checkPlace(await findImport(app.objects.database, key), batch)
    }
    return writeInTurn(app, key, batch, await writerOf(app, batch, begin))
  })
}

/** @throws MisplacedBatch; ApiError */
function checkPlace(state: ImportState | null, { from }: Batch): ImportState {
  if (!state) throw errors.notFound('There is no such import; begin it first.')
  if (!isSamePlace(state.place, from)) throw new MisplacedBatch(state)
  return state
}

async function writeInTurn(app: ImportApp, key: ImportKey, batch: Batch, write: Writer): Promise<BatchOutcome> {
  let outcome: BatchOutcome | undefined
  try {
    await app.objects.database.transaction(async (transaction) => {
      if (batch.dryRun) {
        outcome = outcomeOf(batch, await write(transaction, false))
        throw new DryRun()
      }
      const state = checkPlace(await findImport(transaction, key, true), batch)
      outcome = outcomeOf(batch, await write(transaction, !hasMet(state, batch)))
      await insertRejected(transaction, key, outcome.rejected)
      await advance(transaction, key, state, batch.to, countedAs(batch.of), outcome.counts, outcome.notes, batch.mark)
    })
  } catch (error) {
    if (!(error instanceof DryRun)) throw error
    return outcome!
  }
  if (WRITES_OBJECTS.has(batch.of.kind)) noteWrite(app.objects, batch.of.className)
  return { ...outcome!, rejected: [] }
}

/** Takes back what a dry run has tried. */
class DryRun extends Error {}

/** Whether an import has met objects that were here already. */
function hasMet({ counts }: ImportState, { of }: Batch): boolean {
  const { existing, updated } = counts[countedAs(of)] ?? NO_COUNTS
  return existing + updated > 0
}

/** @param isNew probably none of the objects is here yet */
type Writer = (transaction: Transaction, isNew: boolean) => Promise<Outcome>

/** @param begin resolves when the batch has its turn; what is read before changes nothing */
async function writerOf(app: ImportApp, batch: Batch, begin: () => Promise<void>): Promise<Writer> {
  if (batch.of.kind === 'objects') return objectWriter(app, batch, begin)
  const writer = await otherWriterOf(app, batch)
  await begin()
  return writer
}

function otherWriterOf(app: ImportApp, batch: Batch): Promise<Writer> {
  switch (batch.of.kind) {
    case 'objects':
      throw new Error('objects have a writer of their own')
    case 'relations':
      return memberWriter(app, batch)
    case 'files':
      return fileWriter(batch)
    case 'messaging':
      return messagingWriter(app, batch)
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

async function objectWriter(
  app: ImportApp,
  { of, items, onConflict, dryRun, source }: Batch,
  begin: () => Promise<void>,
): Promise<Writer> {
  const { className } = of
  const now = new Date().toISOString()
  const { read, refused } = await readItems(items, (text) => parseObject(className, text, now))
  const given = read.map(({ item, value }) => ({ item, object: value }))
  await begin()
  const { fitting, unfit, schema } = await fitToClass(app.objects, className, given, dryRun).catch(
    (error: unknown): Fitting<(typeof given)[number]> => {
      // There can be no such class: then each of its records is told of.
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      return { fitting: [], unfit: given.map((one) => ({ given: one, error })), schema: null }
    },
  )
  const misfits = unfit.map(({ given: { item }, error }) => ({ item, reason: error.message }))
  const single = withoutRepeated(fitting, onConflict)
  const repeated = fitting.length - single.length
  return async (transaction, isNew) => {
    const { results, refused: faulty } = schema
      ? ((isNew ? await copyAll(app, transaction, schema, single) : null) ??
        (await writeOrSplit(transaction, single, (rows) => writeRows(app, transaction, schema, rows, onConflict))))
      : { results: single.map(() => ({ isNew: true })), refused: [] }
    const created = results.filter(({ isNew }) => isNew).length
    const lost = new Set(faulty.map(({ row }) => row))
    if (schema && source !== undefined) {
      const seen = single.filter((one) => !lost.has(one)).map(({ object }) => object)
      await noteSeen(transaction, app, source, schema, seen)
    }
    return {
      counts: {
        created,
        updated: results.length - created,
        existing: single.length - faulty.length - results.length + repeated,
      },
      refused: [
        ...refused,
        ...misfits,
        ...faulty.map(({ row, error }) => ({ item: row.item, reason: reasonOf(error) })),
      ],
      notes: single
        .filter((one) => (one.item.notes !== undefined || one.object.notes.length > 0) && !lost.has(one))
        .flatMap(({ item, object }) => [...(item.notes ?? []), ...object.notes].map((text) => ({ item, text }))),
    }
  }
}

/**
 * Writes objects as if none of them were here yet.
 * @returns null where one is, or something else is refused: then nothing is written
 */
async function copyAll(
  app: ImportApp,
  transaction: Transaction,
  schema: ClassSchema,
  rows: readonly { readonly item: Item; readonly object: ImportedObject }[],
) {
  if (rows.length === 0) return null
  const objects = rows.map(({ object }) => object)
  await transaction.query(raw('SAVEPOINT new_rows_of_import'))
  try {
    const results = await copyObjects(transaction, schema, objects)
    if (schema.name === '_User') await writeLogins(transaction, app.accounts, objects)
    await transaction.query(raw('RELEASE SAVEPOINT new_rows_of_import'))
    const refused: Refused<(typeof rows)[number]>[] = []
    return { results, refused }
  } catch (error) {
    if (!isRefusal(error)) throw error
    await transaction.query(raw('ROLLBACK TO SAVEPOINT new_rows_of_import'))
    await transaction.query(raw('RELEASE SAVEPOINT new_rows_of_import'))
    return null
  }
}

async function writeRows(
  app: ImportApp,
  transaction: Executor,
  schema: ClassSchema,
  rows: readonly { readonly object: ImportedObject }[],
  onConflict: Batch['onConflict'],
) {
  const objects = rows.map(({ object }) => object)
  const written = await writeObjects(transaction, schema, objects, onConflict)
  if (schema.name !== '_User') return written
  const ids = new Set(written.map(({ id }) => id))
  await writeLogins(
    transaction,
    app.accounts,
    objects.filter(({ id }) => ids.has(id)),
  )
  const staying = onConflict === 'newer' ? objects.filter(({ id }) => !ids.has(id)) : []
  const filled = await fillLogins(transaction, app.accounts, schema.table, staying)
  const replaced = [...written.filter(({ isNew }) => !isNew), ...filled.map((id) => ({ id, isNew: false }))]
  transaction.afterCommit(() => {
    for (const { id } of replaced) void app.accounts.sessions.forget(id)
  })
  return [...written, ...filled.map((id) => ({ id, isNew: false }))]
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

/** The bytes are stored already: it is only counted. An item says whether they were not here before. */
async function fileWriter({ items }: Batch) {
  const { read, refused } = await readItems(items, (text) => {
    const line = parseJson(text, 'The line')
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
  const placeOf = ({ at }: Item) => `${file}:${at}`
  let noted: Notes = {}
  for (const { item, text } of notes)
    noted = addNotes(noted, { [`${of.className}: ${text}`]: { count: 1, examples: [placeOf(item)] } })
  const rejected: Rejected[] = refused
    .toSorted((a, b) => a.item.at - b.item.at)
    .map(({ item, reason }) => ({
      className: rejectedAs(of),
      field: of.kind === 'relations' ? of.field : null,
      place: placeOf(item),
      reason,
      text: item.text,
    }))
  return {
    place: to,
    counts: { ...NO_COUNTS, ...counts, read: items.length, rejected: rejected.length },
    rejected,
    notes: noted,
  }
}
