import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import { addMembers } from '../members/add-members.ts'
import { readNotifications } from '../members/notifications.ts'
import { giveRole } from '../members/roles.ts'
import { blockClients } from '../moderation/blacklists.ts'
import { blockConversation } from '../moderation/client-blacklists.ts'
import { silence } from '../moderation/silences.ts'
import { conversationTable, memberInfoTable } from '../records/conversation-class.ts'
import { createConversation } from './create-conversation.ts'
import { deleteConversation } from './delete-conversation.ts'

const { messaging, connect, database } = await makeMessaging()
const { tables } = messaging
const bare = { members: [], attributes: {}, unique: false } as const

/** Returns the number of rows of a conversation, by table. */
async function traces(id: string): Promise<Record<string, number>> {
  const [row] = await database.query(sql`
    SELECT (SELECT count(*) FROM ${conversationTable(messaging)} WHERE id = ${id}) AS conversation,
      (SELECT count(*) FROM ${tables.messages} WHERE conv_id = ${id}) AS messages,
      (SELECT count(*) FROM ${tables.threads} WHERE conv_id = ${id}) AS threads,
      (SELECT count(*) FROM ${tables.reads} WHERE conv_id = ${id}) AS reads,
      (SELECT count(*) FROM ${tables.silences} WHERE conv_id = ${id}) AS silences,
      (SELECT count(*) FROM ${tables.blocks} WHERE conv_id = ${id}) AS blocks,
      (SELECT count(*) FROM ${tables.clientBlocks} WHERE conv_id = ${id}) AS client_blocks,
      (SELECT count(*) FROM ${tables.subscriptions} WHERE conv_id = ${id}) AS subscriptions,
      (SELECT count(*) FROM ${memberInfoTable(messaging)} WHERE data->>'cid' = ${id}) AS roles`)
  return Object.fromEntries(Object.entries(row!).filter(([, count]) => count !== 0)) as Record<string, number>
}

/** Inserts this many messages into a thread, faster than sending them. */
const fill = (convId: string, thread: string, count: number) =>
  database.query(sql`
    INSERT INTO ${tables.messages} (thread, ts, id, conv_id, sender, content, bin, mention_all, receipt)
    SELECT ${thread}, n, 'message' || n, ${convId}, 'tom', 'x', FALSE, FALSE, FALSE
    FROM generate_series(1, ${count}::integer) AS n`)

async function group() {
  const { id } = await createConversation(messaging, connect('tom'), { ...bare, kind: 'normal', members: ['jerry'] })
  await giveRole(messaging, { clientId: 'tom' }, id, 'jerry', 'Manager')
  await silence(messaging, { clientId: 'tom' }, id, ['jerry'])
  await blockClients(messaging, { clientId: 'tom' }, id, ['spike'])
  await blockConversation(messaging, 'tyke', 'tyke', id)
  await fill(id, id, 2500)
  await database.query(sql`INSERT INTO ${tables.threads} (conv_id, last_ts, before_ts) VALUES (${id}, 9, 8)`)
  return id
}

it('deletes a conversation with all its data, and nothing else', async () => {
  const [id, other] = [await group(), await group()]
  const before = await traces(other)
  expect(before).toEqual({
    conversation: 1,
    messages: 2500,
    threads: 1,
    reads: 2,
    silences: 1,
    blocks: 1,
    client_blocks: 1,
    roles: 1,
  })
  await deleteConversation(messaging, id)
  expect(await traces(id)).toEqual({})
  expect(await traces(other)).toEqual(before)
  expect(await messaging.conversations.find(id)).toBeNull()
})

it('notifies the members that they have left, also offline ones', async () => {
  const tom = connect('tom')
  const { id } = await createConversation(messaging, tom, { ...bare, kind: 'normal', members: ['away'] })
  tom.clear()
  const since = Date.now() - 1
  await deleteConversation(messaging, id)
  expect(tom.events).toMatchObject([{ news: 'left', convId: id, by: null }])
  const { notifications } = await readNotifications(messaging, 'away', 0)
  const left = notifications.filter(({ event }) => 'news' in event && event.news === 'left')
  expect(left).toMatchObject([{ event: { convId: id } }])
  expect(left[0]!.ts).toBeGreaterThan(since - 1000)
})

it('deletes the subscribers and messages of a system conversation', async () => {
  const make = async () => {
    const { id } = await createConversation(messaging, null, { ...bare, kind: 'system' })
    await addMembers(messaging, null, id, ['tom', 'jerry'])
    await fill(id, id, 3)
    await fill(id, `${id}:tom`, 1200)
    return id
  }
  const [id, other] = [await make(), await make()]
  const tom = connect('tom')
  await deleteConversation(messaging, id)
  expect(await traces(id)).toEqual({})
  expect(await traces(other)).toEqual({ conversation: 1, messages: 1203, reads: 2, subscriptions: 2 })
  expect(tom.events).toEqual([])
})

it('removes the rest of an interrupted deletion on the next one', async () => {
  const id = '555555555555555555555555'
  await fill(id, id, 10)
  await deleteConversation(messaging, id)
  expect(await traces(id)).toEqual({})
})
