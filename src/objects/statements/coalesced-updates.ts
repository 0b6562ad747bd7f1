import { coalesce, type Outcome } from '../../database/coalesce.ts'
import { isRefusal } from '../../database/faults.ts'
import type { Database } from '../../database/pool.ts'
import type { Row } from '../../database/row.ts'
import { arrayLiteral, print, type Sql, type SqlValue, toQuery } from '../../database/sql.ts'
import { Statement } from '../../database/statement.ts'
import type { Principal } from '../../scheduling/principal.ts'
import type { Caller } from '../access/caller.ts'
import type { ClassSchema } from '../classes/class-schema.ts'

/** An update that only changes `data`. */
export interface PlainUpdate {
  readonly id: string
  readonly at: string
  /** The new `data` as an expression over the old one. Its values must be cast where they stand. */
  readonly data: Sql
  readonly caller: Caller
  /** The principal charged for it. */
  readonly principal: Principal | undefined
}

interface Item {
  readonly id: string
  readonly at: string
  /** null: the master key, which no ACL holds back */
  readonly grants: string | null
  readonly values: readonly (string | null)[]
}

type Run = (item: Item, principal?: Principal) => Promise<Row | undefined>

const AT_ONCE = 3
const SIZE = 100
/** Shapes of updates that are coalesced at a time; the oldest are forgotten. */
const MAX_SHAPES = 400
/** Characters of an expression beyond which an update goes by itself: statements of such length are not prepared. */
const LONGEST_EXPRESSION = 2000

/**
 * Updates of single objects that change their fields the same way, such as increments of one counter field. Those that
 * arrive together go to the database in one statement and share one commit; each is still checked and applied by
 * itself, inside that statement.
 */
export class CoalescedUpdates {
  readonly #database: Database
  readonly #runs = new Map<string, Run>()

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * @returns the row's `id`, `created_at` and `updated_at`; undefined when it does not exist or may not be written;
   * null when this update has to go by itself
   */
  update(schema: ClassSchema, { id, at, data, caller, principal }: PlainUpdate): Promise<Row | undefined> | null {
    const values: (string | null)[] = []
    const expression = print(data, (value) => `change.v${values.push(textOf(value))}`)
    if (expression.length > LONGEST_EXPRESSION) return null
    const shape = `${schema.tableName} ${expression}`
    let run = this.#runs.get(shape)
    if (!run) {
      for (const oldest of this.#runs.keys()) {
        if (this.#runs.size < MAX_SHAPES) break
        this.#runs.delete(oldest)
      }
      const statement = new Statement(updateText(schema, expression, values.length))
      run = coalesce((items, principal) => this.#runAll(statement, items, principal), { atOnce: AT_ONCE, size: SIZE })
      this.#runs.set(shape, run)
    }
    const grants = caller.master ? null : arrayLiteral(caller.grants)
    return run({ id, at, grants, values }, principal)
  }

  /** A statement updates a row once: further updates of the same object wait for the next statement. */
  async #runAll(
    statement: Statement,
    items: readonly Item[],
    principal: Principal | undefined,
  ): Promise<Outcome<Row | undefined>[]> {
    const outcomes = new Map<Item, Outcome<Row | undefined>>()
    let waiting = items
    while (waiting.length > 0) {
      const round = new Map<string, Item>()
      for (const item of waiting) if (!round.has(item.id)) round.set(item.id, item)
      const first = [...round.values()]
      const results = await this.#runRound(statement, first, principal)
      first.forEach((item, index) => {
        outcomes.set(item, results[index]!)
      })
      waiting = waiting.filter((item) => !outcomes.has(item))
    }
    return items.map((item) => outcomes.get(item)!)
  }

  async #runRound(
    statement: Statement,
    items: readonly Item[],
    principal: Principal | undefined,
  ): Promise<Outcome<Row | undefined>[]> {
    try {
      const columns = items[0]!.values.map((_, position) => items.map((item) => item.values[position]!))
      const head = [items.map((item) => item.id), items.map((item) => item.at), items.map((item) => item.grants)]
      const rows = await this.#database.execute(statement, [...head, ...columns], principal)
      const byId = new Map(rows.map((row) => [row.id, row]))
      return items.map((item) => ({ result: byId.get(item.id) }))
    } catch (error) {
      if (items.length === 1 || !isRefusal(error)) return items.map(() => ({ error }))
      // One of them cannot be applied: each is tried by itself, and that one reports it.
      return (await Promise.all(items.map((item) => this.#runRound(statement, [item], principal)))).flat()
    }
  }
}

/**
 * Rows are locked in the order of their ids, so that two such statements never wait for each other. Ids that come as
 * parameters get the collation of the column, without which its index would not be used.
 */
function updateText(schema: ClassSchema, expression: string, values: number): string {
  const table = toQuery(schema.table).text
  const numbers = Array.from({ length: values }, (_, index) => index + 1)
  return `
    WITH change AS (
      SELECT *
      FROM unnest($1::text[], $2::text[], $3::text[]${numbers.map((number) => `, $${number + 3}::text[]`).join('')})
        AS change (change_id, at, grants${numbers.map((number) => `, v${number}`).join('')})
    ), locked AS (
      SELECT object.id AS locked_id
      FROM ${table} AS object
      WHERE object.id IN (SELECT change_id COLLATE "C" FROM change)
      ORDER BY object.id
      FOR UPDATE
    )
    UPDATE ${table}
    SET data = ${expression}, updated_at = change.at::timestamptz
    FROM locked
    JOIN change ON change.change_id COLLATE "C" = locked.locked_id
    WHERE id = locked.locked_id
      AND (change.grants IS NULL OR writers IS NULL OR writers && change.grants::text[])
    RETURNING id, created_at, updated_at`
}

function textOf(value: SqlValue): string | null {
  return Array.isArray(value) ? arrayLiteral(value) : value === null ? null : String(value)
}
