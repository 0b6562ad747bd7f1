import { chunks } from '../bus/chunks.ts'
import { coalesce } from '../database/coalesce.ts'
import { boolean, type Decoder, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Database, Executor } from '../database/pool.ts'
import type { Row } from '../database/row.ts'
import { identifier, type Sql, sql } from '../database/sql.ts'
import { ApiError, errors } from '../errors.ts'
import type { Log } from '../log.ts'
import { parseCondition } from './condition.ts'
import { type LiveQuery, liveQuery, type QueryIdentity, queryIdOf } from './live-query.ts'

/** Maximum number of rows that one statement changes. */
const CHUNK = 1000
/** Number of subscribers that are read together; each may have many queries. */
const READ_AT_ONCE = 100

/** The proof of identity of a user that subscribes. */
export interface Proof {
  readonly session: string
  /** The time of the proof, as a number of `loginNumbers`. */
  readonly number: number
}

/** Returns whether a session token is still valid for its user, and keeps it valid until the end of the transaction. */
export type HoldSession = (transaction: Executor, userId: string, session: string) => Promise<boolean>

/** Deletes the queries of a user, in the transaction that ends its session. */
export async function endQueriesOf(transaction: Executor, schema: string, userId: string): Promise<void> {
  await transaction.query(sql`DELETE FROM ${identifier(schema, '$live_queries')} WHERE user_id = ${userId}`)
}

/** The live queries of an app in the database, shared by all nodes. Times are milliseconds since the epoch. */
export class QueryTable {
  readonly #database: Database
  readonly #appId: string
  readonly #subscribers: Sql
  readonly #queries: Sql
  readonly #holdSession: HoldSession
  readonly #log: Log
  /** Records a login of a subscriber. Subscribers without queries are not stored, because any client can log in. */
  readonly noteSeen: (login: { readonly subscriberId: string; readonly at: number }) => Promise<void>

  constructor(database: Database, appId: string, schema: string, holdSession: HoldSession, log: Log) {
    this.#database = database
    this.#appId = appId
    this.#subscribers = identifier(schema, '$live_subscribers')
    this.#queries = identifier(schema, '$live_queries')
    this.#holdSession = holdSession
    this.#log = log
    this.noteSeen = coalesce(
      async (logins) => {
        await this.#renew(logins)
        return logins.map(() => ({ result: undefined }))
      },
      { atOnce: 1, size: CHUNK },
    )
  }

