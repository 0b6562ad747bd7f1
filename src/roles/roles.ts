import type { Bus } from '../bus/bus.ts'
import type { Database } from '../database/pool.ts'
import { identifier, type Sql, sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import { Remembered } from '../values/remembered.ts'

/** How long the roles of a user are trusted, in milliseconds: another node may have changed them. */
const CACHE_TIME = 5_000
const CACHE_SIZE = 50_000

/** The roles that users of an app have, directly or by inheritance. */
export class Roles {
  readonly #database: Database
  readonly #roles: Sql
  readonly #relations: Sql
  readonly #bus: Bus
  readonly #topic: string
  readonly #log: Log
  readonly #known = new Remembered<readonly string[]>(CACHE_TIME, CACHE_SIZE)
  readonly #endings: readonly (() => void)[]
  #generation = 0

  constructor(database: Database, schema: string, bus: Bus, log: Log) {
    this.#database = database
    this.#roles = identifier(schema, '_Role')
    this.#relations = identifier(schema, '$relations')
    this.#bus = bus
    this.#topic = `roles ${schema}`
    this.#log = log
    const forget = () => {
      this.#generation++
      this.#known.clear()
    }
    this.#endings = [bus.subscribe(this.#topic, forget), bus.onGap(forget)]
  }

  /**
   * Names of the roles of a user: those whose `users` hold it, and every role that holds one of these in its `roles`,
   * through any number of levels (spec/rest-details, 11.3). A cycle of roles ends where it began.
   */
  async of(userId: string): Promise<readonly string[]> {
    const known = this.#known.get(userId)
    if (known) return known
    const generation = this.#generation
    const rows = await this.#database.query(sql`
      WITH RECURSIVE held (id) AS (
        SELECT owner_id
        FROM ${this.#relations}
        WHERE owner_class = '_Role' AND field = 'users' AND related_id = ${userId}
        UNION
        SELECT relation.owner_id
        FROM held
        JOIN ${this.#relations} AS relation
          ON relation.owner_class = '_Role' AND relation.field = 'roles' AND relation.related_id = held.id
      )
      SELECT role.data->>'name' AS name
      FROM held
      JOIN ${this.#roles} AS role ON role.id = held.id`)
    const names = rows.map((row) => String(row.name))
    if (generation === this.#generation) this.#known.set(userId, names)
    return names
  }

  /** Roles were written: what is remembered of them, here and on other nodes, may be wrong. */
  async forgetAll(): Promise<void> {
    try {
      await this.#bus.publish(this.#topic, '')
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      this.#log.warn(
        { component: 'roles', error: reason },
        `other nodes may go by what roles were for ${CACHE_TIME / 1000} more seconds`,
      )
    }
  }

  stop(): void {
    for (const end of this.#endings) end()
  }
}
