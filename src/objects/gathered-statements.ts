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
        // Neither ids nor times need quotes inside an array.
        `{${rows.map((row) => row.id).join(',')}}`,
        `{${rows.map((row) => row.createdAt).join(',')}}`,
        column(rows, ({ columns }) => columns.acl),
        column(rows, ({ columns }) => columns.readers && arrayLiteral(columns.readers)),
        column(rows, ({ columns }) => columns.writers && arrayLiteral(columns.writers)),
        `[${rows.map((row) => row.data).join(',')}]`,
      ])
      return rows.map(() => ({ result: undefined }))
    } catch (error) {
      if (!isRefusal(error)) throw error
      // The rows are tried one by one, and the one that is at fault reports it. In order: of two rows with the same unique
      // value the first is kept (spec/1, Batch: items run in the order sent).
      const outcomes: Outcome<void>[] = []
      for (const row of rows) outcomes.push(await this.#insertOne(schema, row))
      return outcomes
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

/** One value of each row; null when no row has one. */
function column(rows: readonly NewRow[], read: (row: NewRow) => string | null): (string | null)[] | null {
  const values = rows.map(read)
  return values.every((value) => value === null) ? null : values
}
