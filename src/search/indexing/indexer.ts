import { setImmediate as turnOfOthers } from 'node:timers/promises'
import { number, rowDecoder, text, texts } from '../../database/decode-row.ts'
import { isMissingTable } from '../../database/faults.ts'
import type { Executor } from '../../database/pool.ts'
import type { Row } from '../../database/row.ts'
import { join, raw, type Sql, sql, toQuery } from '../../database/sql.ts'
import { recur } from '../../jobs/recurring.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import type { Field } from '../../objects/classes/field.ts'
import { inSlices } from '../../scheduling/in-slices.ts'
import { appPrincipal } from '../../scheduling/principal.ts'
import { hasWords, searchedFields } from '../fields.ts'
import type { Search } from '../search.ts'
import { SearchServerFailure } from '../server/search-server.ts'
import { MissingIndex } from '../server/server-index.ts'
import { fieldText } from './field-text.ts'
import type { SearchIndex } from './indexes.ts'
import { beginWords, type IndexedObject, indexedObject, showWords, writeWords } from './write-words.ts'

/** Objects indexed by one transaction. */
const BATCH = 500
/**
 * Milliseconds for which writes are collected before they are indexed. Longer for a search server, where each request is more
 * expensive.
 */
const SOON = 30
const SOON_ON_SERVER = 200
/** Milliseconds between two checks for writes that other nodes have not indexed, for example after a crash. */
const INTERVAL = 700
/**
 * Objects whose texts are read at a time: `FIRST_READ` initially, then as many as have about `CHARACTERS_IN_READ` characters.
 * Reading them and sending their words must not block the event loop.
 */
const FIRST_READ = 10
const CHARACTERS_IN_READ = 100_000

/**
 * Indexes the written objects of an app, and builds its indexes. Triggers record each write in its transaction. The transaction
 * that indexes an object's current state deletes the record, so a node failure loses no write. One node at a time does this, so
 * an older state never overwrites a newer one.
 */
export class Indexer {
  readonly #search: Search
  readonly #end: () => void
  #soon: NodeJS.Timeout | undefined
  #working: Promise<void> | undefined
  #again = false
  #stopped = false
  #batch = BATCH
  #objectsInRead = FIRST_READ

