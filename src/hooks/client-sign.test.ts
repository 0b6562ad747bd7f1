import { pino } from 'pino'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { inputOf, json, KEYS, standInEngine } from '../../test/support/stand-in-engine.ts'
import { mayClientSign } from './client-sign.ts'
import { Engine } from './engine.ts'
import type { EngineSettings } from './engine-settings.ts'

const HOOK = '_rtmClientSign'
const standIn = await standInEngine()
let logged: string[]
let engine: Engine
let settings: EngineSettings

beforeEach(() => {
  logged = []
  settings = { production: standIn.url }
  const log = pino({ level: 'debug' }, { write: (line) => void logged.push(line) })
  engine = new Engine({ appId: KEYS.id, keys: () => KEYS, settings: () => settings, log })
})

afterEach(() => {
  expect(logged.join('')).not.toMatch(/secret|127\.0\.0\.1/)
  for (const { functions, calls } of [standIn, staging]) {
    functions.clear()
    calls.length = 0
  }
})

const staging = await standInEngine()
const IN_PRODUCTION = { production: true }
const IN_STAGING = { production: false }

const user = {
  objectId: 'u1',
  username: 'mia',
  sessionToken: 'secret-token',
  mobilePhoneNumber: '+8613800000000',
  mobilePhoneVerified: true,
  emailVerified: false,
  createdAt: '2030-01-02T03:04:05.678Z',
  updatedAt: '2030-01-02T03:04:05.678Z',
  authData: { weixin: { openid: 'secret' } },
  city: 'Aachen',
}

it('allows all users without a hook', async () => {
  expect(await mayClientSign(engine, user, IN_PRODUCTION)).toEqual({ allowed: true })
  expect(standIn.calls).toEqual([])
})

it.each([{ result: true }, { result: { result: true } }])('allows the login for %j', async (answer) => {
  standIn.functions.set(HOOK, json(answer))
  expect(await mayClientSign(engine, user, IN_PRODUCTION)).toEqual({ allowed: true })
})

it.each([
  [{ result: false, error: 'Not you.' }, 'Not you.'],
  [{ result: { result: false, error: 'Not you.' } }, 'Not you.'],
  [{ result: { error: 'Not you.' } }, 'Not you.'],
  [{}, ''],
  [{ result: null }, ''],
  [{ result: {} }, ''],
  [{ result: 'true' }, ''],
  [{ result: 1 }, ''],
  [{ result: { result: 'true', error: 7 } }, ''],
  [{ result: { result: { result: true } } }, ''],
  [{ result: [true] }, ''],
])('rejects %j, anything but true', async (answer, reason) => {
  standIn.functions.set(HOOK, json(answer))
  expect(await mayClientSign(engine, user, IN_PRODUCTION)).toEqual({ allowed: false, reason })
})

it.each([
  ['fails', json({ result: true }, 500)],
  ['redirects', json({ result: true }, 302)],
  ['answers garbage', json('secret')],
])('rejects the login when the hook %s', async (_, reply) => {
  standIn.functions.set(HOOK, reply)
  const reason = 'The cloud code of the app did not respond.'
  expect(await mayClientSign(engine, user, IN_PRODUCTION)).toEqual({ allowed: false, reason })
  expect(JSON.parse(logged[0]!)).toMatchObject({ level: 40, hook: HOOK })
})

it('passes only the known members of the user to the hook', async () => {
  standIn.functions.set(HOOK, json({ result: true }))
  await mayClientSign(engine, user, { ...IN_PRODUCTION, clientAddress: '203.0.113.7' })
  const { authData, city, mobilePhoneNumber, ...shown } = user
  expect(inputOf(standIn.calls[0])).toEqual({ ...shown, phone: mobilePhoneNumber })
  expect(standIn.calls[0]!.headers).toMatchObject({ 'x-lc-hook-key': KEYS.hookKey, 'x-real-ip': '203.0.113.7' })
})

it('calls the engine of the requested environment', async () => {
  settings = { production: standIn.url, staging: staging.url }
  standIn.functions.set(HOOK, json({ result: false }))
  staging.functions.set(HOOK, json({ result: true }))
  expect(await mayClientSign(engine, user, IN_STAGING)).toEqual({ allowed: true })
  expect([standIn.calls.length, staging.calls.length]).toEqual([0, 1])
  expect(await mayClientSign(engine, user, IN_PRODUCTION)).toEqual({ allowed: false, reason: '' })
})

it('does not let an environment without an engine bypass the hook', async () => {
  standIn.functions.set(HOOK, json({ result: false }))
  expect(await mayClientSign(engine, user, IN_STAGING)).toEqual({ allowed: false, reason: '' })
})
