import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { rowDecoder, text } from '../../database/decode-row.ts'
import { isUniqueViolation } from '../../database/faults.ts'
import type { Database } from '../../database/pool.ts'
import { identifier, literal, sql, toQuery } from '../../database/sql.ts'
import { errors } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { Sequence } from '../../scheduling/sequence.ts'
import type { Ordering, Where } from '../where/tree.ts'
import { BUILT_IN_CLASSES } from './built-in-classes.ts'
import { BUILT_IN_INDEXES } from './built-in-indexes.ts'
import { type ClassSchema, tableNameOf } from './class-schema.ts'
import {
  covers,
  createStatement,
  definitionsFor,
  describe,
  fieldsOf,
  type IndexDefinition,
  nameOf,
  type WantedIndex,
} from './index-definition.ts'
import { type ListedIndex, listIndexes, MADE_NAME } from './index-listing.ts'
import { type IndexNote, readNote, writeNote } from './index-note.ts'
import { SlowQueries, type SlowQuery } from './slow-queries.ts'

/** Queries faster than this, in milliseconds, are not considered slow. */
const SLOW = 3
/** An index is built when the slow queries that it would serve have taken this long in total, in milliseconds. */
const WORTH_BUILDING = 300
/** Tables of fewer pages of 8 KB than this are read as fast without an index. */
const SMALL_TABLE_PAGES = 64
const MAX_AUTOMATIC_INDEXES = 16
const MAX_OBSERVED = 5000
/** Maximum slow queries listed for a class. */
const MAX_LISTED = 50
/** Milliseconds between two attempts to get the lock for building. */
const LOCK_INTERVAL = 200

/** A slow query with the indexes that would serve it, as listed for administrators. */
export interface ListedQuery extends Omit<SlowQuery, 'className' | 'wanted'> {
  readonly indexes: readonly {
    /** The text of `describe`, for the existing index that serves the query if there is one. */
    readonly keys: string
    readonly ready: boolean
    readonly madeBy: IndexNote['madeBy']
    readonly madeAt: string | null
    /** How near the server is to building it: 0 to 1. */
    readonly progress: number
  }[]
}

/**
 * Observes how long queries of classes take and builds the indexes that would speed them up, while the app stays online. No
 * client has to request one (docs/architecture.md, Data).
 */
export class AutomaticIndexes {
  readonly #database: Database
  readonly #schema: string
  readonly #log: Log
  /** Milliseconds spent on slow queries, by the name of the index that would have served them. */
  readonly #spent = new Map<string, number>()
  /** Indexes that exist, or that this process does not try again, by table. */
  readonly #settled = new Map<string, IndexDefinition[]>()
  readonly #slow = new SlowQueries()
  /** Start of the period for which slow queries are recorded. */
  readonly since = new Date().toISOString()
  readonly #builds = new Sequence()
  readonly #clients = new Set<pg.Client>()
  #stopped = false

  constructor(database: Database, schema: string, log: Log) {
    this.#database = database
    this.#schema = schema
    this.#log = log
  }

