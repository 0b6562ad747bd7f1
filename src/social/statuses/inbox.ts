import { number } from '../../database/decode-row.ts'
import { join, raw, type Sql, sql } from '../../database/sql.ts'
import type { Caller } from '../../objects/access/caller.ts'
import { checkPermission } from '../../objects/access/permissions.ts'
import { presentRows } from '../../objects/reading/present.ts'
import { readableRows, whereContext } from '../../objects/store.ts'
import { whereToSql } from '../../objects/where/to-sql.ts'
import type { Where } from '../../objects/where/tree.ts'
import type { Inbox, InboxQuery } from './inbox-query.ts'
import { INBOX_SIZE, STATUS, type Statuses, tableOf } from './statuses.ts'

export interface InboxPage {
  /** Statuses as JSON texts, each with its `messageId`. */
  readonly results: readonly string[]
  /** Whether these are the last results. */
  readonly end: boolean
  /** undefined when not requested */
  readonly count: number | undefined
}

export interface InboxCounts {
  readonly total: number
  /** Statuses since the count was last reset. */
  readonly unread: number
}

/**
 * Returns statuses of an inbox, newest first by default. Statuses that the caller may not read by their ACL are hidden, so a
 * sender can withdraw a status by changing its ACL.
 * @throws ApiError 102, 124, 403 without the class permission `get`
 */
export async function readInbox(
  statuses: Statuses,
  inbox: Inbox,
  query: InboxQuery,
  caller: Caller,
): Promise<InboxPage> {
  const { database, objects } = statuses
  const schema = objects.classes.get(STATUS)!
  checkPermission(STATUS, schema.permissions, 'get', caller)
  const found = entriesOf(statuses, inbox, rangeOf(query), query.where, caller)
  const principal = caller.origin?.principal
  const direction = raw(query.isAscending ? 'ASC' : 'DESC')
  const [shown, count] = await Promise.all([
    objects.results.withRoom(principal, async (room) => {
      const { rows } = await database.search(
        // `found` counts all rows of the page: rows beyond the maximum response size are not sent.
        sql`
          WITH page AS MATERIALIZED (
            SELECT entry.message_id, status.id, status.created_at, status.updated_at, status.acl, status.data
            ${found}
            ORDER BY entry.message_id ${direction}
            LIMIT ${query.limit + 1} OFFSET ${query.skip}
          )
          SELECT *, (SELECT count(*) FROM page) AS found FROM page ORDER BY message_id ${direction}`,
        principal,
        room.sizeOf,
        room.begin,
      )
      const page = rows.slice(0, query.limit)
      const texts = await room.presentQueued(() => presentRows(objects, schema, page, query.view, caller))
      const results = texts.map((text, index) => `${text.slice(0, -1)},"messageId":${page[index]!.message_id}}`)
      return { results, end: results.length === (rows[0] ? number('found')(rows[0]) : 0) }
    }),
    query.count ? countOf(statuses, found, caller) : undefined,
  ])
  return { ...shown, count }
}

/**
 * Counts the statuses that the owner of an inbox can see, for any caller.
 * @throws ApiError 403 without the class permission `get`
 */
export async function countInbox(statuses: Statuses, inbox: Inbox, caller: Caller): Promise<InboxCounts> {
  checkPermission(STATUS, statuses.objects.classes.get(STATUS)!.permissions, 'get', caller)
  const reader = await readerOf(statuses, inbox, caller)
  const { rows } = await statuses.database.search(
    sql`
      SELECT count(*) AS total, count(*) FILTER (WHERE entry.message_id > inbox.read_id) AS unread
      ${entriesOf(statuses, inbox, sql`TRUE`, null, reader)}`,
    caller.origin?.principal,
  )
  return { total: number('total')(rows[0]!), unread: number('unread')(rows[0]!) }
}

async function readerOf(statuses: Statuses, { ownerId }: Inbox, caller: Caller): Promise<Caller> {
  if (caller.master || caller.userId === ownerId) return caller
  const roles = await statuses.rolesOf(ownerId)
  return { ...caller, userId: ownerId, grants: [ownerId, ...roles.map((role) => `role:${role}`)] }
}

/** Marks all statuses of an inbox as read. */
export async function resetUnreadCount({ database, tables }: Statuses, inbox: Inbox, caller: Caller): Promise<void> {
  await database.query(
    sql`
      UPDATE ${tables.inboxes}
      SET read_id = last_id
      WHERE owner_id = ${inbox.ownerId} AND inbox_type = ${inbox.type} AND read_id < last_id`,
    caller.origin?.principal,
  )
}

/** Removes a status from this inbox only. Does nothing when it is not there. */
export async function removeFromInbox(
  { database, tables }: Statuses,
  inbox: Inbox,
  messageId: number,
  caller: Caller,
): Promise<void> {
  await database.query(
    sql`
      UPDATE ${tables.entries}
      SET removed = true
      WHERE owner_id = ${inbox.ownerId} AND inbox_type = ${inbox.type} AND message_id = ${messageId}`,
    caller.origin?.principal,
  )
}

/**
 * Returns the FROM clause and conditions for the entries of an inbox with their statuses. They are limited to the last
 * `INBOX_SIZE` entries, which bounds every statement on an inbox.
 */
function entriesOf(statuses: Statuses, inbox: Inbox, range: Sql, where: Where | null, caller: Caller): Sql {
  const { objects, tables } = statuses
  const conditions = [sql`id = entry.status_id`, readableRows(objects, STATUS, caller)]
  if (where) conditions.push(whereToSql(where, STATUS, whereContext(objects, caller)))
  return sql`
    FROM ${tables.inboxes} AS inbox
    JOIN ${tables.entries} AS entry
      ON entry.owner_id = inbox.owner_id
      AND entry.inbox_type = inbox.inbox_type
      AND entry.message_id > inbox.last_id - ${INBOX_SIZE}::integer
    CROSS JOIN LATERAL (
      SELECT id, created_at, updated_at, acl, data FROM ${tableOf(statuses, STATUS)} WHERE ${join(conditions, ' AND ')}
    ) AS status
    WHERE inbox.owner_id = ${inbox.ownerId} AND inbox.inbox_type = ${inbox.type} AND NOT entry.removed AND ${range}`
}

function rangeOf({ since, max }: InboxQuery): Sql {
  const after = sql`entry.message_id > ${since}::integer`
  return max === null ? after : sql`${after} AND entry.message_id <= ${max}::integer`
}

async function countOf({ database }: Statuses, found: Sql, caller: Caller): Promise<number> {
  const { rows } = await database.search(sql`SELECT count(*) AS count ${found}`, caller.origin?.principal)
  return number('count')(rows[0]!)
}
