import { coalesce, type Outcome } from '../../database/coalesce.ts'
import { isTimeout } from '../../database/faults.ts'
import type { Database } from '../../database/pool.ts'
import { raw, sql } from '../../database/sql.ts'
import type { Absence, AbsenceLookup, Glance, UnreadStates } from '../absence.ts'
import type { Unread } from '../events.ts'
import type { Messaging } from '../messaging.ts'
import { conversationsOf } from './conversations-of-client.ts'
import { isNewsSince, statesOfMany, unreadOf } from './unread.ts'

/** Clients that one statement is about: some have many conversations, and the others wait for them. */
const SIZE = 50
/** While the answers of one statement are worked on, the database has the next one. */
const AT_ONCE = 2
/** A client may wait so long, in milliseconds, for others that come with it. */
const INTERVAL = 20

/**
 * Messages and their changes are stored a moment after the time that they bear, in milliseconds. What bears a time shortly
 * before the one that a client names may not have been told to it then.
 */
const MARGIN = 1000

/**
 * What clients have missed that log in. Most have missed little: one statement says of many who has missed anything at
 * all, and only of those it is read what it was.
 */
export class Missed implements AbsenceLookup {
  readonly glance: AbsenceLookup['glance']
  readonly unread: AbsenceLookup['unread']

  constructor(parts: Pick<Messaging, 'database' | 'objects' | 'tables'>) {
    this.glance = coalesceSearch((absences) => glanceAtAll(parts, absences))
    this.unread = coalesceSearch((absences) => unreadOfAll(parts, absences))
  }
}

/** Statements of unknown cost: where one runs out of its time, each client is looked at by itself. */
function coalesceSearch<Item, Result>(search: (items: readonly Item[]) => Promise<readonly Result[]>) {
  const alone = async (item: Item): Promise<Outcome<Result>> => {
    try {
      return { result: (await search([item]))[0]! }
    } catch (error) {
      return { error }
    }
  }
  const run = async (items: readonly Item[]): Promise<readonly Outcome<Result>[]> => {
    try {
      return (await search(items)).map((result) => ({ result }))
    } catch (error) {
      if (!isTimeout(error) || items.length === 1) throw error
      const outcomes: Outcome<Result>[] = []
      for (const item of items) outcomes.push(await alone(item))
      return outcomes
    }
  }
  return coalesce(run, { atOnce: AT_ONCE, size: SIZE, interval: INTERVAL })
}

type Parts = Pick<Messaging, 'database' | 'objects' | 'tables'>

async function glanceAtAll(messaging: Parts, absences: readonly Absence[]): Promise<Glance[]> {
  const { threads, reads, messages } = messaging.tables
  const rows = await found(
    messaging.database,
    sql`
    SELECT item.number, glance.*
    FROM unnest(
      ${absences.map((_, number) => String(number))}::integer[],
      ${absences.map(({ clientId }) => clientId)}::text[],
      ${absences.map(({ unreadSince }) => startOf(unreadSince))}::bigint[],
      ${absences.map(({ patchesSince }) => startOf(patchesSince))}::bigint[]
    ) AS item (number, client_id, changed_after, patched_after)
    CROSS JOIN LATERAL (
      SELECT bool_or(${isNewsSince(raw('item.changed_after'))}) AS unread,
        bool_or(item.patched_after IS NOT NULL AND EXISTS (
          SELECT
          FROM unnest(ARRAY[mine.conv_id, mine.own_thread]) AS place (thread)
          CROSS JOIN LATERAL (
            SELECT
            FROM ${messages} AS message
            WHERE message.thread = place.thread COLLATE "C"
              AND patched_at > item.patched_after
              AND ts > mine.since_ts
            LIMIT 1
          ) AS patched
        )) AS patches
      FROM (${conversationsOf(messaging, raw('item.client_id'))}) AS mine
      LEFT JOIN ${threads} AS thread ON thread.conv_id = mine.conv_id
      LEFT JOIN ${reads} AS read_cursor
        ON read_cursor.client_id = item.client_id COLLATE "C" AND read_cursor.conv_id = mine.conv_id
    ) AS glance
    WHERE glance.unread OR glance.patches`,
  )
  const byNumber = new Map(rows.map((row) => [Number(row.number), row]))
  return absences.map((_, number) => {
    const row = byNumber.get(number)
    return { unread: row?.unread === true, patches: row?.patches === true }
  })
}

async function unreadOfAll(
  messaging: Parts,
  absences: readonly Omit<Absence, 'patchesSince'>[],
): Promise<UnreadStates[]> {
  const statesSince = absences.map(({ clientId, unreadSince }) => ({ clientId, since: startOf(unreadSince) }))
  const rows = await found(messaging.database, statesOfMany(messaging, statesSince))
  const states = absences.map(() => ({ at: Date.now(), conversations: [] as Unread[] }))
  for (const row of rows) {
    const state = states[Number(row.number)]!
    state.at = Number(row.at)
    state.conversations.push(unreadOf(row))
  }
  return states
}

async function found(database: Database, statement: Parameters<Database['search']>[0]) {
  return (await database.search(statement)).rows
}

function startOf(since: number | null): string | null {
  // What one client names must not spoil the statement for the others.
  return since === null ? null : Math.trunc(Math.min(since, Number.MAX_SAFE_INTEGER) - MARGIN).toString()
}
