import { coalesce, type Outcome } from '../database/coalesce.ts'
import { type Decoder, entry, number, rowDecoder, text } from '../database/decode-row.ts'
import type { Database } from '../database/pool.ts'
import { type Sql, sql } from '../database/sql.ts'

/** Maximum number of clients in one statement. */
const SIZE = 200
/** More than one, because a stalled connection must not block all logins. */
const AT_ONCE = 3
/** How long a lookup waits for others to share its statement, in milliseconds. */
const INTERVAL = 20

/** The last kick of a client. */
export interface Kick {
  /** milliseconds */
  readonly ts: number
  /** The reason that the client is sent. */
  readonly reason: string
}

/** Looks up the last kicks of clients. Simultaneous logins share a statement. */
export class Kicks {
  /** Returns the last kick of a client; null if it was never kicked. */
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