  /** Reads the existing indexes, and removes those whose build was interrupted and those that are redundant. */
  async open(): Promise<void> {
    for (const className of Object.keys(BUILT_IN_CLASSES))
      for (const definition of ownIndexes(className)) this.#settle(tableNameOf(className), definition)
    await this.#underLock((client) => this.#dropRepeated(client))
    for (const { tableName, note } of await this.#finished(null)) this.#settle(tableName, note.definition)
  }

  /** Drops indexes that repeat a built-in one of the class. Earlier versions built them, and each write pays for them. */
  async #dropRepeated(client: pg.Client): Promise<void> {
    for (const { tableName, name, note } of await this.#finished(null)) {
      if (note.madeBy !== 'homeport' || !this.#isSettled(tableName, note.definition)) continue
      await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${toQuery(identifier(this.#schema, name)).text}`)
    }
  }

  /** Records how long a query took. It is called for every query, so it does almost nothing for fast ones. */
  observe(schema: ClassSchema, where: Where | null, order: readonly Ordering[], milliseconds: number): void {
    if (milliseconds < SLOW || this.#stopped) return
    const wanted = definitionsFor(schema, where, order)
    this.#slow.note(schema, where, order, wanted, milliseconds)
    for (const definition of wanted) {
      if (this.#isSettled(schema.tableName, definition)) continue
      const name = nameOf(schema, definition)
      const spent = (this.#spent.get(name) ?? 0) + milliseconds
      if (this.#spent.size > MAX_OBSERVED) this.#spent.clear()
      this.#spent.set(name, spent)
      if (spent < WORTH_BUILDING) continue
      this.#spent.delete(name)
      this.#settle(schema.tableName, definition)
      void this.#builds.run(() => this.#build(schema, definition))
    }
  }

  /**
   * Builds an index for an administrator.
   * @returns false when it already exists
   * @throws ApiError 137 when values repeat in a unique one
   */
  async create(schema: ClassSchema, { keys, unique }: WantedIndex): Promise<boolean> {
    const definition: IndexDefinition = { kind: 'sorted', keys, unique }
    const present = await this.list(schema)
    if (present.includes(describe(definition))) return false
    const build = async (client: pg.Client) => {
      try {
        await this.#execute(client, schema, definition, 'administrator')
      } catch (error) {
        await client.query(dropStatement(this.#schema, nameOf(schema, definition)))
        if (isUniqueViolation(error)) {
          const fields = keys.map(({ field }) => `'${field}'`).join(' and ')
          throw errors.duplicateValue(`The index of ${fields} cannot be unique: some objects hold the same value.`)
        }
        throw error
      }
    }
    await this.#withLock(build)
    this.#settle(schema.tableName, definition)
    return true
  }

  /** Removes an index that an administrator created. */
  async remove(schema: ClassSchema, { keys, unique }: WantedIndex): Promise<void> {
    const definition: IndexDefinition = { kind: 'sorted', keys, unique }
    await this.#withLock(async (client) => {
      await client.query(dropStatement(this.#schema, nameOf(schema, definition)))
    })
    this.#unsettle(schema.tableName, definition)
  }

  /**
   * Drops an index that was built for the class, automatically or by an administrator; the class stays writable. It is built
   * again if slow queries need it.
   * @throws ApiError 1, 101
   */
  async drop(schema: ClassSchema, name: string): Promise<void> {
    const found = (await this.details(schema)).find((index) => index.name === name)
    if (!found) throw errors.notFound(`The class '${schema.name}' has no index '${name.slice(0, 80)}'.`)
    if (!MADE_NAME.test(name)) throw errors.badArgument(`The index '${name}' is built in and cannot be deleted.`)
    await this.#withLock(async (client) => {
      await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${toQuery(identifier(this.#schema, name)).text}`)
    })
    const left = (this.#settled.get(schema.tableName) ?? []).filter((known) => nameOf(schema, known) !== name)
    this.#settled.set(schema.tableName, left)
  }

  /** Forgets the indexes that held a field; called after the field and those indexes were removed. */
  forgetField({ tableName }: ClassSchema, field: string): void {
    const left = (this.#settled.get(tableName) ?? []).filter((definition) => !fieldsOf(definition).includes(field))
    this.#settled.set(tableName, left)
  }

  /** Returns all indexes of a class, with size and use. */
  details(schema: ClassSchema): Promise<ListedIndex[]> {
    return listIndexes(this.#database, this.#schema, schema)
  }

  /** Returns the slow queries of a class on this node, with the state of the indexes that would serve them. */
  async slowQueries(schema: ClassSchema): Promise<ListedQuery[]> {
    const present = await this.#finished(schema.tableName)
    return this.#slow.of(schema.name, MAX_LISTED).map(({ wanted, className, ...query }) => ({
      ...query,
      indexes: wanted.map((definition) => {
        const own = ownIndexes(className).find((one) => covers(one, definition))
        if (own) return { keys: describe(own), ready: true, madeBy: null, madeAt: null, progress: 1 }
        const serving = present.find(({ note }) => covers(note.definition, definition))?.note
        const spent = this.#spent.get(nameOf(schema, definition)) ?? 0
        return {
          keys: describe(serving?.definition ?? definition),
          ready: serving !== undefined,
          madeBy: serving?.madeBy ?? null,
          madeAt: serving?.madeAt ?? null,
          progress: serving ? 1 : Math.min(1, spent / WORTH_BUILDING),
        }
      }),
    }))
  }

  /** Returns whether an index with exactly this order exists, so that all objects of a class can be read from it in order. */
  async isReady(schema: ClassSchema, order: readonly Ordering[]): Promise<boolean> {
    const [wanted] = definitionsFor(schema, null, order)
    // The primary key has no other definition.
    if (!wanted) return order.length === 1 && order[0]!.path[0] === 'objectId'
    return (await this.list(schema)).includes(describe(wanted))
  }

  /** Returns descriptions of the indexes that have been built for a class. */
  async list(schema: ClassSchema): Promise<string[]> {
    return (await this.#finished(schema.tableName)).map(({ note }) => describe(note.definition))
  }

  /** Stops building. A build in progress is abandoned, and completed after the next start. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all([...this.#clients].map((client) => client.end()))
    await this.#builds.ended()
  }

  async #build(schema: ClassSchema, definition: IndexDefinition): Promise<void> {
    if (this.#stopped) return
    try {
      const wasFree = await this.#underLock(async (client) => {
        if (!(await this.#isWorthwhile(client, schema, definition))) return
        const started = performance.now()
        await this.#execute(client, schema, definition, 'homeport')
        const milliseconds = Math.round(performance.now() - started)
        this.#log.info({ class: schema.name, index: describe(definition), milliseconds }, 'index built')
      })
      if (!wasFree) this.#unsettle(schema.tableName, definition)
    } catch (error) {
      if (!this.#stopped)
        this.#log.warn(
          { class: schema.name, index: describe(definition), error: String(error) },
          'building index failed',
        )
    }
  }

  async #isWorthwhile(client: pg.Client, schema: ClassSchema, definition: IndexDefinition): Promise<boolean> {
    const { rows } = await client.query<{ pages: number; indexes: number }>(
      `SELECT (pg_relation_size(oid) / 8192)::integer AS pages,
         (SELECT count(*)::integer FROM pg_index WHERE indrelid = pg_class.oid) AS indexes
       FROM pg_class WHERE oid = $1::regclass`,
      [toQuery(schema.table).text],
    )
    const [row] = rows
    if (row && row.pages < SMALL_TABLE_PAGES) {
      // The table may grow.
      this.#unsettle(schema.tableName, definition)
      return false
    }
    return row !== undefined && row.indexes <= MAX_AUTOMATIC_INDEXES
  }

  async #execute(
    client: pg.Client,
    schema: ClassSchema,
    definition: IndexDefinition,
    madeBy: 'homeport' | 'administrator',
  ): Promise<void> {
    await client.query(toQuery(createStatement(schema, definition)).text)
    const name = identifier(this.#schema, nameOf(schema, definition))
    const note = writeNote(definition, madeBy, new Date())
    await client.query(toQuery(sql`COMMENT ON INDEX ${name} IS ${literal(note)}`).text)
    // Only now does the planner have statistics of the indexed expressions.
    await client.query(`ANALYZE ${toQuery(schema.table).text}`)
  }

  /** Runs work under the lock, and waits while another node builds indexes for this app. */
  async #withLock(work: (client: pg.Client) => Promise<void>): Promise<void> {
    while (!(await this.#underLock(work))) await sleep(LOCK_INTERVAL)
  }

  /**
   * Runs work on a connection of its own, after removing what interrupted builds left behind.
   * @returns false when another connection holds the lock for this app, and nothing was done
   */
  async #underLock(work: (client: pg.Client) => Promise<void>): Promise<boolean> {
    const client = await this.#database.dedicated('background')
    this.#clients.add(client)
    try {
      // If this process dies, the database cancels its work; a database without this setting completes it.
      await client.query('SET client_connection_check_interval = 1000').catch(() => {})
      // Does not wait for the lock: a waiting transaction would block CREATE INDEX CONCURRENTLY, which waits for all others.
      const { rows } = await client.query<{ locked: boolean }>(
        'SELECT pg_try_advisory_lock(4673002, hashtext($1)) AS locked',
        [this.#schema],
      )
      if (!rows[0]?.locked) return false
      await this.#dropUnfinished(client)
      await work(client)
      return true
    } finally {
      this.#clients.delete(client)
      await client.end()
    }
  }

  /** Drops indexes that are not finished: an index is finished when it is valid and has a comment. */
  async #dropUnfinished(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ name: string }>(
      `SELECT indexes.relname AS name
       FROM pg_index
       JOIN pg_class AS indexes ON indexes.oid = indexrelid
       JOIN pg_namespace AS schemas ON schemas.oid = indexes.relnamespace
       WHERE schemas.nspname = $1
         AND indexes.relname ~ '^(auto|unique)_[0-9a-f]{20}$'
         AND (NOT indisvalid OR obj_description(indexes.oid, 'pg_class') IS NULL)`,
      [this.#schema],
    )
    for (const { name } of rows) await client.query(dropStatement(this.#schema, name))
  }

  /** Marks an index as not existing; the time of its slow queries is counted again from zero. */
  #unsettle(tableName: string, definition: IndexDefinition): void {
    const others = (this.#settled.get(tableName) ?? []).filter((other) => describe(other) !== describe(definition))
    this.#settled.set(tableName, others)
  }

  /** Returns the indexes that have been built on one table, or on all; the oldest first. */
  async #finished(tableName: string | null): Promise<{ tableName: string; name: string; note: IndexNote }[]> {
    const rows = await this.#database.query(sql`
      SELECT tables.relname AS table_name, indexes.relname AS index_name, obj_description(indexes.oid, 'pg_class') AS description
      FROM pg_index
      JOIN pg_class AS indexes ON indexes.oid = indexrelid
      JOIN pg_class AS tables ON tables.oid = indrelid
      JOIN pg_namespace AS schemas ON schemas.oid = tables.relnamespace
      WHERE schemas.nspname = ${this.#schema}
        AND (${tableName}::text IS NULL OR tables.relname = ${tableName})
        AND indisvalid
        AND obj_description(indexes.oid, 'pg_class') IS NOT NULL
      ORDER BY indexes.oid`)
    return rows.map(decodeMade)
  }

  #isSettled(tableName: string, definition: IndexDefinition): boolean {
    return (this.#settled.get(tableName) ?? []).some((existing) => covers(existing, definition))
  }

  #settle(tableName: string, definition: IndexDefinition): void {
    const definitions = this.#settled.get(tableName)
    if (definitions) definitions.push(definition)
    else this.#settled.set(tableName, [definition])
  }
}

/** Returns the definitions that the built-in indexes of a class serve. */
function ownIndexes(className: string): IndexDefinition[] {
  return Object.values(BUILT_IN_INDEXES).flatMap((index) =>
    index.className === className && index.serves ? [index.serves] : [],
  )
}

function dropStatement(schema: string, index: string): string {
  return `DROP INDEX IF EXISTS ${toQuery(identifier(schema, index)).text}`
}

const decodeMade = rowDecoder({
  tableName: text('table_name'),
  name: text('index_name'),
  note: text('description', readNote),
})
