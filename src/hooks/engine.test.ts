import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { deadUrl, type EngineCall, inputOf, json, KEYS, standInEngine } from '../../test/support/stand-in-engine.ts'
import { localBus } from '../bus/local-bus.ts'
import { Engine } from './engine.ts'
import type { EngineSettings } from './engine-settings.ts'
import { hookSignature } from './hook-signature.ts'

const production = await standInEngine()
const staging = await standInEngine()
let settings: EngineSettings
let logged: string[]
let engine: Engine

beforeEach(() => {
  settings = { production: production.url, staging: staging.url }
  logged = []
  engine = new Engine({
    appId: KEYS.id,
    keys: () => KEYS,
    settings: () => settings,
    noticesWaiting: 20,
    log: pino({ level: 'debug' }, { write: (line) => void logged.push(line) }),
  })
})

afterEach(async () => {
  await engine.stop()
  expect(logged.join('')).not.toMatch(/secret|127\.0\.0\.1/)
  for (const standIn of [production, staging]) {
    standIn.functions.clear()
    standIn.calls.length = 0
    standIn.questions.length = 0
    standIn.knowsHookKey = true
    standIn.runtime = 'nodejs-v20.19.0'
  }
})

it('refreshes the metadata on all nodes', async () => {
  const bus = localBus()
  const settingsOf = () => settings
  const [one, other] = [1, 2].map(
    () => new Engine({ appId: KEYS.id, keys: () => KEYS, settings: settingsOf, bus, log: pino({ level: 'silent' }) }),
  ) as [Engine, Engine]
  for (const environment of [true, false]) expect(await other.provides('late', environment)).toBe(false)
  production.functions.set('late', json({}))
  staging.functions.set('late', json({}))
  expect(await other.provides('late', true)).toBe(false)
  await one.refresh(true)
  await expect.poll(() => other.provides('late', true)).toBe(true)
  expect(await other.provides('late', false)).toBe(false)
  // Neither node requests it twice: not the refreshing one, and the other one once.
  expect(production.questions.filter(({ method }) => method === 'GET')).toHaveLength(3)
  await Promise.all([one.stop(), other.stop()])
})

const IN_PRODUCTION = { production: true, timeout: 20_000 }
const IN_STAGING = { production: false, timeout: 20_000 }

it.each([
  ['cpython-3.11.2', 'close'],
  ['nodejs-v20.19.0', 'keep-alive'],
])('uses for an engine on %s the connection header %s', async (runtime, connection) => {
  production.runtime = runtime
  production.functions.set('hello', json({ result: 1 }))
  // Connections are not reused before the runtime is known.
  await engine.run('functions/hello', {}, { master: false, production: true }, 20_000)
  await engine.call('hello', {}, IN_PRODUCTION)
  await engine.run('functions/hello', {}, { master: false, production: true }, 20_000)
  expect(production.calls.map(({ headers }) => headers.connection)).toEqual(['close', connection, connection])
})

it('calls a hook by its name, with the headers of hooks, and returns its whole response', async () => {
  production.functions.set('_messageReceived', json({ result: { drop: true } }))
  const options = { ...IN_PRODUCTION, clientAddress: '203.0.113.7' }
  expect(await engine.call('_messageReceived', { fromPeer: '米娅' }, options)).toEqual({ result: { drop: true } })
  const [{ method, url, headers }] = production.calls as [EngineCall]
  expect([method, url]).toEqual(['POST', '/1.1/functions/_messageReceived'])
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=UTF-8',
    'x-lc-id': KEYS.id,
    'x-lc-key': KEYS.appKey,
    'x-lc-hook-key': KEYS.hookKey,
    'x-lc-prod': '1',
    'x-real-ip': '203.0.113.7',
    'x-forwarded-for': '203.0.113.7',
    forwarded: 'for=203.0.113.7;proto=https',
    'x-forwarded-proto': 'https',
  })
  expect(headers).not.toHaveProperty('x-lc-session')
  expect(inputOf(production.calls[0])).toEqual({ fromPeer: '米娅' })
})

it('sends a signature to an engine from before the hook key', async () => {
  production.knowsHookKey = false
  production.functions.set('_messageReceived', json({ result: {} }))
  const before = Date.now()
  await engine.call('_messageReceived', { fromPeer: 'mia' }, IN_PRODUCTION)
  expect(production.calls[0]!.headers).toMatchObject({ 'x-lc-hook-key': KEYS.hookKey })
  const { __sign, ...input } = inputOf(production.calls[0])
  const time = Number.parseInt(String(__sign), 10)
  expect(time).toBeGreaterThanOrEqual(before)
  expect(__sign).toBe(hookSignature('_messageReceived', KEYS.masterKey, time))
  expect(input).toEqual({ fromPeer: 'mia' })
})

// protocol/cloud-code, Signatures of older SDKs: PHP reads the signature inside the object, and treats it as a user only if it is
// marked as one.
it.each([
  ['__on_login__User', '_User/onLogin'],
  ['__on_verified_sms', 'onVerified/sms'],
  ['__on_verified_email', 'onVerified/email'],
])('sends such an engine the signature of %s inside the object too', async (name, path) => {
  production.knowsHookKey = false
  production.functions.set(name, json({ result: 'ok' }))
  production.functions.set(path, json({ result: 'ok' }))
  await engine.callOnly(name, { object: { objectId: 'u1', username: 'mia' } }, { ...IN_PRODUCTION, path })
  const { __sign, object } = inputOf(production.calls[0])
  const time = Number.parseInt(String(__sign), 10)
  expect(__sign).toBe(hookSignature(name, KEYS.masterKey, time))
  expect(object).toEqual({ objectId: 'u1', username: 'mia', __type: 'Object', className: '_User', __sign })
})

