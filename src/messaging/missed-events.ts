import { sql } from '../database/sql.ts'
import type { SessionEvent } from './events.ts'
import type { Messaging } from './messaging.ts'

/** An event that was kept for a client. */
export interface MissedEvent {
  /** Milliseconds. */
  readonly ts: number
  readonly event: SessionEvent
}

export interface MissedPage {
  /** From old to new. */
  readonly events: readonly MissedEvent[]
  /** There are newer ones. */
  readonly hasMore: boolean
}

const PAGE_SIZE = 100

/**
 * What was kept for a client since a time, which is not part of it: what it has to learn, or what it may miss
 * (spec/realtime-protocol, 6.13). Events of one time are never on two pages, for the next page begins behind the last time
 * of this one (10.3).
 * @param since milliseconds
 */
export async function readMissed(
  { database, tables }: Messaging,
  clientId: string,
  since: number,
  permanent: boolean,
): Promise<MissedPage> {
  const kept = sql`
    SELECT ts, id, body
    FROM ${tables.notifications}
    WHERE client_id = ${clientId} AND ts > ${since}::bigint AND permanent = ${permanent}::boolean`
  const rows = await database.query(sql`
    WITH last AS (
      SELECT max(ts) AS ts
      FROM (SELECT ts FROM (${kept}) AS kept ORDER BY ts LIMIT ${PAGE_SIZE}::bigint) AS page
    )
    SELECT ts, body, EXISTS (SELECT FROM (${kept}) AS kept WHERE ts > (SELECT ts FROM last)) AS more
    FROM (${kept}) AS kept
    WHERE ts <= (SELECT ts FROM last)
    ORDER BY ts, id`)
  return {
    events: rows.map((row) => ({ ts: Number(row.ts), event: JSON.parse(String(row.body)) as SessionEvent })),
    hasMore: rows[0]?.more === true,
  }
}