  constructor(search: Search) {
    this.#search = search
    // Random, so that nodes that start together do not run together.
    this.#end = recur(() => this.#work(), {
      delay: INTERVAL * Math.random(),
      interval: INTERVAL,
      failed: (reason) => search.log.warn({ reason }, 'indexing for search failed, retrying'),
    })
  }

  /** Must be called when objects of a class were written. */
  wrote(className: string): void {
    const schema = this.#search.objects.classes.get(className)
    if (schema && this.#search.indexes.covers(schema)) this.wake()
  }

  /** Must be called when classes may have changed. */
  wake(): void {
    if (this.#stopped || this.#soon) return
    this.#soon = setTimeout(
      () => {
        this.#soon = undefined
        // The next scheduled run reports the error.
        void this.#work().catch(() => {})
      },
      this.#search.server ? SOON_ON_SERVER : SOON,
    ).unref()
  }

  /** Waits for the current run. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#end()
    clearTimeout(this.#soon)
    await this.#working?.catch(() => {})
  }

  /** Runs once at a time on this node. A call during a run triggers another one. */
  async #work(): Promise<void> {
    this.#again = true
    this.#working ??= this.#workOff().finally(() => {
      this.#working = undefined
    })
    return this.#working
  }

  async #workOff(): Promise<void> {
    const { indexes } = this.#search
    while (this.#again && !this.#stopped) {
      this.#again = false
      if (!indexes.isUsed) return
      await indexes.compare()
      while (!this.#stopped && (await this.#step())) await turnOfOthers()
    }
  }

  /** Indexes a batch. @returns whether there may be more to do immediately */
  async #step(): Promise<boolean> {
    const { objects, indexes, server } = this.#search
    const isOnServer = indexes.all.some(({ serverIndex }) => serverIndex !== null)
    // Nodes that have the search server configured do this.
    if (isOnServer && !server) return false
    let built: SearchIndex | undefined
    try {
      const step = () =>
        objects.database.transaction(async (transaction) => {
          if (!(await indexes.lock(transaction, false))) return false
          if ((await this.#indexChanges(transaction)) > 0) return true
          const building = indexes.all.find((index) => index.builtTo !== null && this.#classOf(index))
          if (!building) return false
          if (await this.#build(transaction, building)) built = building
          return true
        })
      const more = await (isOnServer ? server!.whenFree(appPrincipal(objects.appId), step) : step())
      this.#batch = Math.min(this.#batch * 2, BATCH)
      if (built) await this.#finish(built)
      return more
    } catch (error) {
      if (isMissingTable(error) || error instanceof UnknownIndex) {
        // A class and its index were deleted, or another node has created an index.
        await objects.classes.refresh()
        await indexes.compare()
        return false
      }
      if (error instanceof MissingIndex) return this.#recreate(error)
      if (error instanceof SearchServerFailure) throw error
      // A single object may be the cause, so the batch is retried object by object.
      if (this.#batch === 1) throw error
      this.#batch = 1
      return true
    }
  }

  /** Creates an index that is missing on the search server, and starts building it. */
  async #recreate(missing: MissingIndex): Promise<boolean> {
    const { objects, indexes, server } = this.#search
    const isMade = await server!.whenFree(appPrincipal(objects.appId), () =>
      objects.database.transaction(async (transaction) => {
        if (!(await indexes.lock(transaction, false))) return false
        const index = indexes.all.find(({ serverIndex }) => serverIndex === missing.index)
        const schema = index && this.#classOf(index)
        if (!schema || !(await indexes.restart(transaction, missing))) return false
        await beginWords(this.#search, index, schema.name)
        return true
      }),
    )
    await indexes.compare()
    return isMade
  }

  /** Indexes a batch of writes. @returns their number */
  async #indexChanges(transaction: Executor): Promise<number> {
    const { indexes } = this.#search
    const taken = await transaction.query(sql`
      DELETE FROM ${indexes.own('$search_changes')}
      WHERE seq IN (SELECT seq FROM ${indexes.own('$search_changes')} ORDER BY seq LIMIT ${this.#batch}::integer)
      RETURNING index_number, object_id`)
    const byIndex = new Map<number, Set<string>>()
    for (const { index, objectId } of taken.map(decodeChange)) {
      if (!byIndex.has(index)) byIndex.set(index, new Set())
      byIndex.get(index)!.add(objectId)
    }
    for (const [number, ids] of byIndex) {
      const index = indexes.all.find((known) => known.number === number)
      const schema = index && this.#classOf(index)
      // The rollback restores the deleted rows.
      if (!index || !schema) throw new UnknownIndex(`The index ${number} is not known here yet.`)
      const wanted = [...ids]
      while (wanted.length > 0) {
        const some = wanted.splice(0, this.#objectsInRead)
        const rows = await this.#texts(transaction, schema, index, sql`id = ANY(${some}::text[])`)
        const there = new Set(rows.map(({ id }) => id))
        const deleted = some.filter((id) => !there.has(id))
        await writeWords(this.#search, transaction, index, rows, deleted)
      }
      if (taken.length < this.#batch) await showWords(this.#search, index)
    }
    return taken.length
  }

  /** Indexes the next objects of a class in the order of their ids. @returns whether the index is complete */
  async #build(transaction: Executor, index: SearchIndex): Promise<boolean> {
    const { indexes } = this.#search
    const schema = this.#classOf(index)!
    const [state] = await transaction.query(sql`
      SELECT built_to FROM ${indexes.own('$search_indexes')} WHERE number = ${index.number}`)
    const builtTo = state ? text.orNull('built_to')(state) : null
    if (builtTo === null) return true
    if (builtTo === '') await beginWords(this.#search, index, schema.name)
    const rows = await this.#texts(
      transaction,
      schema,
      index,
      sql`id > ${builtTo} ORDER BY id LIMIT ${Math.min(this.#batch, this.#objectsInRead)}::integer`,
    )
    await writeWords(this.#search, transaction, index, rows, [])
    const last = rows.at(-1)
    if (!last) await showWords(this.#search, index)
    await transaction.query(sql`
      UPDATE ${indexes.own('$search_indexes')}
      SET built_to = ${last ? last.id : null}, is_whole = is_whole OR ${last === undefined}
      WHERE number = ${index.number}`)
    return last === undefined
  }

  /**
   * Cleans up after building an index: every search scans the pending list of a GIN index, and the planner needs statistics of
   * common words.
   */
  async #finish({ number, table, serverIndex }: SearchIndex): Promise<void> {
    const { objects, indexes } = this.#search
    if (serverIndex !== null) return indexes.compare()
    const words = toQuery(indexes.own(`$search_${number}_words`)).text
    await objects.database.query(sql`SELECT gin_clean_pending_list(to_regclass(${words}))`)
    await objects.database.query(sql`ANALYZE ${table}`)
    await indexes.compare()
  }

  #classOf({ tableName }: SearchIndex): ClassSchema | undefined {
    return this.#search.objects.classes.all().find((schema) => schema.tableName === tableName)
  }

  async #texts(transaction: Executor, schema: ClassSchema, index: SearchIndex, which: Sql): Promise<IndexedObject[]> {
    const fields = searchedFields(schema).filter((field) => hasWords(field) && index.fields.has(field.name))
    const rows = await transaction.query(sql`
      SELECT id, readers${join(
        fields.map((field, position) => sql`, ${fieldText(field)} AS ${raw(`text_${position}`)}`),
        '',
      )}
      FROM ${schema.table}
      WHERE ${which}`)
    const texts = rows.map((row) => textsOf(row, fields, index))
    const characters = texts.reduce((sum, own) => [...own.values()].reduce((all, text) => all + text.length, sum), 0)
    this.#objectsInRead = objectsInRead(rows.length, characters)
    const principal = appPrincipal(this.#search.objects.appId)
    return inSlices(this.#search.slices.background, principal, indexedRows(index, rows, texts))
  }
}

function* indexedRows(
  index: SearchIndex,
  rows: readonly Row[],
  fieldTexts: readonly ReadonlyMap<number, string>[],
): Generator<undefined, IndexedObject[], undefined> {
  const written: IndexedObject[] = []
  for (const [position, { id, readers }] of rows.map(decodeObject).entries()) {
    yield
    written.push(yield* indexedObject(index, id, fieldTexts[position]!, readers))
  }
  return written
}

/** Returns the number of objects for the next read, based on the characters of the last ones. */
function objectsInRead(objects: number, characters: number): number {
  if (objects === 0) return FIRST_READ
  return Math.max(1, Math.min(BATCH, Math.floor((objects * CHARACTERS_IN_READ) / Math.max(characters, 1))))
}

class UnknownIndex extends Error {}

/** Returns the texts of a row by field number. */
function textsOf(row: Row, fields: readonly Field[], index: SearchIndex): Map<number, string> {
  const texts = new Map<number, string>()
  for (const [position, { name }] of fields.entries()) {
    const text = row[`text_${position}`]
    if (typeof text === 'string') texts.set(index.fields.get(name)!, text)
  }
  return texts
}

const decodeObject = rowDecoder({ id: text('id'), readers: texts.orNull('readers') })

const decodeChange = rowDecoder({ index: number('index_number'), objectId: text('object_id') })
