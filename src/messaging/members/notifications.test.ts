import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import type { ConversationEvent } from '../records/conversation-notifications.ts'
import { addMembers } from './add-members.ts'
import { readNotifications, storeNotifications } from './notifications.ts'

const { messaging, database, conversation } = await makeMessaging()
const { notifications } = messaging.tables

const event = (convId: string, at: number): ConversationEvent => ({
  kind: 'conversation',
  news: 'joined',
  convId,
  conversation: 'normal',
  by: 'tom',
  at,
  updatedAt: new Date(at).toISOString(),
})
const keep = (clientId: string, convId: string, at: number) =>
  storeNotifications(messaging, database, [clientId], event(convId, at))
const now = Date.now()

it('returns notifications after a time, oldest first', async () => {
  await keep('reader', 'b', now + 2)
  await keep('reader', 'a', now + 1)
  await keep('reader', 'c', now + 3)
  await keep('somebody else', 'd', now + 2)
  const page = await readNotifications(messaging, 'reader', now + 1)
  expect(page).toEqual({
    notifications: [
      { ts: now + 2, event: event('b', now + 2) },
      { ts: now + 3, event: event('c', now + 3) },
    ],
    hasMore: false,
  })
  expect(await readNotifications(messaging, 'reader', now + 3)).toEqual({ notifications: [], hasMore: false })
})

it('keeps events with the same time on one page', async () => {
  for (const [convId, at] of [
    ['a', 1],
    ['b', 2],
    ['c', 2],
    ['d', 2],
    ['e', 3],
  ] as const)
    await keep('pager', convId, now + at)
  const pages: string[][] = []
  for (let since = now, more = true; more; ) {
    const { notifications: page, hasMore } = await readNotifications(messaging, 'pager', since, true, 2)
    pages.push(page.map(({ event }) => ('convId' in event ? event.convId : '')).sort())
    since = page.at(-1)!.ts
    more = hasMore
  }
  expect(pages).toEqual([['a', 'b', 'c', 'd'], ['e']])
})

it('deletes notifications older than 30 days when new ones are stored', async () => {
  const day = 86_400_000
  await keep('old', 'a', now - 31 * day)
  await keep('old', 'b', now - 29 * day)
  await keep('new', 'c', now)
  expect((await readNotifications(messaging, 'old', 0)).notifications).toMatchObject([{ event: { convId: 'b' } }])
})

it('stores nothing for a change that is rolled back', async () => {
  const id = await conversation(['tom'])
  const failing = {
    ...messaging,
    tables: { ...messaging.tables, notifications: sql`nowhere` },
  }
  await expect(addMembers(failing, null, id, ['unlucky'])).rejects.toThrow('nowhere')
  expect([...(await messaging.conversations.find(id))!.members]).toEqual(['tom'])
  const rows = await database.query(sql`
    SELECT client_id FROM ${notifications} WHERE client_id = 'unlucky'
    UNION ALL SELECT client_id FROM ${messaging.tables.reads} WHERE client_id = 'unlucky'`)
  expect(rows).toEqual([])
})
