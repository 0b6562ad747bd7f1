import { expect, test } from 'vitest'
import { makePull } from './pulls.ts'

const pull = await makePull()
const { source, target } = pull

test('silences, blocks and subscriptions are copied with --chat-details, once', { timeout: 120_000 }, async () => {
  const master = (path: string, body: object) => source.request('POST', `/1.2/rtm/${path}`, { master: true, body })
  const made = async (path: string, body: object) => (await master(path, body)).body.objectId as string
  const talk = await made('conversations', { name: 'talk', m: ['ann', 'bob'] })
  const room = await made('chatrooms', { name: 'room' })
  const news = await made('service-conversations', { name: 'news' })
  const clients = Array.from({ length: 120 }, (_, n) => `client${n}`)
  for (let begin = 0; begin < clients.length; begin += 20)
    await master(`conversations/${talk}/blacklists`, { client_ids: clients.slice(begin, begin + 20) })
  await master(`conversations/${talk}/permanent-silenceds`, { client_ids: ['bob'] })
  await master(`chatrooms/${room}/permanent-silenceds`, { client_ids: ['loud'] })
  for (const client_id of clients.slice(0, 60)) await master(`service-conversations/${news}/subscribers`, { client_id })
  const kept = async (app: typeof source) => ({
    blocks: (await app.sql('SELECT conv_id, client_id FROM "$blocks" ORDER BY 1, 2')).rows,
    silences: (await app.sql('SELECT conv_id, client_id, until_ts FROM "$silences" ORDER BY 1, 2')).rows,
    subscriptions: (await app.sql('SELECT conv_id, client_id, since_ts FROM "$subscriptions" ORDER BY 1, 2')).rows,
  })
  expect((await pull.run()).code).toBe(0)
  const { blocks, silences, subscriptions } = await kept(target)
  expect([blocks, silences, subscriptions.length]).toEqual([[], [], 60])
  expect((await pull.run('--chat-details')).code).toBe(0)
  expect(await kept(target)).toEqual(await kept(source))
  expect((await kept(target)).blocks).toHaveLength(120)
  expect((await pull.run('--chat-details')).code).toBe(0)
  expect(await kept(target)).toEqual(await kept(source))

  pull.proxy.misbehave((path) => (path.endsWith('/blacklists?limit=100') ? 'expired' : undefined))
  expect((await pull.run('--chat-details')).code).toBe(3)
  expect((await pull.report()).notUnderstood).toEqual([
    expect.stringMatching(/lists of conversations: 3 requests failed/),
  ])
})
