import { expect, it, vi } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { raw, sql, toQuery } from '../../database/sql.ts'
import { conversationTable } from '../records/conversation-class.ts'
import { conversationsOf } from './conversations-of-client.ts'
import { missedPatches } from './missed-patches.ts'
import { OfflineMessages } from './offline-messages.ts'
import { unreadCount } from './unread.ts'

const { messaging, database, conversation, connect } = await makeMessaging()
const { messages, threads, reads, temporary, subscriptions } = messaging.tables

async function idsOf(clientId: string, only: readonly string[] | null = null) {
  const rows = await database.query(conversationsOf(messaging, clientId, only))
  return rows.map((row) => `${row.kind} ${row.conv_id} ${row.own_thread ?? ''}`.trim()).toSorted()
}

it('selects the client’s unexpired conversations and its subscriptions', async () => {
  const mine = await conversation(['ann', 'bob'])
  await conversation(['bob'])
  await conversation(['ann'], { tr: true })
  await conversation(['ann'], { sys: true })
  const soon = Date.now() + 60_000
  await database.query(sql`
    INSERT INTO ${temporary} (id, members, creator, created_ts, expires_ts)
    VALUES ('_tmp:a', ${['bob', 'ann']}, 'bob', 0, ${soon}), ('_tmp:b', ${['bob']}, 'bob', 0, ${soon}),
      ('_tmp:c', ${['ann']}, 'ann', 0, 1)`)
  await database.query(sql`INSERT INTO ${subscriptions} VALUES ('news', 'ann', 5), ('sport', 'bob', 5)`)
  expect(await idsOf('ann')).toEqual([`normal ${mine}`, 'system news news:ann', 'temporary _tmp:a'])
  expect(await idsOf('ann', ['news', mine, 'sport'])).toEqual([`normal ${mine}`, 'system news news:ann'])
  expect(await idsOf('nobody')).toEqual([])
})

it('reads missed events by ranges of indexes, not by scanning all messages', async () => {
  await database.query(sql`
    INSERT INTO ${conversationTable(messaging)} (id, created_at, updated_at, data)
    SELECT 'talk' || number, now(), now(), jsonb_build_object('m', jsonb_build_array(
      'client ' || number, 'client ' || number + 1, CASE WHEN number % 10 = 0 THEN 'cat' ELSE 'dan' END))
    FROM generate_series(1, 5000) AS number`)
  // In batches, each within the time limit of a statement.
  for (let first = 1; first <= 100_000; first += 20_000)
    await database.query(sql`
      INSERT INTO ${messages} (thread, ts, id, conv_id, sender, content, bin, mention_all, receipt, patched_at)
      SELECT talk, number, number::text, talk, 'client ' || number % 7, repeat('x', 50), FALSE, FALSE, FALSE,
        CASE WHEN number % 100 = 10 THEN number + 1 END
      FROM generate_series(${first}::integer, ${first + 19_999}::integer) AS number,
        LATERAL (SELECT 'talk' || number % 5000 + 1 AS talk) AS place`)
  await database.query(sql`INSERT INTO ${threads} SELECT conv_id, max(ts), 0 FROM ${messages} GROUP BY conv_id`)
  await database.query(sql`
    INSERT INTO ${reads} (client_id, conv_id, read_ts, received_ts, changed_at)
    SELECT 'cat', conv_id, last_ts - last_ts % 3, last_ts - last_ts % 3, last_ts FROM ${threads}`)
  await database.query(sql`ANALYZE`)
  const search = vi.spyOn(database, 'search')
  const searchPlanned = vi.spyOn(database, 'searchPlanned')
  for (const unreadSince of [null, 99_000]) {
    const absence = { clientId: 'cat', unreadSince, patchesSince: unreadSince }
    await messaging.missed.unread(absence)
    await messaging.missed.missedKinds(absence)
  }
  await unreadCount(messaging, 'cat', null)
  await missedPatches(messaging, 'cat', 90_000).next()
  await new OfflineMessages(messaging, connect('cat', { version: 1 }), async () => true).begin()
  const planned = searchPlanned.mock.calls.map(([statement]) => statement)
  const statements = [...search.mock.calls.map(([statement]) => statement), ...planned]
  search.mockRestore()
  searchPlanned.mockRestore()
  expect(statements.length).toBeGreaterThan(5)
  for (const statement of statements) {
    const plan = (await database.query(sql`EXPLAIN ${statement}`)).map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).not.toContain('Seq Scan on "$messages"')
    expect(plan).not.toContain('Seq Scan on "_Conversation"')
  }
  expect(planned).toHaveLength(4)
  for (const statement of planned) {
    const plan = await database.transaction(async (transaction) => {
      await transaction.query(sql`SET LOCAL enable_seqscan = off`)
      return transaction.query(raw(`EXPLAIN (GENERIC_PLAN) ${toQuery(statement).text}`))
    })
    const text = plan.map((row) => row['QUERY PLAN']).join('\n')
    expect(text).toContain('Function Scan on item')
    expect(text).not.toMatch(/Seq Scan|Disabled/)
  }
})
