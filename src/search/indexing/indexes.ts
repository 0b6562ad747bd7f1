import { randomBytes } from 'node:crypto'
import { boolean, json, number, rowDecoder, text } from '../../database/decode-row.ts'
import type { Executor } from '../../database/pool.ts'
import type { Row } from '../../database/row.ts'
import { identifier, join, literal, raw, type Sql, sql } from '../../database/sql.ts'
import type { ClassSchema } from '../../objects/classes/class-schema.ts'
import type { ObjectStore } from '../../objects/store.ts'
import { has } from '../../values/json.ts'
import { hasWords, searchedFields } from '../fields.ts'
import type { MissingIndex } from '../server/server-index.ts'
import { CUTTING } from '../words.ts'

/** The search index of a class. */
export interface SearchIndex {
  readonly number: number
  readonly tableName: string
  /**
   * Its table: `object_id`, `words`, and the grants `allowed` to read, `*` for everyone. Does not exist when the words are on a
   * search server.
   */
  readonly table: Sql
  /** Name of the index on the search server; null: the words are in the table. */
  readonly serverIndex: string | null
  /** Whether it is or was complete. An index on a search server is not used before. */
  readonly isComplete: boolean
  /** Numbers of the indexed fields, by name. */
  readonly fields: ReadonlyMap<string, number>
  readonly cutting: number
  /** null: all objects are indexed; else those up to this id, and later writes */
  readonly builtTo: string | null
}

/** First key of the advisory lock on the indexes of an app; the second key identifies the app. */
const LOCK = 4_673_002

const decodeMade = rowDecoder({ number: number('number'), fields: json<Record<string, number>>('fields') })

/** The search indexes of an app: one for each class that has searchable fields. */
export class SearchIndexes {
  readonly #objects: ObjectStore
  readonly #schema: string
  /** Whether the words should be on a search server. */
  readonly #onServer: boolean
  #known: ReadonlyMap<string, SearchIndex> = new Map()
  /** Version of the classes at the last comparison. */
  #compared = -1

  constructor(objects: ObjectStore, schema: string, onServer: boolean) {
    this.#objects = objects
    this.#schema = schema
    this.#onServer = onServer
  }

  get all(): SearchIndex[] {
    return [...this.#known.values()]
  }

  /** Returns whether a class of the app has or had searchable fields. */
  get isUsed(): boolean {
    return this.#known.size > 0 || this.#wanted().length > 0
  }

  /** Returns whether a class has an index, as far as this node knows. */
  covers({ tableName }: ClassSchema): boolean {
    return this.#known.has(tableName)
  }

  /** Returns the index of a class; undefined when it does not exist yet or at all. */
  async of(schema: ClassSchema): Promise<SearchIndex | undefined> {
    const known = this.#known.get(schema.tableName)
    if (known) return known
    await this.compare()
    return this.#known.get(schema.tableName)
  }

  /** Creates, changes and deletes indexes as the classes require, and reads their progress. */
  async compare(): Promise<void> {
    const { version } = this.#objects.classes
    if (this.#compared !== version) {
      await this.#read(this.#objects.database)
      if (this.#differences().length > 0)
        await this.#objects.database.transaction((transaction) => this.#adjust(transaction))
      this.#compared = version
    }
    await this.#read(this.#objects.database)
  }

  /** Starts reindexing all objects of a class. Searches use the existing index meanwhile. */
  async rebuild(schema: ClassSchema): Promise<void> {
    const index = await this.of(schema)
    if (!index) return
    await this.#objects.database.query(
      sql`UPDATE ${this.own('$search_indexes')} SET built_to = '' WHERE number = ${index.number}`,
    )
    await this.#read(this.#objects.database)
  }

  /** Starts rebuilding an index that is missing on the search server. */
  async lost(missing: MissingIndex): Promise<void> {
    if (!this.all.some(({ serverIndex, isComplete }) => serverIndex === missing.index && isComplete)) return
    await this.restart(this.#objects.database, missing)
    await this.#read(this.#objects.database)
  }

  /** Marks an index as empty, so that it is rebuilt. @returns whether it exists */
  async restart(executor: Executor, { index }: MissingIndex): Promise<boolean> {
    const started = await executor.query(sql`
      UPDATE ${this.own('$search_indexes')} SET built_to = '', is_whole = FALSE
      WHERE server_index = ${index} RETURNING number`)
    return started.length > 0
  }

  /** Returns a table in the app's schema. */
  own(name: string): Sql {
    return identifier(this.#schema, name)
  }

  /**
   * Locks the indexes of the app, over all nodes, until the transaction ends.
   * @param wait false: does not wait for the lock
   * @returns whether the lock was acquired
   */
  async lock(transaction: Executor, wait: boolean): Promise<boolean> {
    const key = sql`${LOCK}::integer, hashtext(${this.#schema})`
    if (wait) {
      await transaction.query(sql`SELECT pg_advisory_xact_lock(${key})`)
      return true
    }
    const [row] = await transaction.query(sql`SELECT pg_try_advisory_xact_lock(${key}) AS locked`)
    return boolean('locked')(row!)
  }

  async #read(executor: Executor): Promise<void> {
    const rows = await executor.query(sql`
      SELECT number, table_name, fields, covered, cutting, built_to, server_index, is_whole FROM ${this.own('$search_indexes')} ORDER BY number`)
    this.#known = new Map(rows.map((row) => this.#index(row)).map((index) => [index.tableName, index]))
  }

  #index(row: Row): SearchIndex {
    const { numbers, covered, ...index } = decodeIndex(row)
    return {
      ...index,
      table: this.own(`$search_${index.number}`),
      fields: new Map(covered.map((name) => [name, numbers[name]!])),
    }
  }

  #wanted(): ClassSchema[] {
    return this.#objects.classes.all().filter((schema) => searchedFields(schema).length > 0)
  }

