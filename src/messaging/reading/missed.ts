import { coalesce, type Outcome } from '../../database/coalesce.ts'
import { entry, isTrue, number, rowDecoder } from '../../database/decode-row.ts'
import { isTimeout } from '../../database/faults.ts'
import { raw, type Sql, sql } from '../../database/sql.ts'
import type { Principal } from '../../scheduling/principal.ts'
import type { Absence, AbsenceLookup, MissedKinds, UnreadStates } from '../absence.ts'
import type { Unread } from '../events.ts'
import type { Messaging } from '../messaging.ts'
import { conversationsOf } from './conversations-of-client.ts'
import { HeavyClients } from './heavy-clients.ts'
import { statesOfMany, unreadOf } from './unread.ts'

/** Maximum number of clients in one statement. Clients with few conversations wait for those with many. */
const SIZE = 50
/** The database runs a second statement while the results of the first are processed. */
const AT_ONCE = 2
/** How long a lookup waits for others to share its statement, in milliseconds. */
const INTERVAL = 50

/**
 * Messages and their changes are stored slightly later than their timestamps. Events from shortly before the time that a client
 * names may not have reached it by then. In milliseconds.
 */
const MARGIN = 1000

/**
 * Looks up missed events of clients that log in. Most clients have missed little: one statement finds out for many clients which
 * have missed anything at all, and only for these the events are read.
 */
export class Missed implements AbsenceLookup {
  readonly missedKinds: AbsenceLookup['missedKinds']
  readonly unread: AbsenceLookup['unread']

  constructor(parts: Pick<Messaging, 'database' | 'objects' | 'tables'>) {
    const heavy = new HeavyClients(parts)
    const lookUpAlone = oneAfterTheOther()
    const missedKinds = inLanes(heavy, lookUpAlone, (absences: readonly Absence[], principal) =>
      findMissedKinds(parts, absences, principal),
    )
    this.missedKinds = async (absence, principal) =>
      // For a client in very many conversations, finding out whether anything is unread costs as much as reading it.
      absence.patchesSince === null && heavy.has(absence.clientId)
        ? { unread: true, patches: false }
        : missedKinds(absence, principal)
    this.unread = inLanes(heavy, lookUpAlone, (absences, principal) => unreadOfAll(parts, absences, principal))
  }
}

/** Runs one statement for several items. `principal` is that of the items; undefined when they come from several addresses. */
type Search<Item, Result> = (items: readonly Item[], principal: Principal | undefined) => Promise<readonly Result[]>

type RunAlone = <Result>(work: () => Promise<Result>, principal?: Principal) => Promise<Result>

/**
 * Returns a function that runs lookups of heavy clients one at a time, for both kinds of lookups: each takes the database about
 * 0.1 s.
 */
function oneAfterTheOther(): RunAlone {
  const alone = coalesce(
    async ([work]: readonly (() => Promise<unknown>)[]): Promise<readonly Outcome<unknown>[]> => [
      { result: await work!() },
    ],
    { atOnce: 1, size: 1 },
  )
  return <Result>(work: () => Promise<Result>, principal?: Principal) => alone(work, principal) as Promise<Result>
}

/** Batches the lookups of most clients, and runs those of heavy clients one at a time, round robin between addresses. */
function inLanes<Item extends Pick<Absence, 'clientId'>, Result>(
  heavy: HeavyClients,
  lookUpAlone: RunAlone,
  search: Search<Item, Result>,
) {
  const together = coalesceSearch(async (items: readonly Item[], principal: Principal | undefined) => {
    const began = performance.now()
    try {
      return await search(items, principal)
    } finally {
      void heavy.observe(
        items.map(({ clientId }) => clientId),
        performance.now() - began,
      )
    }
  })
  return (item: Item, principal?: Principal) =>
    heavy.has(item.clientId)
      ? lookUpAlone(async () => (await search([item], principal))[0]!, principal)
      : together(item, principal)
}

/** Coalesces lookups of unknown cost: after a timeout of a statement, each of its clients is looked up separately. */
function coalesceSearch<Item, Result>(search: Search<Item, Result>) {
  const alone = async (item: Item, principal: Principal | undefined): Promise<Outcome<Result>> => {
    try {
      return { result: (await search([item], principal))[0]! }
    } catch (error) {
      return { error }
    }
  }
  const run = async (items: readonly Item[], principal: Principal | undefined): Promise<readonly Outcome<Result>[]> => {
    try {
      return (await search(items, principal)).map((result) => ({ result }))
    } catch (error) {
      if (!isTimeout(error) || items.length === 1) throw error
      const outcomes: Outcome<Result>[] = []
      for (const item of items) outcomes.push(await alone(item, principal))
      return outcomes
    }
  }
  return coalesce(run, { atOnce: AT_ONCE, size: SIZE, interval: INTERVAL })
}

