import type { Counts } from '../counts.ts'
import { coalesce, type Outcome } from '../database/coalesce.ts'
import { boolean, type Decoder, entry, number, rowDecoder, text } from '../database/decode-row.ts'
import { isRefusal } from '../database/faults.ts'
import type { Database } from '../database/pool.ts'
import { arrayLiteral, identifier, toQuery } from '../database/sql.ts'
import { Statement } from '../database/statement.ts'
import { typeOf } from './message.ts'

/** A message to be stored. */
export interface NewMessage {
  readonly id: string
  readonly convId: string
  /** The threads that store it: the conversation itself, or the threads of some of its subscribers. */
  readonly threads: readonly string[]
  readonly sender: string
  readonly content: string
  readonly bin: boolean
  /** Made by the client: messages with the same token are the same message. */
  readonly token: string | null
  readonly mentionAll: boolean
  readonly mentions: readonly string[]
  readonly receipt: boolean
  readonly ip: string | null
}

/** The position of a message: the current one, or the original one of a message that was sent again. */
export interface StoredMessage {
  readonly id: string
  readonly ts: number
  /** The time of the preceding message in the conversation; 0 for the first. */
  readonly before: number
  /** Whether the message was already stored, because the sender sent it again. */
  readonly again: boolean
}

const SIZE = 200

/**
 * Stores messages. Messages that arrive together share a statement and a commit. Only one statement runs at a time, so that the
 * messages of one sender keep their order. Between nodes, the row of the conversation in `$threads` orders them.
 */
export class MessageStore {
  readonly #database: Database
  readonly #counts: Counts | undefined
  readonly #statement: Statement
  readonly #store: (message: NewMessage) => Promise<StoredMessage>

  /** @param counts counts stored messages */
  constructor(database: Database, schema: string, counts?: Counts) {
    this.#database = database
    this.#counts = counts
    this.#statement = new Statement(insertText(schema))
    this.#store = coalesce((messages) => this.#storeAll(messages), { atOnce: 1, size: SIZE })
  }

  /** Stores a message. Resolves when it is committed. */
  store(message: NewMessage): Promise<StoredMessage> {
    return this.#store(message)
  }

  async #storeAll(messages: readonly NewMessage[]): Promise<Outcome<StoredMessage>[]> {
    const firsts = new Map<string, NewMessage>()
    for (const message of messages) if (!firsts.has(keyOf(message))) firsts.set(keyOf(message), message)
    const outcomes = await this.#insert([...firsts.values()])
    const byKey = new Map([...firsts.keys()].map((key, index) => [key, outcomes[index]!]))
    return messages.map((message) => {
      const outcome = byKey.get(keyOf(message))!
      const isFirst = firsts.get(keyOf(message)) === message
      return isFirst || 'error' in outcome ? outcome : { result: { ...outcome.result, again: true } }
    })
  }

  async #insert(messages: readonly NewMessage[]): Promise<Outcome<StoredMessage>[]> {
    try {
      const rows = await this.#database.execute(this.#statement, valuesOf(messages))
      const stored = new Map(rows.map(entry(number('number'), storedOf)))
      const outcomes = messages.map((_, number) => ({ result: stored.get(number)! }))
      this.#counts?.add([], outcomes.filter(({ result }) => !result.again).length)
      return outcomes
    } catch (error) {
      if (!isRefusal(error)) return messages.map(() => ({ error }))
      // Another node has just stored the same message: a second attempt finds it.
      if (messages.length === 1) return [await this.#again(messages[0]!)]
      const outcomes: Outcome<StoredMessage>[] = []
      for (const message of messages) outcomes.push((await this.#insert([message]))[0]!)
      return outcomes
    }
  }

  async #again(message: NewMessage): Promise<Outcome<StoredMessage>> {
    try {
      const [row] = await this.#database.execute(this.#statement, valuesOf([message]))
      return { result: storedOf(row!) }
    } catch (error) {
      return { error }
    }
  }
}

