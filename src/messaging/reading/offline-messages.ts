import { chunks } from '../../bus/chunks.ts'
import { text } from '../../database/decode-row.ts'
import type { Row } from '../../database/row.ts'
import { sql } from '../../database/sql.ts'
import type { ConversationKind } from '../conversation.ts'
import { MESSAGE_COLUMNS, messageOf } from '../messages/history.ts'
import type { Messaging } from '../messaging.ts'
import type { ClientSession } from '../presence.ts'
import { conversationsOf } from './conversations-of-client.ts'
import { acknowledge, type Received } from './reads.ts'

/** Maximum number of unacknowledged messages of a conversation. */
const PAGE_SIZE = 20
/** Number of conversations whose messages are read together: at most a megabyte. */
const CHUNK = 10

/**
 * Sends a session of version 1 the messages that it missed while offline (protocol/realtime, Unread notifications and offline
 * messages): a page of each conversation, oldest first, and the next page after the acknowledgement of the previous one.
 */
export class OfflineMessages {
  readonly #messaging: Messaging
  readonly #session: ClientSession
  /** The time of the last message of the latest page, for conversations with more messages. */
  readonly #sentUpTo = new Map<string, number>()
  readonly #sending = new Set<string>()
  readonly #untilRead: () => Promise<boolean>

  /**
   * @param untilRead resolves with true when the client has read most of what it was sent; with false when it has disconnected
   */
  constructor(messaging: Messaging, session: ClientSession, untilRead: () => Promise<boolean>) {
    this.#messaging = messaging
    this.#session = session
    this.#untilRead = untilRead
  }

  /** Sends the first page of each conversation, at the pace of the client: it may be in any number of conversations. */
  async begin(): Promise<void> {
    for (const convIds of chunks(await this.#pending(), CHUNK)) {
      if (!(await this.#untilRead())) return
      await this.#send(convIds)
    }
  }

  /**
   * Acknowledges received messages; replaces `acknowledge` for the session. Limits the cursor to the messages that were sent:
   * newer messages arrive before the remaining ones, and acknowledging them must not mark those as received.
   */
  async acknowledge(received: Received): Promise<void> {
    const { convId } = received
    const sentUpTo = this.#sentUpTo.get(convId) ?? null
    const upTo = await acknowledge(this.#messaging, this.#session.clientId, received, sentUpTo)
    if (upTo === null || sentUpTo === null || upTo < sentUpTo || this.#sending.has(convId)) return
    // A concurrent acknowledgement of the same page has already triggered the next page.
    if (this.#sentUpTo.get(convId) !== sentUpTo) return
    this.#sending.add(convId)
    try {
      await this.#send([convId])
    } finally {
      this.#sending.delete(convId)
    }
  }

  /** Returns the conversations with unreceived messages, latest message first. */
  async #pending(): Promise<string[]> {
    const { database, tables } = this.#messaging
    const { clientId, principal } = this.#session
    const statement = sql`
      SELECT mine.conv_id
      FROM (${conversationsOf(this.#messaging, clientId)}) AS mine
      JOIN ${tables.threads} AS thread ON thread.conv_id = mine.conv_id
      LEFT JOIN ${tables.reads} AS read_cursor ON read_cursor.client_id = ${clientId} AND read_cursor.conv_id = mine.conv_id
      WHERE thread.last_ts > greatest(read_cursor.received_ts, mine.since_ts)
      ORDER BY thread.last_ts DESC`
    const { rows } = await database.search(statement, principal)
    return rows.map(convIdOf)
  }

  async #send(convIds: readonly string[]): Promise<void> {
    const { database, tables } = this.#messaging
    const { clientId, principal } = this.#session
    const statement = sql`
      SELECT mine.kind, pending.*
      FROM (${conversationsOf(this.#messaging, clientId, convIds)}) AS mine
      LEFT JOIN ${tables.reads} AS read_cursor ON read_cursor.client_id = ${clientId} AND read_cursor.conv_id = mine.conv_id
      CROSS JOIN LATERAL (
        SELECT ${MESSAGE_COLUMNS}
        FROM unnest(ARRAY[mine.conv_id, mine.own_thread]) AS place (name)
        CROSS JOIN LATERAL (
          SELECT ${MESSAGE_COLUMNS}
          FROM ${tables.messages}
          WHERE thread = place.name COLLATE "C"
            AND ts > greatest(read_cursor.received_ts, mine.since_ts)
            AND sender <> ${clientId}
          ORDER BY ts, id
          LIMIT ${PAGE_SIZE + 1}::bigint
        ) AS message
        ORDER BY ts, id
        LIMIT ${PAGE_SIZE + 1}::bigint
      ) AS pending
      ORDER BY mine.conv_id, pending.ts, pending.id`
    const { rows } = await database.search(statement, principal)
    for (const convId of convIds) this.#sentUpTo.delete(convId)
    const pages = new Map<string, Row[]>()
    for (const row of rows) {
      const convId = convIdOf(row)
      pages.set(convId, [...(pages.get(convId) ?? []), row])
    }
    for (const page of pages.values()) this.#push(page.slice(0, PAGE_SIZE), page.length > PAGE_SIZE)
  }

  #push(page: readonly Row[], hasMore: boolean): void {
    const messages = page.map(messageOf)
    const { convId, ts } = messages.at(-1)!
    if (hasMore) this.#sentUpTo.set(convId, ts)
    for (const [index, message] of messages.entries()) {
      const conversation = kindOf(page[index]!)
      this.#session.push({ kind: 'message', message, conversation, transient: false, offline: true, hasMore })
    }
  }
}

const convIdOf = text('conv_id')

const kindOf = text('kind', (kind) => kind as ConversationKind)
