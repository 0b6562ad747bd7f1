import type { Row } from '../database/pool.ts'
import { raw, type Sql, sql } from '../database/sql.ts'
import type { ConversationKind } from './conversation.ts'
import { conversationsOf } from './conversations-of-client.ts'
import type { SessionEvent, Unread } from './events.ts'
import { MESSAGE_COLUMNS, messageOf } from './history.ts'
import type { Messaging } from './messaging.ts'

/** spec/realtime-protocol, 14 */
const MAX_CONVERSATIONS = 50
const MAX_COUNT = 100

/** Of what came after a mark, so many messages are looked at: a client's own, which do not count, may be any number. */
const LOOKED_AT = 1000

/**
 * Messages are stored a moment after the time that they bear. What bears a time shortly before the one that a client
 * names may not have been told to it then.
 */
const MARGIN = 1000

/**
 * What a client is told when it logs in: the conversations with unread messages, those with the newest messages first
 * (spec/realtime-protocol, 6.6). It costs the same in large conversations as in small ones, and little where nothing is new.
 * @param since what the client was told last, in milliseconds: only what has changed since; null for everything
 * @returns null when there is nothing to tell
 */
export async function unreadAtLogin(
  messaging: Messaging,
  clientId: string,
  since: number | null,
): Promise<Extract<SessionEvent, { kind: 'unread' }> | null> {
  const at = Date.now()
  const changedAfter = since === null ? null : since - MARGIN
  const { rows } = await messaging.database.search(
    unreadStates(messaging, clientId, { only: null, changedAfter, limit: MAX_CONVERSATIONS }),
  )
  return rows.length === 0 ? null : { kind: 'unread', at, conversations: rows.map(unreadOf) }
}

/** What is unread in some conversations of a client; those without unread messages are missing. */
export async function unreadIn(messaging: Messaging, clientId: string, convIds: readonly string[]): Promise<Unread[]> {
  const { rows } = await messaging.database.search(
    unreadStates(messaging, clientId, { only: convIds, changedAfter: null, limit: convIds.length }),
  )
  return rows.map(unreadOf)
}

/**
 * How many messages a client has not read, in one conversation or in all (spec/3, Client operations). At most 100 of each
 * conversation are counted.
 */
export async function unreadCount(messaging: Messaging, clientId: string, convId: string | null): Promise<number> {
  const only = convId === null ? null : [convId]
  const { rows } = await messaging.database.search(sql`
    WITH news AS MATERIALIZED (${newsOf(messaging, clientId, only, null)})
    SELECT coalesce(sum(unread.count), 0)::bigint AS count
    FROM news
    CROSS JOIN LATERAL (${countOf(messaging, clientId)}) AS unread`)
  return Number(rows[0]?.count)
}

interface Scope {
  readonly only: readonly string[] | null
  readonly changedAfter: number | null
  readonly limit: number
}

/** The conversations are put in order before their messages are counted, and no more are counted than are asked for. */
function unreadStates(messaging: Messaging, clientId: string, { only, changedAfter, limit }: Scope): Sql {
  const isTold =
    changedAfter === null
      ? raw('unread.count > 0')
      : sql`(unread.count > 0 OR news.changed_at > ${changedAfter}::bigint)`
  return sql`
    WITH news AS MATERIALIZED (${newsOf(messaging, clientId, only, changedAfter)})
    SELECT news.conv_id AS unread_in, news.kind, unread.count, unread.mentioned, last.*
    FROM (SELECT * FROM news ORDER BY last_ts DESC) AS news
    CROSS JOIN LATERAL (${countOf(messaging, clientId)}) AS unread
    LEFT JOIN LATERAL (
      SELECT ${MESSAGE_COLUMNS}
      FROM (${pageOf(messaging, raw('1'), raw('TRUE'))}) AS recent
      ORDER BY ts DESC, id DESC
      LIMIT 1
    ) AS last ON TRUE
    WHERE ${isTold}
    ORDER BY news.last_ts DESC
    LIMIT ${limit}::bigint`
}

/** The client's conversations with messages behind its mark, or, since a time, those where that has changed. */
function newsOf(
  messaging: Messaging,
  clientId: string,
  only: readonly string[] | null,
  changedAfter: number | null,
): Sql {
  const { threads, reads } = messaging.tables
  const isNews = sql`thread.last_ts > greatest(mark.read_ts, mine.since_ts)`
  const isNewsSince =
    changedAfter === null
      ? isNews
      : sql`((${isNews} AND thread.last_ts > ${changedAfter}::bigint) OR mark.changed_at > ${changedAfter}::bigint)`
  return sql`
    SELECT mine.conv_id, mine.kind, mine.own_thread, thread.last_ts, mark.changed_at,
      greatest(mark.read_ts, mine.since_ts) AS read_ts
    FROM (${conversationsOf(messaging, clientId, only)}) AS mine
    JOIN ${threads} AS thread ON thread.conv_id = mine.conv_id
    LEFT JOIN ${reads} AS mark ON mark.client_id = ${clientId} AND mark.conv_id = mine.conv_id
    WHERE ${isNewsSince}`
}

/** How many of the messages behind the mark of `news` are from others, and whether one of them mentions the client. */
function countOf(messaging: Messaging, clientId: string): Sql {
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
function pageOf(messaging: Messaging, limit: Sql, condition: Sql): Sql {
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

function unreadOf(row: Row): Unread {
  return {
    convId: String(row.unread_in),
    kind: row.kind as ConversationKind,
    count: Number(row.count),
    mentioned: row.mentioned === true,
    last: row.id === null ? null : messageOf(row),
  }
}
