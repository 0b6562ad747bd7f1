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

/** Messages after a cursor that are looked at: a client's own do not count as unread, and may be any number. */
const LOOKED_AT = 1000

/** What is unread in some conversations of a client, each of them once. */
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
 * How many messages a client has not read, in one conversation or in all (protocol/messaging, Client operations). At
 * most 100 of each conversation are counted.
 */
export async function unreadCount(messaging: Messaging, clientId: string, convId: string | null): Promise<number> {
  const only = convId === null ? null : [convId]
  const { rows } = await messaging.database.search(sql`
    WITH news AS MATERIALIZED (${newsOf(messaging, clientId, only, raw('NULL::bigint'))})
    SELECT coalesce(sum(unread.count), 0)::bigint AS count
    FROM news
    CROSS JOIN LATERAL (${countOf(messaging, clientId)}) AS unread`)
  return number('count')(rows[0]!)
}

interface Scope {
  readonly only: readonly string[] | null
  /** A time in milliseconds, or NULL for everything. */
  readonly changedAfter: Sql
  readonly limit: number
}

/**
 * The states of many clients, by `number`; `at` is the time of the statement. Of each client the conversations with unread
 * messages, those with the newest messages first (protocol/realtime, Unread notifications and offline messages). It
 * costs the same in large conversations as in small ones, and little where nothing is new.
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

/** The conversations are put in order before their messages are counted, and no more are counted than are asked for. */
function unreadStates(messaging: Parts, clientId: string | Sql, { only, changedAfter, limit }: Scope): Sql {
  return sql`
    WITH news AS MATERIALIZED (${newsOf(messaging, clientId, only, changedAfter)})
    SELECT news.conv_id AS unread_in, news.last_ts AS position, news.kind, unread.count, unread.mentioned, last.*
    FROM (SELECT * FROM news ORDER BY last_ts DESC) AS news
    CROSS JOIN LATERAL (${countOf(messaging, clientId)}) AS unread
    LEFT JOIN LATERAL (
      SELECT ${MESSAGE_COLUMNS}
      FROM (${pageOf(messaging, raw('1'), raw('TRUE'))}) AS recent
      ORDER BY ts DESC, id DESC
      LIMIT 1
    ) AS last ON TRUE
    WHERE unread.count > 0 OR news.changed_at > ${changedAfter}
    ORDER BY news.last_ts DESC
    LIMIT ${limit}::bigint`
}

/** The client's conversations with messages behind its cursor, or, since a time, those where that has changed. */
function newsOf(messaging: Parts, clientId: string | Sql, only: readonly string[] | null, changedAfter: Sql): Sql {
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

/** How many of the messages behind the cursor of `news` are from others, and whether one of them mentions the client. */
function countOf(messaging: Parts, clientId: string | Sql): Sql {
  return sql`
    SELECT count(*) AS count, coalesce(bool_or(mention_all OR ${clientId} = ANY(mentions)), FALSE) AS mentioned
    FROM (
      SELECT mention_all, mentions
      FROM (${pageOf(messaging, raw(String(LOOKED_AT)), raw('ts > news.read_ts'))}) AS recent
      WHERE sender <> ${clientId}
      ORDER BY ts DESC, id DESC
      LIMIT ${raw(String(MAX_COUNT))}
    ) AS counted`
}

/** The last messages of `news`, as ranges of the index: those for everyone, and those for this client alone. */
function pageOf(messaging: Parts, limit: Sql, condition: Sql): Sql {
  const { messages } = messaging.tables
  const page = (thread: Sql) => sql`(
    SELECT ${MESSAGE_COLUMNS}
    FROM ${messages}
    WHERE thread = ${thread} AND ${condition}
    ORDER BY ts DESC, id DESC
    LIMIT ${limit}
  )`
  return sql`${page(raw('news.conv_id'))} UNION ALL ${page(raw('news.own_thread'))}`
}

export const unreadOf: Decoder<Unread> = rowDecoder({
  convId: text('unread_in'),
  kind: text('kind', (kind) => kind as ConversationKind),
  count: number('count'),
  mentioned: boolean('mentioned'),
  last: (row) => (row.id === null ? null : messageOf(row)),
})
