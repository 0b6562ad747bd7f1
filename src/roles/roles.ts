import type { Bus } from '../bus/bus.ts'
import { ReplicatedCache } from '../bus/replicated-cache.ts'
import { text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { identifier, type Sql, sql } from '../database/sql.ts'
import type { Log } from '../log.ts'

/** How long the roles of a user are cached, in milliseconds. */
const CACHE_AGE = 5_000
/** Maximum number of cached names, of the roles of all users together. */
const CACHE_SIZE = 500_000

/**
 * Maximum number of roles that count for a user, because each is sent with each statement. Any user may create roles
 * and add others to them, so the oldest roles count: a user cannot lose roles to new ones.
 */
const MAX_ROLES = 1000
/** Maximum number of roles that inherit from one role. */
const MAX_PARENTS = 100
/** Maximum number of roles that the search for a user's roles visits, the nearest first. */
const REACH = 2000
/** Maximum number of roles found by the fast statement. Few users have more. */
const FEW = 100

/** The roles of an app's users, direct or inherited, cached until a node changes any role. */
export class Roles {
  readonly #database: Database
  readonly #roles: Sql
  readonly #relations: Sql
  /** Names of the roles of each user. */
  readonly #cache: ReplicatedCache<readonly string[]>

  constructor(database: Database, schema: string, bus: Bus, log: Log) {
    this.#database = database
    this.#roles = identifier(schema, '_Role')
    this.#relations = identifier(schema, '$relations')
    this.#cache = new ReplicatedCache<readonly string[]>({
      bus,
      topic: `roles ${schema}`,
      load: (userId) => this.#load(userId),
      age: CACHE_AGE,
      size: CACHE_SIZE,
      weigh: ({ length }) => length + 1,
      risk: 'other nodes may go by what roles were',
      log,
    })
  }

  /**
   * Returns the names of a user's roles: the roles whose `users` contain the user, and all roles whose `roles` contain
   * one of these, through any number of levels (protocol/storage, ACL value). Cycles are allowed. For a user with more
   * roles than the maximum, as a hostile client can create them, the oldest count.
   */
  async of(userId: string): Promise<readonly string[]> {
    return this.#cache.find(userId)
  }

  async #load(userId: string): Promise<readonly string[]> {
    const few = await this.#database.query(this.#namesOf(userId, FEW, FEW))
    // A result below the maximum is complete. Finding very many roles takes a tenth of a second, so it runs as a query
    // of lower priority.
    const rows = few.length < FEW ? few : (await this.#database.search(this.#namesOf(userId, MAX_ROLES, REACH))).rows
    return rows.map(text.orNull('name')).filter((name) => name !== null)
  }

  #namesOf(userId: string, max: number, reach: number): Sql {
    return sql`
      WITH RECURSIVE held (id) AS (
        (${this.#rolesOf('users', sql`${userId}`, max)})
        UNION
        SELECT parent.id
        FROM held
        CROSS JOIN LATERAL (${this.#rolesOf('roles', sql`held.id`, MAX_PARENTS)}) AS parent
      )
      SELECT role.data->>'name' AS name
      FROM (SELECT id FROM held LIMIT ${reach}::bigint) AS held
      JOIN ${this.#roles} AS role ON role.id = held.id
      ORDER BY role.created_at, role.id
      LIMIT ${max}::bigint`
  }

  /** Selects the oldest roles that contain a user, or another role, in a relation. */
  #rolesOf(field: 'users' | 'roles', member: Sql, max: number): Sql {
    return sql`
      SELECT role.id
      FROM ${this.#relations} AS relation
      JOIN ${this.#roles} AS role ON role.id = relation.owner_id
      WHERE relation.owner_class = '_Role' AND relation.field = ${field} AND relation.related_id = ${member}
      ORDER BY role.created_at, role.id
      LIMIT ${max}::bigint`
  }

  /** Clears the cached roles on all nodes after roles were written. */
  forgetAll(): Promise<void> {
    return this.#cache.publishChange('')
  }

  stop(): void {
    this.#cache.stop()
  }
}
