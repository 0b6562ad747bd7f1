import { portions } from '../bus/portions.ts'
import { gather } from '../database/gather.ts'
import type { Database, Row } from '../database/pool.ts'
import { identifier, type Sql, sql } from '../database/sql.ts'
import { ApiError, errors } from '../errors.ts'
import type { Log } from '../log.ts'
import { parseCondition } from './condition.ts'
import { type LiveQuery, liveQuery, type QueryIdentity, queryIdOf } from './live-query.ts'

/** Rows that one statement changes, at most. */
const PORTION = 1000
/** Subscribers that are read together; each may have many queries. */
const READ_AT_ONCE = 100

/** How many queries a subscriber may have. */
const MAX_OF_SUBSCRIBER = 100

/** The live queries of an app in the database, where all nodes find them. Times are milliseconds since the epoch. */
export class QueryTable {
  readonly #database: Database
  readonly #appId: string
  readonly #subscribers: Sql
  readonly #queries: Sql
  readonly #logins: string
  readonly #log: Log
  /**
   * Notes that a subscriber has logged in.
   * @returns a number that rises with every login, on whatever node
   */
  readonly noteLogin: (login: { readonly subscriberId: string; readonly at: number }) => Promise<number>

  constructor(database: Database, appId: string, schema: string, log: Log) {
    this.#database = database
    this.#appId = appId
    this.#subscribers = identifier(schema, '$live_subscribers')
    this.#queries = identifier(schema, '$live_queries')
    this.#logins = `"${schema}"."$live_logins"`
    this.#log = log
    this.noteLogin = gather(
      async (logins) => {
        await this.#renew(logins)
        // Who has no queries yet leaves no trace: anybody can log in.
        const rows = await database.query(sql`
          SELECT nextval(${this.#logins}::regclass) AS number FROM generate_series(1, ${logins.length}::int)`)
        return rows.map(({ number }) => ({ result: Number(number) }))
      },
      { atOnce: 1, size: PORTION },
    )
  }

