import { boolean, type Decoder, entry, number, rowDecoder, text } from '../../database/decode-row.ts'
import { raw, type Sql, sql } from '../../database/sql.ts'
import type { ConversationKind } from '../conversation.ts'
import type { Unread } from '../events.ts'
import { MESSAGE_COLUMNS, messageOf } from '../messages/history.ts'
import type { Messaging } from '../messaging.ts'
import { conversationsOf } from './conversations-of-client.ts'

type Parts = Pick<Messaging, 'objects' | 'tables'>

/** protocol/realtime, Limits */
const MAX_CONVERSATIONS = 50
const MAX_COUNT = 100

/** Maximum number of messages after a cursor that are examined: a client's own messages are not unread, and may be any number. */
const LOOKED_AT = 1000

/** Returns the unread states of some conversations of a client, each once. */
export async function countsOf(
  messaging: Messaging,
  clientId: string,
  conversations: readonly Pick<Unread, 'convId' | 'kind'>[],
): Promise<Unread[]> {
  if (conversations.length === 0) return []
  const only = conversations.map(({ convId }) => convId)
  const scope = { only, changedAfter: raw('NULL::bigint'), limit: only.length }
  const { rows } = await messaging.database.search(unreadStates(messaging, clientId, scope))
  const unread = new Map(rows.map(entry(text('unread_in'), unreadOf)))
  return conversations.map(
    ({ convId, kind }) => unread.get(convId) ?? { convId, kind, count: 0, mentioned: false, last: null },
  )
}

/**
 * Returns the number of unread messages of a client, in one conversation or in all (protocol/messaging, Client operations).
 * Counts at most 100 messages of each conversation.
 */
export async function unreadCount(messaging: Messaging, clientId: string, convId: string | null): Promise<number> {
  const only = convId === null ? null : [convId]
  const { rows } = await messaging.database.search(sql`
    WITH changed AS MATERIALIZED (${changedUnread(messaging, clientId, only, raw('NULL::bigint'))})
    SELECT coalesce(sum(unread.count), 0)::bigint AS count
    FROM changed
    CROSS JOIN LATERAL (${countOf(messaging, clientId)}) AS unread`)
  return number('count')(rows[0]!)
}

interface Scope {
  readonly only: readonly string[] | null
  /** A time in milliseconds, or NULL for all. */
  readonly changedAfter: Sql
  readonly limit: number
}

/**
 * Selects the unread states of many clients, by `number`; `at` is the time of the statement. Includes the conversations with
 * unread messages of each client, newest message first (protocol/realtime, Unread notifications and offline messages). The cost
 * does not depend on the size of conversations, and is small for those without new messages.
 */
export function statesOfMany(
  messaging: Parts,
  clients: readonly { readonly clientId: string; readonly since: string | null }[],
): Sql {
  const scope = { only: null, changedAfter: raw('item.changed_after'), limit: MAX_CONVERSATIONS }
  return sql`
    SELECT item.number, (extract(epoch FROM statement_timestamp()) * 1000)::bigint AS at, state.*
    FROM unnest(
      ${clients.map((_, number) => String(number))}::integer[],
      ${clients.map(({ clientId }) => clientId)}::text[],
      ${clients.map(({ since }) => since)}::bigint[]
    ) AS item (number, client_id, changed_after)
    CROSS JOIN LATERAL (${unreadStates(messaging, raw('item.client_id COLLATE "C"'), scope)}) AS state
    ORDER BY item.number, state.position DESC`
}

/** Sorts the conversations before counting their messages, so that only the requested number is counted. */
function unreadStates(messaging: Parts, clientId: string | Sql, { only, changedAfter, limit }: Scope): Sql {
  return sql`
    WITH changed AS MATERIALIZED (${changedUnread(messaging, clientId, only, changedAfter)})
    SELECT changed.conv_id AS unread_in, changed.last_ts AS position, changed.kind, unread.count, unread.mentioned, last.*
    FROM (SELECT * FROM changed ORDER BY last_ts DESC) AS changed
    CROSS JOIN LATERAL (${countOf(messaging, clientId)}) AS unread
    LEFT JOIN LATERAL (
      SELECT ${MESSAGE_COLUMNS}
      FROM (${pageOf(messaging, raw('1'), raw('TRUE'))}) AS recent
      ORDER BY ts DESC, id DESC
      LIMIT 1
    ) AS last ON TRUE
    WHERE unread.count > 0 OR changed.changed_at > ${changedAfter}
    ORDER BY changed.last_ts DESC
    LIMIT ${limit}::bigint`
}

/**
 * Selects the client's conversations with messages after its cursor or, since a time, the ones whose unread state has changed.
 */
function changedUnread(
  messaging: Parts,
  clientId: string | Sql,
  only: readonly string[] | null,
  changedAfter: Sql,
): Sql {
  const { threads, reads } = messaging.tables
  return sql`
    SELECT mine.conv_id, mine.kind, mine.own_thread, thread.last_ts, read_cursor.changed_at,
      greatest(read_cursor.read_ts, mine.since_ts) AS read_ts
    FROM (${conversationsOf(messaging, clientId, only)}) AS mine
    JOIN ${threads} AS thread ON thread.conv_id = mine.conv_id
    LEFT JOIN ${reads} AS read_cursor ON read_cursor.client_id = ${clientId} AND read_cursor.conv_id = mine.conv_id
    WHERE thread.last_ts > greatest(read_cursor.read_ts, mine.since_ts)
        AND (${changedAfter} IS NULL OR thread.last_ts > ${changedAfter})
      OR read_cursor.changed_at > ${changedAfter}`
}

/** Counts the messages of others after the cursor of `changed`, and finds whether one of them mentions the client. */
function countOf(messaging: Parts, clientId: string | Sql): Sql {
  return sql`
    SELECT count(*) AS count, coalesce(bool_or(mention_all OR ${clientId} = ANY(mentions)), FALSE) AS mentioned
    FROM (
      SELECT mention_all, mentions
      FROM (${pageOf(messaging, raw(String(LOOKED_AT)), raw('ts > changed.read_ts'))}) AS recent
      WHERE sender <> ${clientId}
      ORDER BY ts DESC, id DESC
      LIMIT ${raw(String(MAX_COUNT))}
    ) AS counted`
}

/** Selects the last messages of `changed` as ranges of the index: broadcasts, and messages for this client alone. */
function pageOf(messaging: Parts, limit: Sql, condition: Sql): Sql {
  const { messages } = messaging.tables
  const page = (thread: Sql) => sql`(
    SELECT ${MESSAGE_COLUMNS}
    FROM ${messages}
    WHERE thread = ${thread} AND ${condition}
    ORDER BY ts DESC, id DESC
    LIMIT ${limit}
  )`
  return sql`${page(raw('changed.conv_id'))} UNION ALL ${page(raw('changed.own_thread'))}`
}

export const unreadOf: Decoder<Unread> = rowDecoder({
  convId: text('unread_in'),
  kind: text('kind', (kind) => kind as ConversationKind),
  count: number('count'),
  mentioned: boolean('mentioned'),
  last: (row) => (row.id === null ? null : messageOf(row)),
})
