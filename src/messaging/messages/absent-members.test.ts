import { afterEach, expect, it } from 'vitest'
import { makeMessaging, type SentPush } from '../../../test/support/messaging.ts'
import type { JsonObject } from '../../values/json.ts'
import { sendBroadcast } from './broadcasts.ts'
import { sendTargeted } from './targeted-messages.ts'

const { messaging, conversation, configure, connect, hooks, pushes, send } = await makeMessaging()

afterEach(() => {
  hooks.clear()
  configure({ offlinePush: null })
})

const WEEK = 7 * 24 * 60 * 60_000
const alert = (text: string) => JSON.stringify({ alert: text })

/** Resolves with the pushes up to the one with this text; earlier messages have been pushed before it. */
async function pushedUpTo(text: string): Promise<SentPush[]> {
  await expect.poll(() => pushes.at(-1)?.data.alert).toBe(text)
  return pushes.splice(0)
}

/** Sends a message that is known to cause a push, after all others. */
async function last(): Promise<SentPush[]> {
  const convId = await conversation(['end', 'nobody'])
  await send('end', convId, 'end', { pushData: alert('end') })
  return (await pushedUpTo('end')).slice(0, -1)
}

it('pushes the push data of a message to the devices of offline members, for a week', async () => {
  const convId = await conversation(['ann', 'bob', 'cat'])
  const [ann] = [connect('ann'), connect('bob')]
  const before = Date.now()
  await send(ann, convId, 'hello', { pushData: alert('hello!') })
  const [push] = await pushedUpTo('hello!')
  expect(push).toMatchObject({ clients: ['cat'], data: { alert: 'hello!' }, prod: 'prod' })
  expect(push!.expiresAt - before).toBeGreaterThanOrEqual(WEEK)
  expect(push!.expiresAt - before).toBeLessThan(WEEK + 60_000)
})

it.each([
  ['transient messages', { transient: true, pushData: alert('x') }],
  ['messages without push data', {}],
  ['push data that is no JSON object', { pushData: '"x"' }],
])('sends no push for %s', async (_, changes) => {
  const convId = await conversation(['ann', 'away'])
  await send('ann', convId, 'hello', changes)
  expect(await last()).toEqual([])
})

it('sends no push in chat rooms', async () => {
  const roomId = await conversation([], { tr: true })
  await send('ann', roomId, 'hello', { pushData: alert('x') })
  expect(await last()).toEqual([])
})

it('sends no push to members that have muted the conversation', async () => {
  const convId = await conversation(['ann', 'mute', 'away'], { mu: ['mute'] })
  await send('ann', convId, 'hello', { pushData: alert('hello') })
  expect(await pushedUpTo('hello')).toMatchObject([{ clients: ['away'] }])
})

it('pushes a message once that is sent again', async () => {
  const convId = await conversation(['ann', 'away'])
  await send('ann', convId, 'hello', { pushData: alert('once'), token: 't' })
  await send('ann', convId, 'hello', { pushData: alert('once'), token: 't' })
  expect(await last()).toHaveLength(1)
})

it('selects the environment by _profile, which is not part of the content', async () => {
  const convId = await conversation(['ann', 'away'])
  await send('ann', convId, 'hello', { pushData: JSON.stringify({ alert: 'dev', _profile: 'dev', k: 1 }) })
  const [push] = await pushedUpTo('dev')
  expect(push?.prod).toBe('dev')
  expect(push?.data).toEqual({ alert: 'dev', k: 1 })
})

it.each([
  [`\${fromClientId} in \${convId}, \${unknown}`, (convId: string) => ({ alert: `ann in ${convId}, \${unknown}` })],
  [`{"alert":"of \${fromClientId}","badge":"Increment"}`, () => ({ alert: 'of ann', badge: 'Increment' })],
])('pushes the text of the app, here %s, for messages without push data', async (offlinePush, data) => {
  configure({ offlinePush })
  const convId = await conversation(['ann', 'away'])
  await send('ann', convId, 'hello')
  expect((await last())[0]).toMatchObject({ clients: ['away'], data: data(convId) })
})

it('calls _receiversOffline for messages without push data, with the mentioned clients', async () => {
  const calls: JsonObject[] = []
  hooks.set('_receiversOffline', (input) => {
    calls.push(input)
    return { pushMessage: alert('from the hook') }
  })
  const convId = await conversation(['ann', 'bob', 'away', 'far'])
  connect('bob')
  const { ts } = await send('ann', convId, 'hello', { mentions: ['bob', 'far'] })
  expect(await pushedUpTo('from the hook')).toMatchObject([{ clients: ['away', 'far'] }])
  expect(calls[0]).toEqual({
    fromPeer: 'ann',
    convId,
    offlinePeers: ['away', 'far'],
    content: 'hello',
    timestamp: ts,
    mentionAll: false,
    mentionOfflinePeers: ['far'],
  })
  await send('ann', convId, 'hello', { mentionAll: true, mentions: ['far'] })
  await expect.poll(() => calls[1]).toMatchObject({ mentionAll: true, mentionOfflinePeers: [] })
  await pushedUpTo('from the hook')
})

it('prefers the content and receivers of the hook to the push data', async () => {
  const convId = await conversation(['ann', 'away', 'far', 'mute'], { mu: ['mute'] })
  hooks.set('_receiversOffline', () => ({ pushMessage: alert('hook'), offlinePeers: ['far', 'mute'] }))
  await send('ann', convId, 'hello', { pushData: alert('sender') })
  expect(await pushedUpTo('hook')).toMatchObject([{ clients: ['far'] }])
  hooks.set('_receiversOffline', () => ({ force: true }))
  await send('ann', convId, 'hello', { pushData: alert('forced') })
  expect(await pushedUpTo('forced')).toMatchObject([{ clients: ['away', 'far', 'mute'] }])
  hooks.set('_receiversOffline', ({ content }) => ({ skip: content === 'skipped' }))
  await send('ann', convId, 'skipped', { pushData: alert('skipped') })
  expect(await last()).toEqual([])
})

it('does not call the hook when all members are online', async () => {
  let calls = 0
  hooks.set('_receiversOffline', () => {
    calls++
    return {}
  })
  const convId = await conversation(['ann', 'here'])
  connect('here')
  await send('ann', convId, 'hello', { pushData: alert('x') })
  hooks.delete('_receiversOffline')
  expect(await last()).toEqual([])
  expect(calls).toBe(0)
})

it('pushes targeted messages of a system conversation to their offline receivers', async () => {
  const convId = await conversation([], { sys: true })
  connect('here')
  const plain = { convId, fromClient: 'app', content: 'x', bin: false, transient: false, sync: false, ip: null }
  await sendTargeted(messaging, { ...plain, toClients: ['here', 'away'], pushData: alert('targeted') })
  expect(await pushedUpTo('targeted')).toMatchObject([{ clients: ['away'] }])
})

it('pushes a broadcast with push data to all devices, until it expires', async () => {
  const convId = await conversation([], { sys: true })
  const message = { convId, fromClient: 'app', content: 'x', bin: false, ip: null }
  await sendBroadcast(messaging, { ...message, pushData: alert('to all') }, { everyoneUntil: 4_000_000_000_000 })
  expect(await pushedUpTo('to all')).toMatchObject([{ clients: null, expiresAt: 4_000_000_000_000 }])
  await sendBroadcast(messaging, message, 'subscribers')
  expect(await last()).toEqual([])
})