  /** Returns the tables of classes whose index does not match the class. */
  #differences(): string[] {
    const wanted = new Map(this.#wanted().map((schema) => [schema.tableName, schema]))
    const made = [...wanted.values()].filter((schema) => !this.#isCurrent(schema, this.#known.get(schema.tableName)))
    const obsolete = this.all.filter(({ tableName }) => !wanted.has(tableName))
    return [...made, ...obsolete].map(({ tableName }) => tableName)
  }

  /** Returns whether an index covers exactly the searchable fields and is stored where it should be. */
  #isCurrent(schema: ClassSchema, index: SearchIndex | undefined): boolean {
    const names = searchedFields(schema).map(({ name }) => name)
    return (
      index !== undefined &&
      index.cutting >= CUTTING &&
      (index.serverIndex !== null) === this.#onServer &&
      names.length === index.fields.size &&
      names.every((name) => index.fields.has(name))
    )
  }

  async #adjust(transaction: Executor): Promise<void> {
    await this.lock(transaction, true)
    await this.#read(transaction)
    const schemas = new Map(this.#wanted().map((schema) => [schema.tableName, schema]))
    for (const tableName of this.#differences()) {
      const [there] = await transaction.query(sql`
        SELECT 1 AS there FROM ${this.own('$classes')} WHERE table_name = ${tableName} FOR SHARE`)
      const schema = schemas.get(tableName)
      if (schema && there) await this.#make(transaction, schema)
      else if (!schema) await this.#remove(transaction, this.#known.get(tableName)!, there !== undefined)
    }
  }

  async #make(transaction: Executor, schema: ClassSchema): Promise<void> {
    const fields = searchedFields(schema)
    const covered = fields.map(({ name }) => name)
    const [row] = await transaction.query(sql`
      INSERT INTO ${this.own('$search_indexes')} (table_name, fields, covered, cutting, built_to)
      VALUES (${schema.tableName}, '{}', '[]', ${CUTTING}, '')
      ON CONFLICT (table_name) DO UPDATE SET built_to = '', cutting = excluded.cutting
      RETURNING number, fields`)
    const { number: index, fields: numbers } = decodeMade(row!)
    for (const name of covered) if (!has(numbers, name)) numbers[name] = Object.keys(numbers).length + 1
    await transaction.query(sql`
      UPDATE ${this.own('$search_indexes')}
      SET fields = ${JSON.stringify(numbers)}::jsonb, covered = ${JSON.stringify(covered)}::jsonb
      WHERE number = ${index}`)
    const table = this.own(`$search_${index}`)
    if (this.#onServer) await this.#moveToServer(transaction, index, table)
    else await this.#makeTable(transaction, index, table)
    await this.#attach(transaction, schema.table, index, covered)
  }

