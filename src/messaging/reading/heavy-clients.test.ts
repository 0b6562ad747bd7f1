import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { HeavyClients } from './heavy-clients.ts'

const { messaging, database } = await makeMessaging()

/** Makes subscriptions, which count as conversations and need no records. */
async function subscribe(clientId: string, count: number): Promise<void> {
  await database.query(sql`
    INSERT INTO ${messaging.tables.subscriptions} (conv_id, client_id, since_ts)
    SELECT 'system' || number, ${clientId}, 0
    FROM generate_series(1, ${count}::integer) AS number`)
}

it('finds clients of many conversations after a slow lookup of several, and remembers them', async () => {
  await subscribe('heavy', 1000)
  await subscribe('usual', 999)
  let time = 0
  const heavy = new HeavyClients(messaging, () => time)
  await heavy.observe(['heavy', 'usual'], 99)
  await heavy.observe(['heavy'], 5000)
  expect(heavy.has('heavy')).toBe(false)
  await heavy.observe(['usual', 'light'], 100)
  // The last search was less than the pause ago.
  await heavy.observe(['heavy', 'usual', 'light'], 100)
  expect(heavy.has('heavy')).toBe(false)
  time += 500
  await heavy.observe(['heavy', 'usual', 'light'], 100)
  expect(['heavy', 'usual', 'light'].map((clientId) => heavy.has(clientId))).toEqual([true, false, false])
})
