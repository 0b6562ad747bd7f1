import { pino } from 'pino'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { deadUrl } from '../../../test/support/stand-in-engine.ts'
import {
  endless,
  hang,
  html,
  reset,
  type StandInVendors,
  standInSettings,
  startStandInVendors,
} from '../../../test/support/stand-in-vendors.ts'
import type { Log } from '../../log.ts'
import { OpenedProviders } from '../opened-providers.ts'
import { pushSettings } from '../push-settings.ts'
import type { Notification, Provider } from './provider.ts'

const NAMES = ['hms', 'honor', 'mi', 'mz', 'oppo', 'vivo'] as const
type Name = (typeof NAMES)[number]
/** Providers that send an access token with each request. */
const WITH_TOKENS = NAMES.filter((name) => name !== 'mi' && name !== 'mz')
const WITHOUT_PASS_THROUGH = ['mz', 'oppo', 'vivo'] as const

const notification: Notification = {
  id: 'pX4mQ9tYkR2sVb7N',
  content: { alert: 'Lunch', title: 'Canteen', courseId: 'c7' },
  expiresAt: null,
  prod: 'prod',
  channel: null,
}
const never = new AbortController().signal
const targets = (...tokens: string[]) => tokens.map((token) => ({ token, badge: null, topic: null, teamId: null }))
const many = (count: number) => targets(...Array.from({ length: count }, (_, index) => `device-${index}`))

let vendors: StandInVendors
let logged: string[]
const opened: Provider[] = []

beforeEach(async () => {
  await vendors?.stop()
  vendors = await startStandInVendors()
  logged = []
})

afterEach(() => {
  for (const provider of opened.splice(0)) provider.close()
  expect(logged.join('')).not.toMatch(/secret|device-|access-/)
  for (const { complaints } of Object.values(vendors.vendors)) expect(complaints).toEqual([])
})

afterAll(() => vendors.stop())

function open(name: Name, url = vendors.url, change: (settings: object) => object = (settings) => settings): Provider {
  const log: Log = pino({ level: 'debug' }, { write: (line) => void logged.push(line) })
  const own = change(standInSettings(url)[name]._default)
  const settings = pushSettings.parse({ [name]: { _default: own } })
  const provider = new OpenedProviders(() => settings, log).find(name, null)!
  opened.push(provider)
  return provider
}

it.each(NAMES)('%s: sends once to each of a thousand devices, in one request', async (name) => {
  const outcomes = await open(name).send(notification, many(1000), never)
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['accepted']))
  expect(outcomes).toHaveLength(1000)
  const { delivered, batches } = vendors.vendors[name]
  expect(delivered.size).toBe(1000)
  expect(new Set(delivered.values())).toEqual(new Set([1]))
  expect(batches).toEqual([1000])
})

it.each(NAMES)('%s: returns gone for invalid tokens, among others and alone', async (name) => {
  const provider = open(name)
  vendors.vendors[name].invalid.add('device-1')
  const outcomes = await provider.send(notification, many(3), never)
  expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted', 'gone', 'accepted'])
  expect(JSON.stringify(outcomes)).not.toMatch(/device-\d/)
  expect(await provider.send(notification, targets('device-1'), never)).toMatchObject([{ kind: 'gone' }])
})

it.each(NAMES)('%s: sends once to devices with the same token, and not to malformed tokens', async (name) => {
  const same = targets('device-a', 'device-b', 'device-a', '', 'device-a,device-c', 'a b', '名')
  const outcomes = await open(name).send(notification, same, never)
  expect(outcomes.map(({ kind }) => kind)).toEqual([...Array(3).fill('accepted'), ...Array(4).fill('gone')])
  const { delivered } = vendors.vendors[name]
  expect([...delivered]).toEqual([
    ['device-a', 1],
    ['device-b', 1],
  ])
})

it.each(NAMES)('%s: rejects a push without a text, without a request', async (name) => {
  const outcomes = await open(name).send({ ...notification, content: { courseId: 'c7' } }, many(2), never)
  expect(outcomes.map(({ kind }) => kind)).toEqual(['refused', 'refused'])
  expect(vendors.vendors[name]).toMatchObject({ batches: [], handedOut: 0 })
})

it.each(WITHOUT_PASS_THROUGH)('%s: rejects a silent push with the reason', async (name) => {
  const silent = { ...notification, content: { silent: true, courseId: 'c7' } }
  const reason = expect.stringMatching(/does not support silent pushes/)
  expect(await open(name).send(silent, many(1), never)).toEqual([{ kind: 'refused', reason }])
})

it.each(NAMES)('%s: returns later for errors of the vendor, and works after them', async (name) => {
  const provider = open(name)
  const { faults } = vendors.vendors[name]
  faults.push(html(503, { 'retry-after': '7' }))
  expect(await provider.send(notification, many(2), never)).toEqual(
    Array(2).fill({ kind: 'later', reason: 'HTTP status 503', after: 7000 }),
  )
  for (const fault of [html(200), reset, endless]) {
    faults.push(fault)
    expect(await provider.send(notification, many(1), never)).toMatchObject([{ kind: 'later', after: null }])
  }
  expect(await provider.send(notification, many(1), never)).toEqual([{ kind: 'accepted' }])
})

it.each(NAMES)('%s: rejects redirects and errors without JSON', async (name) => {
  const provider = open(name)
  for (const fault of [html(302, { location: vendors.url }), html(404)]) {
    vendors.vendors[name].faults.push(fault)
    expect(await provider.send(notification, many(1), never)).toMatchObject([
      { kind: 'refused', reason: expect.stringMatching(/HTTP status (302|404)/) },
    ])
  }
})

