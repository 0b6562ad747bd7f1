import { describe, expect, it } from 'vitest'
import { makeApp } from '../../support/app.ts'

const MANY = { status: 429, body: { code: 429, error: 'Too many requests. The limit is 3 in a minute.' } }

describe("the app's own limits of requests per minute", () => {
  it.each([
    ['restSends', 'POST', 'conversations', '/messages', { from_client: 'ann', message: 'x' }],
    ['restSends', 'POST', 'chatrooms', '/messages', { from_client: 'ann', message: 'x' }],
    ['restSends', 'POST', 'service-conversations', '/messages', { from_client: 'a', message: 'x', to_clients: ['b'] }],
    ['restUpdates', 'PUT', 'conversations', '/messages/m', { from_client: 'ann', message: 'x', timestamp: 1 }],
    ['restUpdates', 'PUT', 'chatrooms', '/messages/m/recall', { from_client: 'ann', timestamp: 1 }],
    ['restUpdates', 'PUT', 'service-conversations', '/messages/m/recall', { from_client: 'ann', timestamp: 1 }],
    ['restBroadcasts', 'POST', 'service-conversations', '/broadcasts', { from_client: 'ann', message: 'x' }],
    ['restSends', 'POST', 'conversations', '/1.1/rtm/messages', { from_peer: 'ann', message: 'x' }],
    ['restBroadcasts', 'POST', 'service-conversations', '/1.1/rtm/broadcast', { from_peer: 'ann', message: 'x' }],
  ])('%s: %s %s %s', async (limit, method, root, path, body) => {
    const app = await makeApp()
    await app.admin('PATCH', '/settings', { messaging: { limits: { [limit]: 3 } } })
    const { objectId } = (await app.request('POST', `/1.2/rtm/${root}`, { master: true, body: {} })).body
    const place = path.startsWith('/1.1/') ? path : `/1.2/rtm/${root}/${objectId}${path}`
    const ask = () => app.request(method, place, { master: true, body: { ...body, conv_id: objectId } })
    const replies = []
    for (let count = 0; count < 8; count++) replies.push(await ask())
    const refused = replies.filter(({ status }) => status === 429)
    expect(refused).toEqual(replies.slice(3))
    expect(refused[0]).toMatchObject(MANY)
  })
})
