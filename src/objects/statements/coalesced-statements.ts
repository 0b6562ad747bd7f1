import { coalesce, type Outcome } from '../../database/coalesce.ts'
import { text } from '../../database/decode-row.ts'
import { isRefusal } from '../../database/faults.ts'
import type { Database } from '../../database/pool.ts'
import type { Row } from '../../database/row.ts'
import { arrayLiteral } from '../../database/sql.ts'
import { FairSemaphore } from '../../scheduling/fair-semaphore.ts'
import { type Principal, SERVER } from '../../scheduling/principal.ts'
import type { Text } from '../../values/text-in-pieces.ts'
import type { AclColumns } from '../access/acl.ts'
import type { ClassSchema } from '../classes/class-schema.ts'

/** A row to be inserted. */
export interface NewRow {
  readonly id: string
  readonly createdAt: string
  readonly columns: AclColumns
  readonly data: Text
}

/** A coalescing function for the current table of a class. */
interface Coalesced<Send> {
  readonly tableName: string
  readonly send: Send
}
type Read = (id: string, principal?: Principal) => Promise<Row | undefined>
type Insert = (row: NewRow, principal?: Principal) => Promise<void>

/** null when the object is too large for the statement. */
const data = text.orNull('data')

/** Concurrent statements: enough to keep the database busy while the responses of one are sent. */
const READS_AT_ONCE = 3
const INSERTS_AT_ONCE = 3
const READ_SIZE = 100
const INSERT_SIZE = 100
/** Characters of a row from which on it is inserted in a statement of its own. */
const LARGE_ROW = 256 * 1024
/** Queues for reads of large and huge rows. A huge row has up to 16 MB, which are in memory twice while it is read. */
const WAITING = { waiting: { atAddress: 500, ofApp: 2000, inAll: 2000 }, timeoutMs: 10_000 }
const LARGE_READS = { slots: 4, ...WAITING }
const HUGE_READS = { slots: 2, ...WAITING }
/**
 * Characters of such a row for which the slot stays taken a millisecond longer: about the time to read them from the connection.
 */
const LENGTH_A_MILLISECOND = 300_000

/**
 * Reads and inserts of single objects. Those that arrive together are sent in one statement, and inserts share one commit,
 * because most of the cost of a statement is sending it and waiting for it.
 */
export class CoalescedStatements {
  readonly #database: Database
  readonly #reads = new Map<string, Coalesced<Read>>()
  readonly #inserts = new Map<string, Coalesced<Insert>>()
  readonly #largeReads = new FairSemaphore(LARGE_READS)
  readonly #hugeReads = new FairSemaphore(HUGE_READS)

  constructor(database: Database) {
    this.#database = database
  }

  /** Returns the row with this id, including `readers`; undefined when it does not exist. */
  async read(schema: ClassSchema, id: string, principal?: Principal): Promise<Row | undefined> {
    let read = this.#reads.get(schema.name)
    if (read?.tableName !== schema.tableName) {
      const options = { atOnce: READS_AT_ONCE, size: READ_SIZE }
      const send = coalesce((ids: readonly string[], whose?: Principal) => this.#readMany(schema, ids, whose), options)
      read = { tableName: schema.tableName, send }
      this.#reads.set(schema.name, read)
    }
    const { statements } = schema
    let row = await read.send(id, principal)
    if (row?.data === null) {
      row = await readQueued(this.#largeReads, principal, (whose) =>
        this.#database.execute(statements.read, [id], whose),
      )
    }
    if (row?.data === null) {
      row = await readQueued(this.#hugeReads, principal, (whose) =>
        this.#database.executeLarge(statements.readHuge, [id], whose),
      )
    }
    return row
  }

  /** Inserts a row and resolves when it is committed. A large one is inserted alone, so that others do not wait for it. */
  insert(schema: ClassSchema, row: NewRow, principal?: Principal): Promise<void> {
    if (row.data.length >= LARGE_ROW) return this.#insertAlone(schema, row, principal)
    let insert = this.#inserts.get(schema.name)
    if (insert?.tableName !== schema.tableName) {
      const options = { atOnce: INSERTS_AT_ONCE, size: INSERT_SIZE }
      const send = coalesce(
        (rows: readonly NewRow[], whose?: Principal) => this.insertMany(schema, rows, whose),
        options,
      )
      insert = { tableName: schema.tableName, send }
      this.#inserts.set(schema.name, insert)
    }
    return insert.send(row, principal)
  }

  /**
   * Inserts rows with one statement. If it fails, for example because of a duplicate value, each row is inserted individually.
   */
  async insertMany(schema: ClassSchema, rows: readonly NewRow[], principal?: Principal): Promise<Outcome<void>[]> {
    if (rows.length === 0) return []
    if (rows.length === 1) return [await this.#insertOne(schema, rows[0]!, principal)]
    try {
      const values = [
        // Neither ids nor times need quotes in an array.
        `{${rows.map((row) => row.id).join(',')}}`,
        `{${rows.map((row) => row.createdAt).join(',')}}`,
        column(rows, ({ columns }) => columns.acl),
        column(rows, ({ columns }) => columns.readers && arrayLiteral(columns.readers)),
        column(rows, ({ columns }) => columns.writers && arrayLiteral(columns.writers)),
        `[${rows.map((row) => row.data).join(',')}]`,
      ]
      await this.#database.execute(schema.statements.insertMany, values, principal)
      return rows.map(() => ({ result: undefined }))
    } catch (error) {
      if (!isRefusal(error)) throw error
      // Inserts the rows individually, so that the failing one reports the error. They run in order: of two rows with the same
      // unique value, the first is kept (protocol/conventions, Batch: items run in the order sent).
      const outcomes: Outcome<void>[] = []
      for (const row of rows) outcomes.push(await this.#insertOne(schema, row, principal))
      return outcomes
    }
  }

  async #insertOne(schema: ClassSchema, row: NewRow, principal: Principal | undefined): Promise<Outcome<void>> {
    try {
      await this.#insertAlone(schema, row, principal)
      return { result: undefined }
    } catch (error) {
      return { error }
    }
  }

  async #insertAlone(
    schema: ClassSchema,
    { id, createdAt, columns, data }: NewRow,
    principal: Principal | undefined,
  ): Promise<void> {
    const values = [id, createdAt, columns.acl, columns.readers, columns.writers, data]
    await this.#database.execute(schema.statements.insert, values, principal)
  }

  async #readMany(
    schema: ClassSchema,
    ids: readonly string[],
    principal: Principal | undefined,
  ): Promise<Outcome<Row | undefined>[]> {
    if (ids.length === 1) {
      const [row] = await this.#database.execute(schema.statements.read, [ids[0]!], principal)
      return [{ result: row }]
    }
    const rows = await this.#database.execute(schema.statements.readMany, [ids], principal)
    const byId = new Map(rows.map((row) => [row.id, row]))
    return ids.map((id) => ({ result: byId.get(id) }))
  }
}

function readQueued(
  queue: FairSemaphore,
  principal: Principal = SERVER,
  read: (principal: Principal) => Promise<Row[]>,
): Promise<Row | undefined> {
  return queue.run(
    principal,
    async () => (await read(principal))[0],
    (row) => ((row && data(row)?.length) ?? 0) / LENGTH_A_MILLISECOND,
  )
}

/** Returns one value of each row; null when no row has one. */
function column(rows: readonly NewRow[], read: (row: NewRow) => string | null): (string | null)[] | null {
  const values = rows.map(read)
  return values.every((value) => value === null) ? null : values
}
