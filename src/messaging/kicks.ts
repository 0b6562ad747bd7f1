import { coalesce, type Outcome } from '../database/coalesce.ts'
import { type Decoder, entry, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { type Sql, sql } from '../database/sql.ts'

/** Clients whose kicks one statement looks up. */
const SIZE = 200
/** A connection on which nothing moves must not hold up all logins. */
const AT_ONCE = 3
/** A login may wait so long, in milliseconds, for others that come with it. */
const INTERVAL = 20

/** The last kick of a client. */
export interface Kick {
  /** milliseconds */
  readonly ts: number
  /** What the client is told. */
  readonly reason: string
}

/** The last kicks of clients. Those that log in together are looked up by one statement. */
export class Kicks {
  /** @returns null for a client that has never been kicked */
  readonly last: (clientId: string) => Promise<Kick | null>

  constructor(database: Database, table: Sql) {
    this.last = coalesce((clientIds) => lastKicks(database, table, clientIds), {
      atOnce: AT_ONCE,
      size: SIZE,
      interval: INTERVAL,
    })
  }
}

async function lastKicks(
  database: Database,
  table: Sql,
  clientIds: readonly string[],
): Promise<Outcome<Kick | null>[]> {
  const rows = await database.query(sql`
    SELECT client_id, ts, reason
    FROM ${table}
    WHERE client_id = ANY(${clientIds}::text[])`)
  const kicks = new Map(rows.map(entry(text('client_id'), kickOf)))
  return clientIds.map((clientId) => ({ result: kicks.get(clientId) ?? null }))
}

export const kickOf: Decoder<Kick> = rowDecoder({
  ts: number('ts'),
  reason: (row) => reasonOf(row) ?? 'KICKED_BY_APP',
})

const reasonOf = text.orNull('reason')
