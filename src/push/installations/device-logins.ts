import { coalesce } from '../../database/coalesce.ts'
import { entry, number, text } from '../../database/decode-row.ts'
import type { Database } from '../../database/pool.ts'
import { type Sql, sql } from '../../database/sql.ts'
import type { PushTables } from '../push.ts'
import { INSTALLATION_ID } from './installation-identity.ts'

/** Maximum logins recorded by one statement. All devices reconnect at once when a node has stopped. */
const LOGINS_AT_ONCE = 100
const STATEMENTS_AT_ONCE = 2

/**
 * Records that a device has opened its push connection. The first time makes its installation valid; an installation that is made
 * invalid later has opted out (protocol/push, Installation fields: valid).
 * @returns a number that rises with every login of an installation, over all nodes
 */
export type NoteLogin = (installationId: string) => Promise<number>

/** Returns a recorder that batches concurrent logins. @param installations the table of installations */
export function noteLogins(database: Database, tables: PushTables, installations: () => Sql): NoteLogin {
  return coalesce<string, number>(
    async (ids) => {
      const rows = await database.query(sql`
        WITH login AS (
          INSERT INTO ${tables.logins} AS login (installation_id, last_at)
          SELECT DISTINCT installation_id, now()
          FROM unnest(${ids}::text[]) AS installation_id
          ORDER BY installation_id
          ON CONFLICT (installation_id) DO UPDATE
          SET last_at = greatest(excluded.last_at, login.last_at + interval '1 millisecond')
          -- xmax is 0 for a row that this statement has inserted, not updated.
          RETURNING installation_id, last_at, xmax = 0 AS is_first
        ), validated AS (
          UPDATE ${installations()}
          SET data = jsonb_set(data, '{valid}', 'true')
          FROM login
          WHERE is_first
            AND ${INSTALLATION_ID} = installation_id COLLATE "default"
            AND data->'valid' IS DISTINCT FROM 'true'
        )
        SELECT installation_id, (extract(epoch FROM last_at) * 1000)::bigint AS number FROM login`)
      const numbers = new Map(rows.map(entry(text('installation_id'), number('number'))))
      return ids.map((id) => ({ result: numbers.get(id)! }))
    },
    { atOnce: STATEMENTS_AT_ONCE, size: LOGINS_AT_ONCE },
  )
}
