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

/** Objects whose words are written in one transaction. */
const BATCH = 500
/** Milliseconds that writes are collected before they are indexed: here, and on a search server, for which each time is dearer. */
const SOON = 30
const SOON_ON_SERVER = 200
/** Milliseconds after which this node looks for what others have left, having died say. */
const INTERVAL = 700
/**
 * Objects whose texts are read at a time, at first, and about how many characters of them later: to read them and to send
 * their words must not block the event loop.
 */
const FIRST_READ = 10
const CHARACTERS_IN_READ = 100_000

/**
 * Brings the words of what was written into the indexes of an app, and builds these. Triggers note each write in its
 * transaction; a row is taken out with the transaction that indexes the object as it is by then, so none is lost with a
 * node. One node at a time does it, so what an older look has found never comes last.
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
    // Nodes that start together do not look together.
    this.#end = recur(() => this.#work(), {
      delay: INTERVAL * Math.random(),
      interval: INTERVAL,
      failed: (reason) => search.log.warn({ reason }, 'indexing for search failed, retrying'),
    })
  }

  /** To be called when objects of a class were written. */
  wrote(className: string): void {
    const schema = this.#search.objects.classes.get(className)
    if (schema && this.#search.indexes.covers(schema)) this.wake()
  }

  /** To be called when classes may have been changed. */
  wake(): void {
    if (this.#stopped || this.#soon) return
    this.#soon = setTimeout(
      () => {
        this.#soon = undefined
        // The next look says what is wrong.
        void this.#work().catch(() => {})
      },
      this.#search.server ? SOON_ON_SERVER : SOON,
    ).unref()
  }

  /** Ends when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#end()
    clearTimeout(this.#soon)
    await this.#working?.catch(() => {})
  }

  /** One at a time on this node; what comes meanwhile is looked for when it has ended. */
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

  /** Indexes a batch. @returns whether there may be more to do at once */
  async #step(): Promise<boolean> {
    const { objects, indexes, server } = this.#search
    const isOnServer = indexes.all.some(({ serverIndex }) => serverIndex !== null)
    // Nodes that know the server bring these words there.
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
        // A class was deleted, and its index goes too; or another node has made one.
        await objects.classes.refresh()
        await indexes.compare()
        return false
      }
      if (error instanceof MissingIndex) return this.#makeAnew(error)
      if (error instanceof SearchServerFailure) throw error
      // One object may be to blame: it fails by itself then, and the next look goes on with it alone.
      if (this.#batch === 1) throw error
      this.#batch = 1
      return true
    }
  }

  /** Makes an index that the search server does not have, and lets it be built from the beginning. */
  async #makeAnew(missing: MissingIndex): Promise<boolean> {
    const { objects, indexes, server } = this.#search
    const isMade = await server!.whenFree(appPrincipal(objects.appId), () =>
      objects.database.transaction(async (transaction) => {
        if (!(await indexes.lock(transaction, false))) return false
        const index = indexes.all.find(({ serverIndex }) => serverIndex === missing.index)
        const schema = index && this.#classOf(index)
        if (!schema || !(await indexes.startAnew(transaction, missing))) return false
        await beginWords(this.#search, index, schema.name)
        return true
      }),
    )
    await indexes.compare()
    return isMade
  }

  /** @returns how many writes were taken */
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
      // What was taken comes back with the end of the transaction.
      if (!index || !schema) throw new UnknownIndex(`The index ${number} is not known here yet.`)
      const wanted = [...ids]
      while (wanted.length > 0) {
        const some = wanted.splice(0, this.#objectsInRead)
        const rows = await this.#texts(transaction, schema, index, sql`id = ANY(${some}::text[])`)
        const there = new Set(rows.map(({ id }) => id))
        const gone = some.filter((id) => !there.has(id))
        await writeWords(this.#search, transaction, index, rows, gone)
      }
      if (taken.length < this.#batch) await showWords(this.#search, index)
    }
    return taken.length
  }

  /** Indexes the next objects of a class, in the order of their ids. @returns whether these were the last */
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

  /** What waits to be put into its place is looked through by every search, and the planner has to know common words. */
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
        fields.map((field, place) => sql`, ${fieldText(field)} AS ${raw(`text_${place}`)}`),
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
  for (const [place, { id, readers }] of rows.map(decodeObject).entries()) {
    yield
    written.push(yield* indexedObject(index, id, fieldTexts[place]!, readers))
  }
  return written
}

/** Returns how many objects are read next, given how many characters the last ones had. */
function objectsInRead(objects: number, characters: number): number {
  if (objects === 0) return FIRST_READ
  return Math.max(1, Math.min(BATCH, Math.floor((objects * CHARACTERS_IN_READ) / Math.max(characters, 1))))
}

class UnknownIndex extends Error {}

/** The texts of the fields of a row, by the number of the field. */
function textsOf(row: Row, fields: readonly Field[], index: SearchIndex): Map<number, string> {
  const texts = new Map<number, string>()
  for (const [place, { name }] of fields.entries()) {
    const text = row[`text_${place}`]
    if (typeof text === 'string') texts.set(index.fields.get(name)!, text)
  }
  return texts
}

const decodeObject = rowDecoder({ id: text('id'), readers: texts.orNull('readers') })

const decodeChange = rowDecoder({ index: number('index_number'), objectId: text('object_id') })
