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

/** The index of the words of a class. */
export interface SearchIndex {
  readonly number: number
  readonly tableName: string
  /** Its table: `object_id`, `words`, and who is `allowed` to read, `*` for everyone. It is not there where a search server has the words. */
  readonly table: Sql
  /** The name of the index on the search server; null: the table has the words. */
  readonly serverIndex: string | null
  /** Whether it has, or has had, all objects: one on a search server does not serve before. */
  readonly isWhole: boolean
  /** The numbers of the fields whose words are in it, by name. */
  readonly fields: ReadonlyMap<string, number>
  readonly cutting: number
  /** null: all objects are in it; else those up to this id, and what was written meanwhile */
  readonly builtTo: string | null
}

/** The first number of the lock that whoever works on the indexes of an app holds; the second is of the app. */
const LOCK = 4_673_002

const decodeMade = rowDecoder({ number: number('number'), fields: json<Record<string, number>>('fields') })

/** The indexes of an app: a table for each class that has fields switched on for search. */
export class SearchIndexes {
  readonly #objects: ObjectStore
  readonly #schema: string
  /** Whether words are to be on a search server. */
  readonly #onServer: boolean
  #known: ReadonlyMap<string, SearchIndex> = new Map()
  /** The version of the classes that the indexes were last compared with. */
  #compared = -1

  constructor(objects: ObjectStore, schema: string, onServer: boolean) {
    this.#objects = objects
    this.#schema = schema
    this.#onServer = onServer
  }

  get all(): SearchIndex[] {
    return [...this.#known.values()]
  }

  /** Whether a class of the app has fields switched on, or has had until now. */
  get isUsed(): boolean {
    return this.#known.size > 0 || this.#wanted().length > 0
  }

  /** Whether there is an index of a class, as far as this node knows. */
  covers({ tableName }: ClassSchema): boolean {
    return this.#known.has(tableName)
  }

  /** The index of a class; undefined when there is none, or not yet. */
  async of(schema: ClassSchema): Promise<SearchIndex | undefined> {
    const known = this.#known.get(schema.tableName)
    if (known) return known
    await this.compare()
    return this.#known.get(schema.tableName)
  }

  /** Makes the indexes what the classes say, where these have changed, and reads how far they are. */
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

  /** Has all objects of a class indexed anew, while the words that are indexed serve. */
  async rebuild(schema: ClassSchema): Promise<void> {
    const index = await this.of(schema)
    if (!index) return
    await this.#objects.database.query(
      sql`UPDATE ${this.own('$search_indexes')} SET built_to = '' WHERE number = ${index.number}`,
    )
    await this.#read(this.#objects.database)
  }

  /** An index that the search server has lost, or never had, is built from the beginning. */
  async lost(missing: MissingIndex): Promise<void> {
    if (!this.all.some(({ serverIndex, isWhole }) => serverIndex === missing.index && isWhole)) return
    await this.startAnew(this.#objects.database, missing)
    await this.#read(this.#objects.database)
  }

  /** @returns whether there is such an index */
  async startAnew(executor: Executor, { index }: MissingIndex): Promise<boolean> {
    const started = await executor.query(sql`
      UPDATE ${this.own('$search_indexes')} SET built_to = '', is_whole = FALSE
      WHERE server_index = ${index} RETURNING number`)
    return started.length > 0
  }

  /** The table of a name in the schema of the app. */
  own(name: string): Sql {
    return identifier(this.#schema, name)
  }

  /**
   * Lets one at a time work on the indexes of the app, on whatever node, until its transaction ends.
   * @param wait false: only if nobody else does
   * @returns whether this one may
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

  /** The tables of classes whose index is not what their class says. */
  #differences(): string[] {
    const wanted = new Map(this.#wanted().map((schema) => [schema.tableName, schema]))
    const made = [...wanted.values()].filter((schema) => !this.#isCurrent(schema, this.#known.get(schema.tableName)))
    const gone = this.all.filter(({ tableName }) => !wanted.has(tableName))
    return [...made, ...gone].map(({ tableName }) => tableName)
  }

  /** Whether an index has the words of all fields that are switched on, and of no others, and is where it should be. */
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

  /** The index itself is made by whoever brings the first words into it. */
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

  /** What a search server has of it is nobody's any more. */
  async #leave(transaction: Executor, number: number): Promise<void> {
    await transaction.query(sql`
      UPDATE homeport.search_server_indexes SET is_wanted = FALSE
      WHERE name IN (SELECT server_index FROM ${this.own('$search_indexes')} WHERE number = ${number})`)
  }

  /** An update is noted only where it changes the words, or who may read them. */
  async #attach(transaction: Executor, table: Sql, number: number, fields: readonly string[]): Promise<void> {
    const [noted, changed] = [this.own('search_noted'), this.own('search_changed')]
    const argument = literal(String(number))
    const differs = join(
      [
        sql`OLD.readers IS DISTINCT FROM NEW.readers`,
        ...fields.map((name) => sql`OLD.data->${literal(name)} IS DISTINCT FROM NEW.data->${literal(name)}`),
      ],
      ' OR ',
    )
    for (const trigger of [
      sql`search_inserted AFTER INSERT ON ${table} REFERENCING NEW TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION ${noted}(${argument})`,
      sql`search_deleted AFTER DELETE ON ${table} REFERENCING OLD TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION ${noted}(${argument})`,
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

/** The numbers of the fields of a class that have words in its index. */
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
  isWhole: boolean('is_whole'),
})
