import type { Executor, Transaction } from '../../../database/pool.ts'
import { ApiError } from '../../../errors.ts'
import type { ClassSchema } from '../../../objects/classes/class-schema.ts'
import type { Batch } from '../../batch.ts'
import type { ImportApp } from '../import-app.ts'
import { noteSeen } from '../pulled-rows.ts'
import type { Outcome } from '../read-items.ts'
import type { ReadingThreads } from '../reading-threads.ts'
import { reasonOf } from '../reason.ts'
import { tryToWrite, writeOrSplit } from '../write-or-split.ts'
import type { Writer } from '../writer.ts'
import { type Fitting, fitToClass, knownToFit } from './field-types.ts'
import { mostFrequentTypes } from './most-frequent-types.ts'
import { copyObjects, withoutRepeated, writeObjects } from './object-rows.ts'
import { packObjects } from './packed-objects.ts'
import { type GivenObject, notesOf, type ReadObjects, readObjects } from './read-objects.ts'
import { furtherTextColumns, type TextColumns, textColumnsOf } from './text-columns.ts'
import { fillLogins, writeLogins } from './user-rows.ts'

/**
 * Reads a batch of objects.
 * @param begin resolves when the batch is the next one to write; before that the class must not be changed
 * @param inPieces whether to read in time slices, with pauses for other work on the processor
 * @returns functions that write it in a transaction: unparsed rows by COPY if all objects are new, otherwise parsed
 *   objects by INSERT
 */
export async function objectWriter(
  app: ImportApp,
  threads: ReadingThreads,
  { of: { className }, items, onConflict, strict, dryRun, source }: Batch,
  begin: () => Promise<void>,
  inPieces: boolean,
): Promise<Writer> {
  const reader: Reader = (textColumns) => readObjects(threads, { className, strict, textColumns }, items, inPieces)
  const { read, fitting, unfit, schema } = await settle(app, className, reader, dryRun, begin)
  const isComplete = unfit.length === 0 && !read.packed.hasRepeated
  // The rows are only parsed on demand.
  const single = once(() => withoutRepeated(fitting(), onConflict))
  const count = isComplete ? read.packed.indexes.length : single().length
  const repeated = isComplete ? 0 : fitting().length - count
  const refused = [...read.refused, ...unfit.map(({ given: { item }, error }) => ({ item, reason: error.notice }))]
  if (!schema)
    return {
      write: async () => ({
        counts: { created: count, updated: 0, existing: repeated },
        refused,
        notes: notesOf(single()),
      }),
    }
  const write = async (transaction: Transaction, isCopied: boolean): Promise<Outcome> => {
    const written = isCopied
      ? { results: [], refused: [] }
      : await writeOrSplit(transaction, single(), (rows) => writeRows(app, transaction, schema, rows, onConflict))
    const created = isCopied ? count : written.results.filter(({ isNew }) => isNew).length
    const writtenCount = isCopied ? count : written.results.length
    const lost = new Set(written.refused.map(({ row }) => row))
    if (source !== undefined) {
      const seen = single().filter((one) => !lost.has(one))
      await noteSeen(
        transaction,
        app,
        source,
        schema,
        seen.map(({ object }) => object),
      )
    }
    return {
      counts: {
        created,
        updated: writtenCount - created,
        existing: count - lost.size - writtenCount + repeated,
      },
      refused: [...refused, ...written.refused.map(({ row, error }) => ({ item: row.item, reason: reasonOf(error) }))],
      notes: isCopied && isComplete ? read.notes() : notesOf(single().filter((one) => !lost.has(one))),
    }
  }
  const { table } = schema
  if (count === 0) return { table, write }
  return {
    table,
    copy: (transaction) => copyAll(app, transaction, schema, isComplete ? read.packed.rows : rowsOf(single()), single),
    write,
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function rowsOf(given: readonly GivenObject[]): Uint8Array {
  return packObjects(given.map(({ object }, index) => ({ index, value: object }))).rows
}

/** Reads the batch, converting the texts of these columns. */
type Reader = (textColumns: TextColumns) => Promise<ReadObjects>

/**
 * Returns the objects of a batch that match their class, after adding new fields to the class when the batch is the next one to
 * write. A new field whose values have several types gets the type of most of them. The batch is read again when a column has dates
 * both as texts and as Dates, in other objects of the batch or in a batch that was read at the same time.
 */
async function settle(
  { objects: store }: ImportApp,
  className: string,
  reader: Reader,
  dryRun: boolean,
  begin: () => Promise<void>,
) {
  const textColumns = textColumnsOf(await store.classes.lookUp(className))
  let read = await reader(textColumns)
  const known = dryRun ? null : await knownToFit(store, className, kindsOf(read))
  if (known) return { read, fitting: read.given, unfit: [], schema: known }
  await begin()
  const schema = await store.classes.lookUp(className)
  const further = furtherTextColumns(schema, read.packed.types, textColumns)
  if (further) read = await reader(further)
  let preferred = mostFrequentTypes(read.packed)
  const texts = new Set([...preferred].flatMap(([name, { type }]) => (type === 'String' ? [name] : [])))
  const isMeant = (name: string) => !texts.has(name) || schema?.fields.has(name) === true
  if (further && texts.size > 0) {
    // Most values of such a column are other texts.
    read = await reader({ dates: further.dates.filter(isMeant), numbers: further.numbers.filter(isMeant) })
    preferred = new Map([...mostFrequentTypes(read.packed), ...preferred])
  }
  try {
    const { unfit, schema } = await fitToClass(store, className, kindsOf(read), dryRun, preferred)
    if (unfit.length === 0) return { read, fitting: read.given, unfit: [], schema }
    const some: Fitting<GivenObject> = await fitToClass(store, className, read.given(), dryRun, preferred)
    return { ...some, read, fitting: () => some.fitting }
  } catch (error) {
    // The class cannot exist: each of its records is rejected.
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return { read, fitting: () => [], unfit: read.given().map((one) => ({ given: one, error })), schema: null }
  }
}

/** Returns one entry for each distinct set of types, because objects with the same types all match or all fail. */
function kindsOf({ packed }: ReadObjects) {
  return packed.types.map((types) => ({ object: { types } }))
}

/**
 * Writes objects as if all of them were new.
 * @returns false when one exists or is rejected; then nothing is written
 */
async function copyAll(
  app: ImportApp,
  transaction: Transaction,
  schema: ClassSchema,
  rows: Uint8Array,
  given: () => readonly GivenObject[],
): Promise<boolean> {
  const tried = await tryToWrite(transaction, async () => {
    await copyObjects(transaction, schema, rows)
    if (schema.name !== '_User') return
    const users = given().map(({ object }) => object)
    await writeLogins(transaction, app.accounts, users)
  })
  return 'result' in tried
}

async function writeRows(
  app: ImportApp,
  transaction: Executor,
  schema: ClassSchema,
  rows: readonly GivenObject[],
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
