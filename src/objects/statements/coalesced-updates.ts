import { coalesce, type Outcome } from '../../database/coalesce.ts'
import { isRefusal } from '../../database/faults.ts'
import type { Database } from '../../database/pool.ts'
import type { Row } from '../../database/row.ts'
import { arrayLiteral, print, type Sql, type SqlValue, toQuery } from '../../database/sql.ts'
import { Statement } from '../../database/statement.ts'
import type { Principal } from '../../scheduling/principal.ts'
import type { Caller } from '../access/caller.ts'
import type { ClassSchema } from '../classes/class-schema.ts'

/** An update that changes only `data`. */
export interface PlainUpdate {
  readonly id: string
  readonly at: string
  /** The new `data` as an expression over the old one. Its values must have explicit casts. */
  readonly data: Sql
  readonly caller: Caller
  /** The principal charged for the update. */
  readonly principal: Principal | undefined
}

interface Item {
  readonly id: string
  readonly at: string
  /** null for the master key, which is not subject to ACLs */
  readonly grants: string | null
  readonly values: readonly (string | null)[]
}

type Run = (item: Item, principal?: Principal) => Promise<Row | undefined>

const AT_ONCE = 3
const SIZE = 100
/** Maximum shapes of updates that are coalesced at a time; the oldest are forgotten. */
const MAX_SHAPES = 400
/** Maximum characters of an expression that is coalesced: longer statements are not prepared. */
const LONGEST_EXPRESSION = 2000

/**
 * Coalesces updates of single objects that change their fields the same way, such as increments of one counter field. Those that
 * arrive together are sent in one statement and share one commit; the statement still checks and applies each individually.
 */
export class CoalescedUpdates {
  readonly #database: Database
  readonly #runs = new Map<string, Run>()

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Updates an object.
   * @returns the row's `id`, `created_at` and `updated_at`; undefined when it does not exist or the caller may not write it; null
   * when the update cannot be coalesced
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

  /** Runs all updates. A statement updates a row once, so further updates of the same object are sent in the next statement. */
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
      // One of them cannot be applied: each is sent individually, so that the failing one reports the error.
      return (await Promise.all(items.map((item) => this.#runRound(statement, [item], principal)))).flat()
    }
  }
}

/**
 * Returns the text of the statement. Rows are locked in the order of their ids, so that two such statements never deadlock. Ids
 * from parameters get the collation of the column; otherwise its index would not be used.
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