  /**
   * Stores a query, unless it is there already; its subscriber was seen now.
   * @throws ApiError 154 when the subscriber has too many
   */
  async save(query: QueryIdentity, at: number): Promise<void> {
    const { subscriberId, className, condition, userId, withAcl } = query
    const id = queryIdOf(query)
    await this.#database.transaction(async (transaction) => {
      // The row stays locked, so that those that are saved at once are counted one after the other.
      await transaction.query(sql`
        INSERT INTO ${this.#subscribers} AS subscriber (id, seen_at)
        VALUES (${subscriberId}, ${dateOf(at)})
        ON CONFLICT (id) DO UPDATE SET seen_at = greatest(subscriber.seen_at, excluded.seen_at)`)
      const [counted] = await transaction.query(sql`
        SELECT count(*) AS number, count(*) FILTER (WHERE id = ${id}) AS known
        FROM ${this.#queries} WHERE subscriber_id = ${subscriberId}`)
      if (Number(counted!.known) > 0) return
      if (Number(counted!.number) >= MAX_OF_SUBSCRIBER)
        throw errors.thresholdExceeded(`A subscriber may have ${MAX_OF_SUBSCRIBER} live queries.`)
      if (Number(counted!.number) === 0)
        await transaction.query(sql`
          INSERT INTO homeport.live_subscribers (id, app_id) VALUES (${subscriberId}, ${this.#appId})
          ON CONFLICT (id) DO UPDATE SET app_id = excluded.app_id`)
      await transaction.query(sql`
        INSERT INTO ${this.#queries} (subscriber_id, id, class_name, condition, user_id, with_acl)
        VALUES (${subscriberId}, ${id}, ${className}, ${condition}, ${userId}, ${withAcl})`)
    })
  }

  async remove(subscriberId: string, id: string): Promise<void> {
    await this.#database.query(sql`DELETE FROM ${this.#queries} WHERE subscriber_id = ${subscriberId} AND id = ${id}`)
  }

  async removeSubscriber(id: string): Promise<void> {
    await this.#database.query(sql`
      WITH gone AS (DELETE FROM ${this.#subscribers} WHERE id = ${id} RETURNING id)
      ${this.#forgetAppOf('gone')}`)
  }

  /** Notes that subscribers are there; those without queries leave no trace. */
  async renew(subscriberIds: readonly string[], at: number): Promise<void> {
    for (const ids of portions(subscriberIds, PORTION))
      await this.#renew(ids.map((subscriberId) => ({ subscriberId, at })))
  }

  /** Removes the subscribers that were last seen before a time. @returns the ids of some of them; none when all are gone */
  async removeUnseen(before: number): Promise<string[]> {
    const rows = await this.#database.query(sql`
      WITH old AS (
        SELECT id FROM ${this.#subscribers} WHERE seen_at < ${dateOf(before)}
        ORDER BY seen_at LIMIT ${PORTION} FOR UPDATE SKIP LOCKED
      ), gone AS (
        DELETE FROM ${this.#subscribers} AS subscriber USING old WHERE subscriber.id = old.id
        RETURNING subscriber.id
      ), forgotten AS (
        ${this.#forgetAppOf('gone')}
      )
      SELECT id FROM gone`)
    return rows.map((row) => String(row.id))
  }

  /** The queries of some subscribers. */
  async read(subscriberIds: readonly string[]): Promise<LiveQuery[]> {
    const rows = await this.#database.query(sql`
      SELECT subscriber_id, class_name, condition, user_id, with_acl
      FROM ${this.#queries} WHERE subscriber_id = ANY(${subscriberIds}::text[])`)
    return rows.flatMap((row) => this.#queryOf(row))
  }

  /** The ids of the subscribers with queries that come next behind one, in order; at most 100. */
  async subscribersBehind(id: string): Promise<string[]> {
    const rows = await this.#database.query(sql`
      SELECT id FROM ${this.#subscribers} WHERE id > ${id} ORDER BY id LIMIT ${READ_AT_ONCE}`)
    return rows.map((row) => String(row.id))
  }

  /** @param gone the name of a part of the statement that has the ids of subscribers */
  #forgetAppOf(gone: string): Sql {
    return sql`
      DELETE FROM homeport.live_subscribers AS place USING ${identifier(gone)} AS subscriber
      WHERE place.id = subscriber.id AND place.app_id = ${this.#appId}`
  }

  async #renew(seen: readonly { readonly subscriberId: string; readonly at: number }[]): Promise<void> {
    const latest = Math.max(...seen.map(({ at }) => at))
    const ids = [...new Set(seen.map(({ subscriberId }) => subscriberId))]
    await this.#database.query(sql`
      WITH seen AS (
        SELECT id FROM ${this.#subscribers} WHERE id = ANY(${ids}::text[]) ORDER BY id FOR UPDATE
      )
      UPDATE ${this.#subscribers} AS subscriber SET seen_at = greatest(seen_at, ${dateOf(latest)})
      FROM seen WHERE subscriber.id = seen.id`)
  }

  #queryOf(row: Row): LiveQuery[] {
    const identity: QueryIdentity = {
      subscriberId: String(row.subscriber_id),
      className: String(row.class_name),
      condition: String(row.condition),
      userId: row.user_id === null ? null : String(row.user_id),
      withAcl: row.with_acl === true,
    }
    try {
      return [liveQuery(identity, parseCondition(identity.condition))]
    } catch (error) {
      // Another version of this program has taken it.
      if (!(error instanceof ApiError)) throw error
      this.#log.warn({ component: 'live queries', class: identity.className }, 'a live query could not be read')
      return []
    }
  }
}

function dateOf(at: number): Sql {
  return sql`${new Date(at).toISOString()}::timestamptz`
}