function keyOf({ id, threads, sender, token }: NewMessage): string {
  return token === null ? id : JSON.stringify([threads[0], sender, token])
}

const storedOf: Decoder<StoredMessage> = rowDecoder({
  id: text('id'),
  ts: number('ts'),
  before: number('before_ts'),
  again: boolean('again'),
})

function valuesOf(messages: readonly NewMessage[]): (readonly (string | null)[])[] {
  const entries = messages.flatMap((message, number) => message.threads.map((thread) => ({ message, number, thread })))
  const column = (read: (entry: (typeof entries)[number]) => string | null) => entries.map(read)
  return [
    column(({ number }) => String(number)),
    column(({ thread }) => thread),
    column(({ message }) => message.convId),
    column(({ message }) => message.id),
    column(({ message }) => message.sender),
    column(({ message }) => message.content),
    column(({ message }) => String(message.bin)),
    column(({ message }) => message.token),
    column(({ message }) => String(message.mentionAll)),
    column(({ message }) => (message.mentions.length > 0 ? arrayLiteral(message.mentions) : null)),
    column(({ message }) => String(message.receipt)),
    column(({ message }) => typeOf(message.content, message.bin)?.toString() ?? null),
    column(({ message }) => message.ip),
  ]
}

/**
 * Returns the statement that stores messages. `number` counts the messages; the rows of one message in several threads share it,
 * and its time. Rows of `$threads` are locked in the order of their ids, so that two statements never deadlock.
 */
function insertText(schema: string): string {
  const messages = toQuery(identifier(schema, '$messages')).text
  const threads = toQuery(identifier(schema, '$threads')).text
  return `
    WITH clock AS (
      SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
    ), incoming AS (
      SELECT number::integer, thread, conv_id, id, sender, content, bin::boolean, token, mention_all::boolean,
        mentions::text[], receipt::boolean, type::integer, ip
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
        $9::text[], $10::text[], $11::text[], $12::text[], $13::text[])
        AS incoming (number, thread, conv_id, id, sender, content, bin, token, mention_all, mentions, receipt, type, ip)
    ), again AS (
      SELECT incoming.number, message.id, message.ts
      FROM incoming
      JOIN ${messages} AS message
        ON message.thread = incoming.thread COLLATE "C"
        AND message.sender = incoming.sender COLLATE "C"
        AND message.token = incoming.token COLLATE "C"
    ), fresh AS (
      SELECT incoming.*, dense_rank() OVER (PARTITION BY conv_id ORDER BY number) AS place
      FROM incoming
      WHERE number NOT IN (SELECT number FROM again)
    ), added AS (
      SELECT conv_id, max(place) AS count
      FROM fresh
      GROUP BY conv_id
    ), advanced AS (
      INSERT INTO ${threads} AS thread (conv_id, last_ts, before_ts)
      SELECT conv_id, now + count - 1, 0
      FROM added, clock
      ORDER BY conv_id COLLATE "C"
      ON CONFLICT (conv_id) DO UPDATE
      SET before_ts = thread.last_ts,
          last_ts = greatest(
            thread.last_ts + (SELECT count FROM added WHERE added.conv_id = thread.conv_id), excluded.last_ts)
      RETURNING conv_id, last_ts, before_ts
    ), inserted AS (
      INSERT INTO ${messages} (
        thread, ts, id, conv_id, sender, content, bin, token, mention_all, mentions, receipt, type, ip)
      SELECT thread, last_ts - count + place, id, conv_id, sender, content, bin, token, mention_all, mentions, receipt,
        type, ip
      FROM fresh
      JOIN added USING (conv_id)
      JOIN advanced USING (conv_id)
    )
    SELECT number, id, last_ts - count + place AS ts,
      CASE WHEN place = 1 THEN before_ts ELSE last_ts - count + place - 1 END AS before_ts, FALSE AS again
    FROM fresh
    JOIN added USING (conv_id)
    JOIN advanced USING (conv_id)
    UNION ALL
    SELECT number, id, ts, 0, TRUE
    FROM again`
}