it('sends no signature to an engine that supports the hook key', async () => {
  production.functions.set('__on_login__User', json({ result: 'ok' }))
  production.functions.set('_User/onLogin', json({ result: 'ok' }))
  await engine.callOnly('__on_login__User', { object: { objectId: 'u1' } }, { ...IN_PRODUCTION, path: '_User/onLogin' })
  expect(inputOf(production.calls[0])).toEqual({ object: { objectId: 'u1' } })
})

it('returns an empty list of a hook as an empty object', async () => {
  production.functions.set('a', json([]))
  expect(await engine.call('a', {}, IN_PRODUCTION)).toEqual({})
})

it('has an engine and hooks for each environment', async () => {
  production.functions.set('a', json({ result: 'production' }))
  staging.functions.set('b', json({ result: 'staging' }))
  expect(await engine.call('a', {}, IN_PRODUCTION)).toEqual({ result: 'production' })
  expect(await engine.call('b', {}, IN_STAGING)).toEqual({ result: 'staging' })
  expect(staging.calls[0]!.headers['x-lc-prod']).toBe('0')
  expect([await engine.provides('a', true), await engine.provides('b', true)]).toEqual([true, false])
  expect([await engine.provides('a', false), await engine.provides('b', false)]).toEqual([false, true])
})

it('reports every hook as present until the engine has responded', async () => {
  production.functions.set('a', json({}))
  expect([engine.has('a', true), engine.has('b', true)]).toEqual([true, true])
  expect(await engine.provides('b', true)).toBe(false)
  expect([engine.has('a', true), engine.has('b', true)]).toEqual([true, false])
})

it('sends one request for many concurrent callers', async () => {
  await Promise.all(Array.from({ length: 20 }, () => engine.provides('a', true)))
  expect(production.questions.map(({ method }) => method).sort()).toEqual(['GET', 'OPTIONS'])
})

it('has no hooks without an engine, and fails calls', async () => {
  settings = {}
  expect(engine.has('a', true)).toBe(false)
  expect(await engine.provides('a', true)).toBe(false)
  await expect(engine.call('a', {}, IN_PRODUCTION)).rejects.toMatchObject({ kind: 'unreachable' })
  engine.notify('a', {}, IN_PRODUCTION)
  expect(logged).toEqual([])
})

it('applies a changed setting immediately', async () => {
  staging.functions.set('a', json({}))
  settings = {}
  expect(engine.has('a', true)).toBe(false)
  settings = { production: staging.url }
  expect(await engine.provides('a', true)).toBe(true)
  settings = {}
  expect(engine.has('a', true)).toBe(false)
})

it('keeps the hooks of an unavailable engine', async () => {
  production.functions.set('a', json({}))
  expect(await engine.provides('a', true)).toBe(true)
  settings = { production: await deadUrl() }
  expect(await engine.provides('a', true)).toBe(true)
  await expect(engine.call('a', {}, IN_PRODUCTION)).rejects.toMatchObject({ kind: 'unreachable' })
})

it('calls a notifying hook in the background, and ignores its response', async () => {
  production.functions.set('_messageSent', (response) => response.end('<html>'))
  engine.notify('_messageSent', { msgId: 'm1' }, IN_PRODUCTION)
  expect(production.calls).toEqual([])
  await expect.poll(() => production.calls.map(inputOf)).toEqual([{ msgId: 'm1' }])
  await engine.stop()
  expect(logged).toEqual([])
})

it('does not call a hook that the engine does not have', async () => {
  engine.notify('_messageSent', {}, IN_PRODUCTION)
  await engine.stop()
  expect(production.calls).toEqual([])
})

it('logs a failing hook, but not for every attempt', async () => {
  production.functions.set('_messageSent', json({ code: 1, error: 'secret of the engine' }, 500))
  for (const _ of [1, 2, 3]) engine.notify('_messageSent', {}, IN_PRODUCTION)
  await expect.poll(() => production.calls.length).toBe(3)
  await expect.poll(() => logged.length).toBeGreaterThan(0)
  await engine.stop()
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, component: 'hooks', app: KEYS.id, hook: '_messageSent', error: expect.stringContaining('500') },
  ])
})

it('sends eight notifications at once, queues a limited number, and drops the rest with a warning', async () => {
  let atOnce = 0
  let max = 0
  const held: (() => void)[] = []
  production.functions.set('_messageSent', (response) => {
    max = Math.max(max, ++atOnce)
    const answer = () => {
      atOnce--
      response.end()
    }
    held.push(answer)
    if (held.length > 8) answer()
  })
  await engine.provides('_messageSent', true)
  for (let index = 0; index < 32; index++) engine.notify('_messageSent', { index }, IN_PRODUCTION)
  await expect.poll(() => held.length).toBe(8)
  for (const answer of held.slice()) answer()
  await expect.poll(() => production.calls.length).toBe(28)
  await engine.stop()
  expect(max).toBe(8)
  expect(new Set(production.calls.map((call) => inputOf(call).index))).toHaveLength(28)
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ level: 40, error: expect.stringMatching(/dropped/) }])
})
