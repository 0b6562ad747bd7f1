import { sql } from '../database/sql.ts'
import type { Messaging } from './messaging.ts'

/** Notes that a client has logged in today, by the date in UTC, for the statistics (spec/3, Global). */
export async function noteLogin({ database, tables }: Messaging, clientId: string): Promise<void> {
  await database.query(sql`
    INSERT INTO ${tables.dailyClients} (day, client_id)
    VALUES (current_date, ${clientId})
    ON CONFLICT DO NOTHING`)
}