type Parts = Pick<Messaging, 'database' | 'objects' | 'tables'>

/**
 * Reads only the thread of each conversation where that is sufficient, and the client's cursor where there are newer messages.
 * OFFSET makes the database evaluate the columns once that are both selected and filtered. The cursor of a conversation that the
 * client has left may cause a false positive; there are no false negatives with respect to `statesOfMany`.
 */
async function findMissedKinds(
  messaging: Parts,
  absences: readonly Absence[],
  principal: Principal | undefined,
): Promise<MissedKinds[]> {
  const { threads, reads } = messaging.tables
  const rows = await messaging.database.searchPlanned(
    sql`
    SELECT item.number, bool_or(glance.unread) AS unread, bool_or(glance.patches) AS patches
    FROM unnest(
      ${absences.map((_, number) => String(number))}::integer[],
      ${absences.map(({ clientId }) => clientId)}::text[],
      ${absences.map(({ unreadSince }) => startOf(unreadSince))}::bigint[],
      ${absences.map(({ patchesSince }) => startOf(patchesSince))}::bigint[]
    ) AS item (number, client_id, changed_after, patched_after)
    CROSS JOIN LATERAL (
      SELECT
        CASE
          WHEN thread.last_ts > mine.since_ts AND (item.changed_after IS NULL OR thread.last_ts > item.changed_after)
          THEN NOT EXISTS (
            SELECT
            FROM ${reads} AS read_cursor
            WHERE read_cursor.client_id = item.client_id COLLATE "C"
              AND read_cursor.conv_id = mine.conv_id
              AND read_cursor.read_ts >= thread.last_ts
          )
        END AS unread,
        item.patched_after IS NOT NULL AND (
          ${hasPatches(messaging, raw('mine.conv_id'))}
          OR mine.own_thread IS NOT NULL AND ${hasPatches(messaging, raw('mine.own_thread'))}
        ) AS patches
      FROM (${conversationsOf(messaging, raw('item.client_id'))}) AS mine
      LEFT JOIN LATERAL (
        SELECT last_ts FROM ${threads} WHERE conv_id = mine.conv_id LIMIT 1
      ) AS thread ON TRUE
      UNION ALL
      SELECT EXISTS (
        SELECT FROM ${reads} WHERE client_id = item.client_id COLLATE "C" AND changed_at > item.changed_after
      ), FALSE
      OFFSET 0
    ) AS glance
    WHERE glance.unread OR glance.patches
    GROUP BY item.number`,
    principal,
  )
  const byNumber = new Map(rows.map(entry(number('number'), decodeMissed)))
  return absences.map((_, number) => byNumber.get(number) ?? { unread: false, patches: false })
}

const decodeMissed = rowDecoder({ unread: isTrue('unread'), patches: isTrue('patches') })

/** Returns the condition that a message of a thread was changed that concerns the client of `item` in the conversation `mine`. */
function hasPatches({ tables }: Parts, thread: Sql): Sql {
  return sql`EXISTS (
    SELECT
    FROM ${tables.messages}
    WHERE thread = ${thread} COLLATE "C" AND patched_at > item.patched_after AND ts > mine.since_ts
  )`
}

async function unreadOfAll(
  messaging: Parts,
  absences: readonly Omit<Absence, 'patchesSince'>[],
  principal: Principal | undefined,
): Promise<UnreadStates[]> {
  const statesSince = absences.map(({ clientId, unreadSince }) => ({ clientId, since: startOf(unreadSince) }))
  const rows = await messaging.database.searchPlanned(statesOfMany(messaging, statesSince), principal)
  const states = absences.map(() => ({ at: Date.now(), conversations: [] as Unread[] }))
  for (const row of rows) {
    const { absence, at, unread } = decodeState(row)
    const state = states[absence]!
    state.at = at
    state.conversations.push(unread)
  }
  return states
}

function startOf(since: number | null): string | null {
  // An invalid number from one client must not fail the statement for the others.
  return since === null ? null : Math.trunc(Math.min(since, Number.MAX_SAFE_INTEGER) - MARGIN).toString()
}

const decodeState = rowDecoder({ absence: number('number'), at: number('at'), unread: unreadOf })
