import { isRefusal } from '../database/faults.ts'
import { gather, type Outcome } from '../database/gather.ts'
import type { Database, Row } from '../database/pool.ts'
import { arrayLiteral } from '../database/sql.ts'
import type { AclColumns } from './acl.ts'
import type { ClassSchema } from './class-schema.ts'

/** A row to be inserted. */
export interface NewRow {
  readonly id: string
  readonly createdAt: string
  readonly columns: AclColumns
  readonly data: string
}

type Read = (id: string) => Promise<Row | undefined>
type Insert = (row: NewRow) => Promise<void>

/** Enough for the database to have work while the answers of one statement are sent out. */
const READS_AT_ONCE = 3
const INSERTS_AT_ONCE = 3
const READ_SIZE = 100
const INSERT_SIZE = 100

/**
 * Reads and inserts of single objects. Those that arrive together go to the database in one statement, and inserts share
 * one commit: the cost of a statement is mostly that of sending it and waiting for it.
 */
export class GatheredStatements {
  readonly #database: Database
  readonly #reads = new Map<string, Read>()
  readonly #inserts = new Map<string, Insert>()

  constructor(database: Database) {
    this.#database = database
  }

  /** The row with this id, with its `readers`; undefined when there is none. */
  read(schema: ClassSchema, id: string): Promise<Row | undefined> {
    let read = this.#reads.get(schema.name)
    if (!read) {
      read = gather((ids) => this.#readMany(schema, ids), { atOnce: READS_AT_ONCE, size: READ_SIZE })
      this.#reads.set(schema.name, read)
    }
    return read(id)
  }

  /** Inserts a row; resolves when it is committed. */
  insert(schema: ClassSchema, row: NewRow): Promise<void> {
    let insert = this.#inserts.get(schema.name)
    if (!insert) {
      insert = gather((rows) => this.insertMany(schema, rows), { atOnce: INSERTS_AT_ONCE, size: INSERT_SIZE })
      this.#inserts.set(schema.name, insert)
    }
    return insert(row)
  }

  /** Inserts rows with one statement. When that fails, for a duplicate value say, each is tried by itself. */
  async insertMany(schema: ClassSchema, rows: readonly NewRow[]): Promise<Outcome<void>[]> {
    if (rows.length === 0) return []
    if (rows.length === 1) return [await this.#insertOne(schema, rows[0]!)]
    try {
      await this.#database.execute(schema.statements.insertMany, [
        rows.map((row) => row.id),
        rows.map((row) => row.createdAt),
        rows.map((row) => row.columns.acl),
        rows.map((row) => row.columns.readers && arrayLiteral(row.columns.readers)),
        rows.map((row) => row.columns.writers && arrayLiteral(row.columns.writers)),
        rows.map((row) => row.data),
      ])
      return rows.map(() => ({ result: undefined }))
    } catch (error) {
      if (!isRefusal(error)) throw error
      // The rows are tried one by one, and the one that is at fault reports it.
      return Promise.all(rows.map((row) => this.#insertOne(schema, row)))
    }
  }

  async #insertOne(schema: ClassSchema, { id, createdAt, columns, data }: NewRow): Promise<Outcome<void>> {
    try {
      await this.#database.execute(schema.statements.insert, [
        id,
        createdAt,
        columns.acl,
        columns.readers,
        columns.writers,
        data,
      ])
      return { result: undefined }
    } catch (error) {
      return { error }
    }
  }

  async #readMany(schema: ClassSchema, ids: readonly string[]): Promise<Outcome<Row | undefined>[]> {
    if (ids.length === 1) {
      const [row] = await this.#database.execute(schema.statements.read, [ids[0]!])
      return [{ result: row }]
    }
    const rows = await this.#database.execute(schema.statements.readMany, [ids])
    const byId = new Map(rows.map((row) => [row.id, row]))
    return ids.map((id) => ({ result: byId.get(id) }))
  }
}
