import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import { sql } from '../../database/sql.ts'
import type { Patch } from '../events.ts'
import { editMessage } from '../messages/patches.ts'
import { sendTargeted } from '../messages/targeted-messages.ts'
import { missedPatches } from './missed-patches.ts'

const { messaging, conversation, send, database } = await makeMessaging()
const { messages, subscriptions } = messaging.tables

async function pagesOf(clientId: string, since: number): Promise<(readonly Patch[])[]> {
  const pages = []
  for await (const page of missedPatches(messaging, clientId, since)) pages.push(page)
  return pages
}

const contents = async (clientId: string, since: number) =>
  (await pagesOf(clientId, since)).flat().map(({ message }) => message.content)

const edit = (convId: string, sent: { id: string; ts: number }, content: string) =>
  editMessage(
    messaging,
    { clientId: 'bob', session: null, ip: null },
    { convId, id: sent.id, ts: sent.ts, receivers: null },
    { content, bin: false, mentionAll: false, mentions: [] },
  )

it('yields changes in the client’s conversations since a time, oldest first', async () => {
  const [one, other, strange] = [
    await conversation(['ann', 'bob']),
    await conversation(['ann', 'bob']),
    await conversation(['bob']),
  ]
  const sent = [await send('bob', one, '1'), await send('bob', other, '2'), await send('bob', strange, '3')]
  await send('bob', one, 'never edited')
  const [first, second] = [await edit(other, sent[1]!, '2 edited'), await edit(one, sent[0]!, '1 edited')]
  await edit(strange, sent[2]!, '3 edited')
  const at = (id: string, ts: number) => database.query(sql`UPDATE ${messages} SET patched_at = ${ts} WHERE id = ${id}`)
  await at(sent[1]!.id, first.patchedAt - 60_000)
  expect(await contents('ann', first.patchedAt - 90_000)).toEqual(['2 edited', '1 edited'])
  expect(await contents('ann', first.patchedAt - 30_000)).toEqual(['1 edited'])
  expect(await contents('ann', second.patchedAt + 5000)).toEqual([])
  expect(await contents('nobody', 0)).toEqual([])
})

it('yields a change that was being stored at that time', async () => {
  const convId = await conversation(['cat', 'bob'])
  const { patchedAt } = await edit(convId, await send('bob', convId, 'x'), 'edited')
  expect(await contents('cat', patchedAt + 100)).toEqual(['edited'])
})

it('yields pages of at most 100, each change once, even if many have the same time', async () => {
  const convIds = [await conversation(['dan', 'bob']), await conversation(['dan', 'bob'])]
  await Promise.all(Array.from({ length: 250 }, (_, number) => send('bob', convIds[number % 2]!, String(number))))
  await database.query(sql`
    UPDATE ${messages} SET patched_at = 5000 + length(content) WHERE conv_id = ANY(${convIds}::text[])`)
  const pages = await pagesOf('dan', 0)
  expect(pages.map(({ length }) => length)).toEqual([100, 100, 50])
  const all = pages.flat().map(({ message }) => message)
  expect(new Set(all.map(({ content }) => content)).size).toBe(250)
  expect(all.map(({ patchedAt }) => patchedAt)).toEqual(
    all.map(({ patchedAt }) => patchedAt!).toSorted((a, b) => a - b),
  )
})

it('yields changes of messages of system conversations since the client’s subscription', async () => {
  const convId = await conversation([], { sys: true })
  const targeted = { convId, fromClient: 'bob', bin: false, transient: false, sync: false, pushData: null, ip: null }
  const early = await sendTargeted(messaging, { ...targeted, toClients: ['eve'], content: 'early' })
  await database.query(sql`INSERT INTO ${subscriptions} VALUES (${convId}, 'eve', ${early.ts}::bigint)`)
  await sendTargeted(messaging, { ...targeted, toClients: ['eve'], content: 'to eve' })
  await sendTargeted(messaging, { ...targeted, toClients: ['other'], content: 'to another' })
  await database.query(sql`UPDATE ${messages} SET patched_at = ts + 1 WHERE conv_id = ${convId}`)
  expect(await contents('eve', 0)).toEqual(['to eve'])
})