it.each(NAMES)('%s: never throws for malformed responses', async (name) => {
  const provider = open(name)
  const senseless = [{}, { code: null, result: [] }, { code: {}, result: {}, data: 7 }, [], null, 'x']
  for (const answer of senseless) {
    vendors.vendors[name].answers.push(answer)
    const [outcome] = await provider.send(notification, many(1), never)
    expect(outcome).toMatchObject({ kind: expect.stringMatching(/^(refused|later)$/) })
  }
})

it.each(NAMES)('%s: hides tokens and keys that a vendor repeats', async (name) => {
  const said = `device-0 is bad for ${name}-secret`
  vendors.vendors[name].answers.push({ code: 41, result: 41, msg: said, message: said, reason: said, desc: said })
  expect(await open(name).send(notification, many(1), never)).toEqual([
    { kind: 'refused', reason: '41: … is bad for …' },
  ])
})

it.each(NAMES)('%s: ignores malformed details of a successful response', async (name) => {
  const provider = open(name)
  const details = { msg: '[', data: [7, null, { registrationId: 7 }], value: [1], invalidUsers: [null, 7] }
  vendors.vendors[name].answers.push({
    code: { hms: '80100000', mz: 200, honor: 200 }[name as 'mz'] ?? 0,
    ...details,
    result: 0,
  })
  expect(await provider.send(notification, many(1), never)).toEqual([{ kind: 'accepted' }])
})

it.each(NAMES)('%s: stops waiting for an unresponsive vendor when sending is stopped', async (name) => {
  const provider = open(name)
  const stopping = new AbortController()
  vendors.vendors[name].faults.push((response) => {
    hang(response)
    stopping.abort()
  })
  expect(await provider.send(notification, many(2), stopping.signal)).toMatchObject(Array(2).fill({ kind: 'later' }))
})

it.each(NAMES)('%s: returns later for requests in progress when the provider is closed', async (name) => {
  const provider = open(name)
  vendors.vendors[name].faults.push(() => provider.close())
  expect(await provider.send(notification, many(1), never)).toMatchObject([{ kind: 'later' }])
})

it.each(NAMES)('%s: returns later for an unreachable vendor', async (name) => {
  const provider = open(name, await deadUrl())
  expect(await provider.send(notification, many(1), never)).toEqual([
    { kind: 'later', reason: 'cannot reach the vendor (ECONNREFUSED)', after: null },
  ])
})

it.each(NAMES)('%s: rejects wrong credentials without revealing them', async (name) => {
  const wrong = (settings: object) =>
    Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, /secret/i.test(key) ? 'sec-wrong' : value]))
  const [outcome] = await open(name, vendors.url, wrong).send(notification, many(1), never)
  expect(outcome?.kind).toBe('refused')
  expect(JSON.stringify(outcome)).not.toContain('sec-wrong')
  expect(vendors.vendors[name].delivered.size).toBe(0)
})

it.each(WITH_TOKENS)('%s: fetches an access token once for concurrent requests', async (name) => {
  const provider = open(name)
  await Promise.all([1, 2, 3].map(() => provider.send(notification, many(2), never)))
  expect(vendors.vendors[name].handedOut).toBe(1)
})

it.each(WITH_TOKENS)('%s: replaces an expired access token and sends the push', async (name) => {
  const provider = open(name)
  await provider.send(notification, many(2), never)
  vendors.vendors[name].accessTokens.clear()
  const other = { ...notification, id: 'anotherPush00000' }
  const sent = await Promise.all([1, 2].map(() => provider.send(other, many(2), never)))
  expect(sent.flat()).toEqual(Array(4).fill({ kind: 'accepted' }))
  expect(vendors.vendors[name].handedOut).toBe(2)
})

it.each(WITH_TOKENS)('%s: returns later without an access token', async (name) => {
  const provider = open(name)
  vendors.vendors[name].tokenFaults.push(html(502))
  expect(await provider.send(notification, many(2), never)).toMatchObject(Array(2).fill({ kind: 'later' }))
  expect(await provider.send(notification, many(2), never)).toMatchObject(Array(2).fill({ kind: 'accepted' }))
})

it('oppo: splits a long message into several requests, because each contains it once per device', async () => {
  const long = { ...notification, content: { alert: 'Lunch', text: 'x'.repeat(3000) } }
  const outcomes = await open('oppo').send(long, many(1000), never)
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['accepted']))
  const { batches, delivered } = vendors.vendors.oppo
  expect(Math.max(...batches)).toBeLessThan(340)
  expect(delivered.size).toBe(1000)
})

it('oppo: sends a repeated push once', async () => {
  const provider = open('oppo')
  for (const count of [2, 3]) await provider.send(notification, many(count), never)
  expect([...vendors.vendors.oppo.delivered.values()]).toEqual([1, 1, 1])
})

it('vivo: saves the message once per push, and not for a single device', async () => {
  const provider = open('vivo')
  await Promise.all([2, 3, 4, 1].map((count) => provider.send(notification, many(count), never)))
  await provider.send({ ...notification, id: 'anotherPush00000' }, many(2), never)
  const saved = vendors.vendors.vivo.messages.map((message) => Object(message).taskId)
  expect(saved.sort()).toEqual(['1', '1', '1', '2', undefined])
})
