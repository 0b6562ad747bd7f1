import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { deadUrl, inputOf, json, KEYS, standInEngine } from '../../test/support/stand-in-engine.ts'
import type { MessagingHooks } from '../messaging/hooks.ts'
import { Engine } from './engine.ts'
import type { EngineSettings } from './engine-settings.ts'
import { messagingHooks } from './messaging-hooks.ts'

const standIn = await standInEngine()
let settings: EngineSettings
let hooksFailClosed: boolean
let logged: string[]
let engine: Engine
let hooks: MessagingHooks

beforeEach(() => {
  settings = { production: standIn.url }
  hooksFailClosed = false
  logged = []
  const log = pino({ level: 'debug' }, { write: (line) => void logged.push(line) })
  engine = new Engine({ appId: KEYS.id, keys: () => KEYS, settings: () => settings, log })
  hooks = hooksWithin(20_000)
})

afterEach(async () => {
  await engine.stop()
  expect(logged.join('')).not.toMatch(/secret|127\.0\.0\.1|bad word/)
  standIn.functions.clear()
  standIn.calls.length = 0
})

/**
 * @param decisionLimit time limit for the response in milliseconds; short only for hooks that never respond, because machines may
 *   be busy
 */
const hooksWithin = (decisionLimit: number) =>
  messagingHooks(engine, { settings: () => ({ hooksFailClosed }), decisionLimit })

const message = { fromPeer: 'mia', convId: 'c1', content: 'bad word', sourceIP: '203.0.113.7' }

it('returns the result in the response of a hook', async () => {
  standIn.functions.set('_messageReceived', json({ result: { drop: true, code: 7, detail: 'No.' }, more: 1 }))
  expect(await hooks.decide('_messageReceived', message)).toEqual({ drop: true, code: 7, detail: 'No.' })
  expect(inputOf(standIn.calls[0])).toEqual(message)
})

it('sends the address of the client to the engine', async () => {
  standIn.functions.set('_messageReceived', json({}))
  await hooks.decide('_messageReceived', message)
  await hooks.decide('_messageReceived', { ...message, sourceIP: '' })
  expect(standIn.calls.map(({ headers }) => headers['x-real-ip'])).toEqual(['203.0.113.7', undefined])
})

it.each([{}, { result: null }, { result: {} }, { result: 'ok' }, { result: [] }, { drop: true }])(
  'changes nothing for a response without a decision, even if failures reject: %j',
  async (answer) => {
    hooksFailClosed = true
    standIn.functions.set('_messageReceived', json(answer))
    expect(await hooks.decide('_messageReceived', message)).toEqual({})
    expect(logged).toEqual([])
  },
)

it('does not call a hook that the engine does not have', async () => {
  hooksFailClosed = true
  standIn.functions.set('_messageReceived', json({ result: { reject: true } }))
  expect(await hooks.decide('_conversationStart', { initBy: 'mia' })).toEqual({})
  hooks.notify('_messageSent', message)
  await engine.stop()
  expect(standIn.calls).toEqual([])
  expect([hooks.has('_messageReceived'), hooks.has('_messageSent')]).toEqual([true, false])
})

const failures: [what: string, reply: Parameters<typeof standIn.functions.set>[1], limit?: number][] = [
  ['says no by its status', json({ code: 1, error: 'secret' }, 400)],
  ['crashes', json({ code: 1, error: 'secret' }, 500)],
  ['answers garbage', (response) => response.end('<html>secret</html>')],
  ['redirects', (response) => response.writeHead(302, { location: standIn.url }).end()],
  ['does not answer', () => {}, 500],
  ['dies', (response) => void response.socket!.destroy()],
]

it.each(failures)('ignores and logs a hook that %s', async (_, reply, limit = 20_000) => {
  standIn.functions.set('_messageReceived', reply)
  expect(await hooksWithin(limit).decide('_messageReceived', message)).toEqual({})
  expect(JSON.parse(logged[0]!)).toMatchObject({ level: 40, app: KEYS.id, hook: '_messageReceived' })
  // Once; or not at all if a stalled machine reached the time limit before sending the call.
  expect(standIn.calls.length).toBeLessThanOrEqual(1)
})

it.each(failures)(
  'rejects the operation for a hook that %s, if the app is configured so',
  async (_, reply, limit = 20_000) => {
    hooksFailClosed = true
    standIn.functions.set('_messageReceived', reply)
    const error = { name: 'MessagingError', code: 4200, message: 'INTERNAL_ERROR' }
    await expect(hooksWithin(limit).decide('_messageReceived', message)).rejects.toMatchObject(error)
  },
)

it('rejects operations that an unavailable engine would have checked, if the app is configured so', async () => {
  standIn.functions.set('_messageReceived', json({}))
  await hooks.decide('_messageReceived', message)
  settings = { production: await deadUrl() }
  hooksFailClosed = true
  await expect(hooks.decide('_messageReceived', message)).rejects.toMatchObject({ code: 4200 })
})

it('calls the engine for production, never that for staging', async () => {
  standIn.functions.set('_messageReceived', json({ result: { drop: true } }))
  settings = { staging: standIn.url }
  expect(hooks.has('_messageReceived')).toBe(false)
  expect(await hooks.decide('_messageReceived', message)).toEqual({})
  expect(standIn.calls).toEqual([])
})

it('calls a notifying hook in the background', async () => {
  standIn.functions.set('_clientOffline', json({ result: 'ok' }))
  hooks.notify('_clientOffline', { peerId: 'mia', closeCode: 2 })
  expect(standIn.calls).toEqual([])
  await expect.poll(() => standIn.calls.map(({ url }) => url)).toEqual(['/1.1/functions/_clientOffline'])
  expect(inputOf(standIn.calls[0])).toEqual({ peerId: 'mia', closeCode: 2 })
})
