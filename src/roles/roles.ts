import type { Bus } from '../bus/bus.ts'
import { ReplicatedCache } from '../bus/replicated-cache.ts'
import { text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { identifier, type Sql, sql } from '../database/sql.ts'
import type { Log } from '../log.ts'

/** For how long the roles of a user are remembered, in milliseconds. */
const CACHE_AGE = 5_000
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
/** Roles up to which those of a user are looked for by statements that end at once. Hardly anybody has more. */
const FEW = 100

/** The roles that users of an app have, directly or by inheritance, remembered until a node changes any role. */
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
   * Names of the roles of a user: those whose `users` hold it, and every role that holds one of these in its `roles`,
   * through any number of levels (protocol/storage, ACL value). A cycle of roles ends where it began. Of somebody with
   * more roles than anybody needs, as a hostile client can make them, the oldest count.
   */
  async of(userId: string): Promise<readonly string[]> {
    return this.#cache.find(userId)
  }

  async #load(userId: string): Promise<readonly string[]> {
    const few = await this.#database.query(this.#namesOf(userId, FEW, FEW))
    // Where fewer were found, nothing was left out. To find very many takes a tenth of a second: as a query does, not before others.
    const rows = few.length < FEW ? few : (await this.#database.search(this.#namesOf(userId, MOST, REACH))).rows
    return rows.map(text.orNull('name')).filter((name) => name !== null)
  }

  #namesOf(userId: string, most: number, reach: number): Sql {
    return sql`
      WITH RECURSIVE held (id) AS (
        (${this.#rolesOf('users', sql`${userId}`, most)})
        UNION
        SELECT parent.id
        FROM held
        CROSS JOIN LATERAL (${this.#rolesOf('roles', sql`held.id`, MOST_PARENTS)}) AS parent
      )
      SELECT role.data->>'name' AS name
      FROM (SELECT id FROM held LIMIT ${reach}::bigint) AS held
      JOIN ${this.#roles} AS role ON role.id = held.id
      ORDER BY role.created_at, role.id
      LIMIT ${most}::bigint`
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
  forgetAll(): Promise<void> {
    return this.#cache.publishChange('')
  }

  stop(): void {
    this.#cache.stop()
  }
}
