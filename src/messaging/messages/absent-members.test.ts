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

/** The pushes of which one says this, when they have come; what else is sent is sent before it. */
async function pushedUpTo(text: string): Promise<SentPush[]> {
  await expect.poll(() => pushes.at(-1)?.data.alert).toBe(text)
  return pushes.splice(0)
}

/** Sends a message of which it is known that it leads to a push, after all others. */
async function last(): Promise<SentPush[]> {
  const convId = await conversation(['end', 'nobody'])
  await send('end', convId, 'end', { pushData: alert('end') })
  return (await pushedUpTo('end')).slice(0, -1)
}

it('the push data of a message goes to the devices of members who are not there, for a week', async () => {
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
])('%s lead to no push', async (_, changes) => {
  const convId = await conversation(['ann', 'away'])
  await send('ann', convId, 'hello', changes)
  expect(await last()).toEqual([])
})

it('chat rooms push nothing', async () => {
  const roomId = await conversation([], { tr: true })
  await send('ann', roomId, 'hello', { pushData: alert('x') })
  expect(await last()).toEqual([])
})

it('who has muted the conversation is left alone', async () => {
  const convId = await conversation(['ann', 'mute', 'away'], { mu: ['mute'] })
  await send('ann', convId, 'hello', { pushData: alert('hello') })
  expect(await pushedUpTo('hello')).toMatchObject([{ clients: ['away'] }])
})

it('a message that is sent again is pushed once', async () => {
  const convId = await conversation(['ann', 'away'])
  await send('ann', convId, 'hello', { pushData: alert('once'), token: 't' })
  await send('ann', convId, 'hello', { pushData: alert('once'), token: 't' })
  expect(await last()).toHaveLength(1)
})

it('_profile chooses the environment and is not part of the content', async () => {
  const convId = await conversation(['ann', 'away'])
  await send('ann', convId, 'hello', { pushData: JSON.stringify({ alert: 'dev', _profile: 'dev', k: 1 }) })
  const [push] = await pushedUpTo('dev')
  expect(push?.prod).toBe('dev')
  expect(push?.data).toEqual({ alert: 'dev', k: 1 })
})

it.each([
  [`\${fromClientId} in \${convId}, \${unknown}`, (convId: string) => ({ alert: `ann in ${convId}, \${unknown}` })],
  [`{"alert":"of \${fromClientId}","badge":"Increment"}`, () => ({ alert: 'of ann', badge: 'Increment' })],
])('without push data the text of the app, here %s, is pushed', async (offlinePush, data) => {
  configure({ offlinePush })
  const convId = await conversation(['ann', 'away'])
  await send('ann', convId, 'hello')
  expect((await last())[0]).toMatchObject({ clients: ['away'], data: data(convId) })
})

it('_receiversOffline is asked for messages without push data too, and is told who is mentioned', async () => {
  const asked: JsonObject[] = []
  hooks.set('_receiversOffline', (input) => {
    asked.push(input)
    return { pushMessage: alert('from the hook') }
  })
  const convId = await conversation(['ann', 'bob', 'away', 'far'])
  connect('bob')
  const { ts } = await send('ann', convId, 'hello', { mentions: ['bob', 'far'] })
  expect(await pushedUpTo('from the hook')).toMatchObject([{ clients: ['away', 'far'] }])
  expect(asked[0]).toEqual({
    fromPeer: 'ann',
    convId,
    offlinePeers: ['away', 'far'],
    content: 'hello',
    timestamp: ts,
    mentionAll: false,
    mentionOfflinePeers: ['far'],
  })
  await send('ann', convId, 'hello', { mentionAll: true, mentions: ['far'] })
  await expect.poll(() => asked[1]).toMatchObject({ mentionAll: true, mentionOfflinePeers: [] })
  await pushedUpTo('from the hook')
})

it('what the hook says comes before the push data, and it chooses whom', async () => {
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

it('nobody is asked when all are there', async () => {
  let asked = 0
  hooks.set('_receiversOffline', () => {
    asked++
    return {}
  })
  const convId = await conversation(['ann', 'here'])
  connect('here')
  await send('ann', convId, 'hello', { pushData: alert('x') })
  hooks.delete('_receiversOffline')
  expect(await last()).toEqual([])
  expect(asked).toBe(0)
})

it('targeted messages of a system conversation are pushed to those of their receivers who are not there', async () => {
  const convId = await conversation([], { sys: true })
  connect('here')
  const plain = { convId, fromClient: 'app', content: 'x', bin: false, transient: false, sync: false, ip: null }
  await sendTargeted(messaging, { ...plain, toClients: ['here', 'away'], pushData: alert('targeted') })
  expect(await pushedUpTo('targeted')).toMatchObject([{ clients: ['away'] }])
})

it('a broadcast with something for devices is pushed to all of them, until it ends', async () => {
  const convId = await conversation([], { sys: true })
  const message = { convId, fromClient: 'app', content: 'x', bin: false, ip: null }
  await sendBroadcast(messaging, { ...message, pushData: alert('to all') }, { everyoneUntil: 4_000_000_000_000 })
  expect(await pushedUpTo('to all')).toMatchObject([{ clients: null, expiresAt: 4_000_000_000_000 }])
  await sendBroadcast(messaging, message, 'subscribers')
  expect(await last()).toEqual([])
})