  /** Counts the queries and their subscribers by class, on all nodes. @returns the counts in descending order */
  async countByClass(): Promise<{ className: string; queries: number; subscribers: number }[]> {
    const { rows } = await this.#database.search(sql`
      SELECT class_name, count(*) AS queries, count(DISTINCT subscriber_id) AS subscribers
      FROM ${this.#queries}
      GROUP BY class_name
      ORDER BY queries DESC, class_name`)
    return rows.map(decodeCount)
  }

  /**
   * Stores a query, unless it exists already, and renews its subscriber.
   * @param proof null for an anonymous query
   * @param max maximum number of queries of a subscriber; 0 for no maximum
   * @throws ApiError 154 when the subscriber has too many, 211 when the session has just ended
   */
  async save(query: QueryIdentity, at: number, proof: Proof | null, max: number): Promise<void> {
    const { subscriberId, className, condition, userId, withAcl } = query
    const id = queryIdOf(query)
    await this.#database.transaction(async (transaction) => {
      // The row stays locked, so that concurrent subscriptions are counted in sequence.
      await transaction.query(sql`
        INSERT INTO ${this.#subscribers} AS subscriber (id, seen_at)
        VALUES (${subscriberId}, ${dateOf(at)})
        ON CONFLICT (id) DO UPDATE SET seen_at = greatest(subscriber.seen_at, excluded.seen_at)`)
      // A concurrent end of the session waits for this transaction, and then finds the query.
      if (proof && !(await this.#holdSession(transaction, userId!, proof.session))) throw errors.userNotFound()
      const [counted] = await transaction.query(sql`
        SELECT count(*) AS number, count(*) FILTER (WHERE id = ${id}) AS known
        FROM ${this.#queries} WHERE subscriber_id = ${subscriberId}`)
      const { known, all } = decodeCounts(counted!)
      if (known > 0) {
        if (proof) await this.#renewProof(transaction, subscriberId, id, proof.number)
        return
      }
      if (max > 0 && all >= max)
        throw errors.thresholdExceeded(`The subscriber has reached its maximum of ${max} live queries.`)
      if (all === 0)
        await transaction.query(sql`
          INSERT INTO homeport.live_subscribers (id, app_id) VALUES (${subscriberId}, ${this.#appId})
          ON CONFLICT (id) DO UPDATE SET app_id = excluded.app_id`)
      await transaction.query(sql`
        INSERT INTO ${this.#queries} (subscriber_id, id, class_name, condition, user_id, with_acl, proof)
        VALUES (${subscriberId}, ${id}, ${className}, ${condition}, ${userId}, ${withAcl}, ${proof?.number ?? 0})`)
    })
  }

  /** Returns which of these subscriptions have not ended. */
  async confirm(queries: readonly LiveQuery[]): Promise<ReadonlySet<LiveQuery>> {
    const stored = new Set<string>()
    const nameOf = (subscriberId: string, id: string) => `${id} ${subscriberId}`
    for (const some of chunks(queries, CHUNK)) {
      const rows = await this.#database.query(sql`
        SELECT subscriber_id, id
        FROM ${this.#queries}
        JOIN unnest(${some.map((query) => query.subscriberId)}::text[], ${some.map((query) => query.id)}::text[])
          AS queried (subscriber_id, id) USING (subscriber_id, id)`)
      for (const { subscriberId, id } of rows.map(decodeName)) stored.add(nameOf(subscriberId, id))
    }
    return new Set(queries.filter(({ subscriberId, id }) => stored.has(nameOf(subscriberId, id))))
  }

  /** Renews a subscriber if it has the query. @returns whether it has */
  async renewSubscription(subscriberId: string, id: string, at: number): Promise<boolean> {
    const rows = await this.#database.query(sql`
      UPDATE ${this.#subscribers} AS subscriber SET seen_at = greatest(seen_at, ${dateOf(at)})
      WHERE id = ${subscriberId}
        AND EXISTS (SELECT FROM ${this.#queries} AS query WHERE query.subscriber_id = ${subscriberId} AND query.id = ${id})
      RETURNING id`)
    return rows.length > 0
  }

  async remove(subscriberId: string, id: string): Promise<void> {
    await this.#database.query(sql`DELETE FROM ${this.#queries} WHERE subscriber_id = ${subscriberId} AND id = ${id}`)
  }

  async removeSubscriber(id: string): Promise<void> {
    await this.#database.query(sql`
      WITH deleted AS (DELETE FROM ${this.#subscribers} WHERE id = ${id} RETURNING id)
      ${this.#forgetAppOf('deleted')}`)
  }

  /** Renews subscribers; those without queries are not stored. */
  async renew(subscriberIds: readonly string[], at: number): Promise<void> {
    for (const ids of chunks(subscriberIds, CHUNK)) await this.#renew(ids.map((subscriberId) => ({ subscriberId, at })))
  }

  /** Deletes expired subscribers, last seen before a time. @returns the ids of one batch; empty when none are left */
  async removeUnseen(before: number): Promise<string[]> {
    const rows = await this.#database.query(sql`
      WITH old AS (
        SELECT id FROM ${this.#subscribers} WHERE seen_at < ${dateOf(before)}
        ORDER BY seen_at LIMIT ${CHUNK} FOR UPDATE SKIP LOCKED
      ), deleted AS (
        DELETE FROM ${this.#subscribers} AS subscriber USING old WHERE subscriber.id = old.id
        RETURNING subscriber.id
      ), forgotten AS (
        ${this.#forgetAppOf('deleted')}
      )
      SELECT id FROM deleted`)
    return rows.map(text('id'))
  }

  /** Returns the queries of some subscribers. */
  async read(subscriberIds: readonly string[]): Promise<LiveQuery[]> {
    const rows = await this.#database.query(sql`
      SELECT subscriber_id, class_name, condition, user_id, with_acl, proof
      FROM ${this.#queries} WHERE subscriber_id = ANY(${subscriberIds}::text[])`)
    return rows.flatMap((row) => this.#queryOf(row))
  }

  /** Returns the ids of at most 100 subscribers with queries after an id, in order. */
  async outdatedSubscribers(id: string): Promise<string[]> {
    const rows = await this.#database.query(sql`
      SELECT id FROM ${this.#subscribers} WHERE id > ${id} ORDER BY id LIMIT ${READ_AT_ONCE}`)
    return rows.map(text('id'))
  }

  /** @param subscriberId the name of the part of the statement with the ids of subscribers */
  #forgetAppOf(deletedRows: string): Sql {
    return sql`
      DELETE FROM homeport.live_subscribers AS place USING ${identifier(deletedRows)} AS subscriber
      WHERE place.id = subscriber.id AND place.app_id = ${this.#appId}`
  }

  async #renewProof(transaction: Executor, subscriberId: string, id: string, number: number): Promise<void> {
    await transaction.query(sql`
      UPDATE ${this.#queries} SET proof = greatest(proof, ${number}::bigint)
      WHERE subscriber_id = ${subscriberId} AND id = ${id}`)
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
    const identity = decodeIdentity(row)
    try {
      const proof = identity.userId === null ? null : number('proof')(row)
      return [liveQuery(identity, parseCondition(identity.condition), proof)]
    } catch (error) {
      // Another version of this program has accepted it.
      if (!(error instanceof ApiError)) throw error
      this.#log.warn({ class: identity.className }, 'live query not readable, skipped')
      return []
    }
  }
}

function dateOf(at: number): Sql {
  return sql`${new Date(at).toISOString()}::timestamptz`
}

const decodeCount = rowDecoder({
  className: text('class_name'),
  queries: number('queries'),
  subscribers: number('subscribers'),
})

const decodeIdentity: Decoder<QueryIdentity> = rowDecoder({
  subscriberId: text('subscriber_id'),
  className: text('class_name'),
  condition: text('condition'),
  userId: text.orNull('user_id'),
  withAcl: boolean('with_acl'),
})

const decodeName = rowDecoder({ subscriberId: text('subscriber_id'), id: text('id') })

const decodeCounts = rowDecoder({ known: number('known'), all: number('number') })