  /** Moves an index to the search server. The indexer creates it there with the first words. */
  async #moveToServer(transaction: Executor, number: number, table: Sql): Promise<void> {
    const name = `homeport-${randomBytes(10).toString('hex')}`
    const moved = await transaction.query(sql`
      UPDATE ${this.own('$search_indexes')} SET server_index = ${name}, is_whole = FALSE
      WHERE number = ${number} AND server_index IS NULL
      RETURNING number`)
    if (moved.length === 0) return
    await transaction.query(sql`
      INSERT INTO homeport.search_server_indexes (name, app_schema) VALUES (${name}, ${this.#schema})`)
    await transaction.query(sql`DROP TABLE IF EXISTS ${table}`)
  }

  async #makeTable(transaction: Executor, number: number, table: Sql): Promise<void> {
    await this.#leave(transaction, number)
    await transaction.query(sql`
      UPDATE ${this.own('$search_indexes')} SET server_index = NULL, is_whole = TRUE WHERE number = ${number}`)
    await transaction.query(sql`
      CREATE TABLE IF NOT EXISTS ${table} (
        object_id text COLLATE "C" PRIMARY KEY,
        words tsvector NOT NULL,
        allowed text[] NOT NULL
      )`)
    await transaction.query(
      sql`CREATE INDEX IF NOT EXISTS ${identifier(`$search_${number}_words`)} ON ${table} USING gin (words, allowed) WITH (gin_pending_list_limit = 1024)`,
    )
  }

  /** Marks the index on the search server as unused, so that it is deleted. */
  async #leave(transaction: Executor, number: number): Promise<void> {
    await transaction.query(sql`
      UPDATE homeport.search_server_indexes SET is_wanted = FALSE
      WHERE name IN (SELECT server_index FROM ${this.own('$search_indexes')} WHERE number = ${number})`)
  }

  /** Creates the triggers. An update is recorded only if it changes indexed fields or the read permissions. */
  async #attach(transaction: Executor, table: Sql, number: number, fields: readonly string[]): Promise<void> {
    const [onStatement, changed] = [this.own('search_noted'), this.own('search_changed')]
    const argument = literal(String(number))
    const differs = join(
      [
        sql`OLD.readers IS DISTINCT FROM NEW.readers`,
        ...fields.map((name) => sql`OLD.data->${literal(name)} IS DISTINCT FROM NEW.data->${literal(name)}`),
      ],
      ' OR ',
    )
    for (const trigger of [
      sql`search_inserted AFTER INSERT ON ${table} REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION ${onStatement}(${argument})`,
      sql`search_deleted AFTER DELETE ON ${table} REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION ${onStatement}(${argument})`,
      sql`search_updated AFTER UPDATE ON ${table} FOR EACH ROW WHEN (${differs}) EXECUTE FUNCTION ${changed}(${argument})`,
    ])
      await transaction.query(sql`CREATE OR REPLACE TRIGGER ${trigger}`)
  }

  async #remove(transaction: Executor, { number, tableName, table }: SearchIndex, hasClass: boolean): Promise<void> {
    if (hasClass) {
      for (const trigger of ['search_inserted', 'search_deleted', 'search_updated'])
        await transaction.query(sql`DROP TRIGGER IF EXISTS ${raw(trigger)} ON ${this.own(tableName)}`)
    }
    await transaction.query(sql`DROP TABLE IF EXISTS ${table}`)
    await this.#leave(transaction, number)
    await transaction.query(sql`DELETE FROM ${this.own('$search_changes')} WHERE index_number = ${number}`)
    await transaction.query(sql`DELETE FROM ${this.own('$search_indexes')} WHERE number = ${number}`)
  }
}

/** Returns the numbers of a class's fields whose words are in its index. */
export function wordFields(schema: ClassSchema, index: SearchIndex): Map<string, number> {
  return new Map(
    searchedFields(schema)
      .filter((field) => hasWords(field) && index.fields.has(field.name))
      .map(({ name }) => [name, index.fields.get(name)!]),
  )
}

const decodeIndex = rowDecoder({
  number: number('number'),
  tableName: text('table_name'),
  numbers: json<{ readonly [field: string]: number }>('fields'),
  covered: json<readonly string[]>('covered'),
  cutting: number('cutting'),
  builtTo: text.orNull('built_to'),
  serverIndex: text.orNull('server_index'),
  isComplete: boolean('is_whole'),
})
