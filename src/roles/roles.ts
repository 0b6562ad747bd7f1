import type { Bus } from '../bus/bus.ts'
import type { Database } from '../database/pool.ts'
import { identifier, type Sql, sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import { Remembered } from '../values/remembered.ts'

/** How long the roles of a user are trusted, in milliseconds: another node may have changed them. */
const CACHE_TIME = 5_000
/** Names that are remembered, of the roles of all users together. */
const CACHE_SIZE = 500_000

/**
 * Roles that count for a user; each goes to the database with each statement. Anybody may make roles, and put others into
 * them: the oldest count, so that nobody loses by it what he has.
 */
const MOST = 1000
/** Roles that may inherit from one. */
const MOST_PARENTS = 100
/** Roles through which those of a user are looked for, the nearest first. */
const REACH = 2000

/** The roles that users of an app have, directly or by inheritance. */
export class Roles {
  readonly #database: Database
  readonly #roles: Sql
  readonly #relations: Sql
  readonly #bus: Bus
  readonly #topic: string
  readonly #log: Log
  readonly #known = new Remembered<readonly string[]>(CACHE_TIME, CACHE_SIZE, ({ length }) => length + 1)
  /** What is being read for those who ask meanwhile; nothing that began before the last change. */
  readonly #reading = new Map<string, Promise<readonly string[]>>()
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
      this.#reading.clear()
    }
    this.#endings = [bus.subscribe(this.#topic, forget), bus.onGap(forget)]
  }

  /**
   * Names of the roles of a user: those whose `users` hold it, and every role that holds one of these in its `roles`,
   * through any number of levels (protocol/storage, ACL value). A cycle of roles ends where it began. Of somebody with
   * more roles than anybody needs, as a hostile client can make them, the oldest count.
   */
  async of(userId: string): Promise<readonly string[]> {
    const known = this.#known.get(userId)
    if (known) return known
    let reading = this.#reading.get(userId)
    if (!reading) {
      const begun = this.#read(userId).finally(() => {
        if (this.#reading.get(userId) === begun) this.#reading.delete(userId)
      })
      reading = begun
      this.#reading.set(userId, begun)
    }
    return reading
  }

  async #read(userId: string): Promise<readonly string[]> {
    const generation = this.#generation
    const rows = await this.#database.query(sql`
      WITH RECURSIVE held (id) AS (
        (${this.#rolesOf('users', sql`${userId}`, MOST)})
        UNION
        SELECT parent.id
        FROM held
        CROSS JOIN LATERAL (${this.#rolesOf('roles', sql`held.id`, MOST_PARENTS)}) AS parent
      )
      SELECT role.data->>'name' AS name
      FROM (SELECT id FROM held LIMIT ${REACH}::bigint) AS held
      JOIN ${this.#roles} AS role ON role.id = held.id
      ORDER BY role.created_at, role.id
      LIMIT ${MOST}::bigint`)
    const names = rows.map((row) => String(row.name))
    if (generation === this.#generation) this.#known.set(userId, names)
    return names
  }

  /** The oldest roles that hold a user, or another role, in a relation. */
  #rolesOf(field: 'users' | 'roles', member: Sql, most: number): Sql {
    return sql`
      SELECT role.id
      FROM ${this.#relations} AS relation
      JOIN ${this.#roles} AS role ON role.id = relation.owner_id
      WHERE relation.owner_class = '_Role' AND relation.field = ${field} AND relation.related_id = ${member}
      ORDER BY role.created_at, role.id
      LIMIT ${most}::bigint`
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
