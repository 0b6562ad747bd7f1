import { setTimeout as sleep } from 'node:timers/promises'
import type { Executor } from '../database/pool.ts'
import { type Sql, sql } from '../database/sql.ts'
import type { Log } from '../log.ts'
import { Sequence } from '../scheduling/sequence.ts'

export interface LastMessageTimesOptions {
  readonly database: Pick<Executor, 'query'>
  /** The table of the class `_Conversation`. */
  readonly conversations: Sql
  readonly log: Log
  /** Maximum delay of the records, in milliseconds. */
  readonly interval?: number
  /** Waits; a timer by default. */
  readonly pause?: (milliseconds: number) => Promise<void>
}

/** Maximum number of rows that one statement changes. */
const SIZE = 500

/**
 * Keeps the field `lm` of conversations up to date: the time of the last message, for queries and sorting. Sending does not wait
 * for it; the times are collected and written in batches.
 */
export class LastMessageTimes {
  readonly #options: LastMessageTimesOptions
  readonly #timer: NodeJS.Timeout
  readonly #pause: (milliseconds: number) => Promise<void>
  #times = new Map<string, number>()
  readonly #writes = new Sequence()
  #isStopping = false

  constructor(options: LastMessageTimesOptions) {
    this.#options = options
    this.#pause = options.pause ?? ((milliseconds) => sleep(milliseconds, undefined, { ref: false }))
    this.#timer = setInterval(() => void this.flush(), options.interval ?? 2000).unref()
  }

  /** Notes that a message was stored in a conversation that has a record. @param ts milliseconds */
  note(convId: string, ts: number): void {
    if ((this.#times.get(convId) ?? 0) < ts) this.#times.set(convId, ts)
  }

  /** Writes the collected times. Times that cannot be written now are written with the next batch. */
  flush(): Promise<void> {
    return this.#writes.run(() => this.#write())
  }

  /** Writes the remaining times. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#timer)
    await this.flush()
  }

  async #write(): Promise<void> {
    const times = [...this.#times]
    this.#times = new Map()
    for (let start = 0; start < times.length; start += SIZE) {
      const began = performance.now()
      try {
        await this.#writeSome(times.slice(start, start + SIZE))
      } catch (error) {
        for (const [convId, ts] of times.slice(start)) this.note(convId, ts)
        const reason = error instanceof Error ? error.message : String(error)
        this.#options.log.warn({ error: reason }, 'storing last message times failed, retrying')
        return
      }
      // Each statement rewrites whole rows, with all members. A pause of the same length leaves the database to other tenants
      // when a client writes to thousands of conversations.
      if (!this.#isStopping && start + SIZE < times.length) await this.#pause(performance.now() - began)
    }
  }

  #writeSome(times: readonly (readonly [convId: string, ts: number])[]): Promise<void> {
    const { database, conversations } = this.#options
    return writeLastMessageTimes(database, conversations, times)
  }
}

/**
 * Writes times of last messages into the records of their conversations; older times are ignored. Rows are locked in the order of
 * their ids. `updatedAt` is unchanged, because no client has changed the record.
 * @param times in milliseconds
 */
export async function writeLastMessageTimes(
  executor: Pick<Executor, 'query'>,
  conversations: Sql,
  times: readonly (readonly [convId: string, ts: number])[],
): Promise<void> {
  const dates = times.map(([, ts]) => new Date(ts).toISOString())
  await executor.query(sql`
    WITH noted AS (
      SELECT conversation.id, date
      FROM unnest(${times.map(([convId]) => convId)}::text[], ${dates}::text[]) AS noted (id, date)
      JOIN ${conversations} AS conversation ON conversation.id = noted.id COLLATE "C"
      WHERE date COLLATE "C" > COALESCE(conversation.data->'lm'->>'iso', '') COLLATE "C"
      ORDER BY conversation.id
      FOR UPDATE OF conversation
    )
    UPDATE ${conversations} AS conversation
    SET data = jsonb_set(conversation.data, '{lm}', jsonb_build_object('__type', 'Date', 'iso', date))
    FROM noted
    WHERE conversation.id = noted.id`)
}
