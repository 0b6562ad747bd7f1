import { generateKeyPairSync } from 'node:crypto'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ApplesReply, type StandInApns, startStandInApns } from '../../../../test/support/stand-in-apns.ts'
import { CERTIFICATE, CERTIFICATE_KEY } from '../../../../test/support/stand-in-certificate.ts'
import type { JsonObject } from '../../../values/json.ts'
import { DEFAULT_PROFILE } from '../descriptor.ts'
import type { Notification, Outcome, Provider, Target } from '../provider.ts'
import { apnsId, apns as descriptor } from './apns.ts'
import { apnsSettings } from './apns-settings.ts'

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = ({ privateKey }: typeof key) => privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const oneKey = { TEAM: { keyId: 'KEY', privateKey: pem(key), topics: ['com.example.app'] } }
const certificate = { certificate: CERTIFICATE, privateKey: CERTIFICATE_KEY, topic: 'com.example.certified' }
const signal = new AbortController().signal
const accepted = { kind: 'accepted' }

let apns: StandInApns
let provider: Provider
let logged: string[]

beforeEach(async () => {
  apns = await startStandInApns()
  apns.keys.set('KEY', { teamId: 'TEAM', publicKey: key.publicKey })
  apns.keys.set('OTHER', { teamId: 'OTHERTEAM', publicKey: otherKey.publicKey })
  logged = []
  open({ keys: oneKey })
})

afterEach(async () => {
  provider.close()
  await apns.stop()
  expect(logged.join('')).not.toMatch(/bearer|PRIVATE KEY|eyJ/)
})

function open(settings: object, profile: string | null = null): void {
  const servers = { prod: apns.url, dev: apns.url }
  const checked = apnsSettings.parse({ servers, trusted: apns.trusted, ...settings })
  const log = pino({ level: 'debug' }, { write: (line) => void logged.push(line) })
  provider?.close()
  provider = descriptor.open(checked, profile ?? DEFAULT_PROFILE, log)
}

const device = (number: number) => number.toString(16).padStart(64, '0')
const target = (number: number, rest: Partial<Target> = {}): Target => ({
  token: device(number),
  badge: null,
  topic: null,
  teamId: null,
  ...rest,
})
const notification = (content: JsonObject, rest: Partial<Notification> = {}): Notification => ({
  id: 'push0123456789ab',
  content,
  expiresAt: null,
  prod: 'prod',
  channel: null,
  ...rest,
})
const send = (targets: readonly Target[], content: JsonObject = { alert: 'Hi' }) =>
  provider.send(notification(content), targets, signal)
const targets = (count: number) => Array.from({ length: count }, (_, number) => target(number))
const reply = (number: number, answer: ApplesReply) => {
  apns.reply = ({ token }) => (token === device(number) ? answer : undefined)
}

it('limits a push to 20 000 devices with a development certificate, and not otherwise', () => {
  expect(provider.maxDevices).toBeUndefined()
  open({ certificates: { _default: { ...certificate, environment: 'dev' } } })
  expect(provider.maxDevices).toBe(20_000)
  open({ certificates: { _default: certificate } })
  expect(provider.maxDevices).toBeUndefined()
})

it('sends to a thousand devices over one connection, with one token', async () => {
  expect(await send(targets(1000))).toEqual(Array.from({ length: 1000 }, () => accepted))
  expect(apns.devices.size).toBe(1000)
  expect(apns.connections).toBe(1)
  expect(apns.tokens.size).toBe(1)
  expect(apns.pushes[0]).toMatchObject({
    payload: { aps: { alert: 'Hi' } },
    headers: { 'apns-topic': 'com.example.app', 'apns-collapse-id': 'push0123456789ab', 'apns-expiration': '0' },
  })
})

it('opens no more streams at once than the server allows', async () => {
  await apns.stop()
  apns = await startStandInApns({ streams: 3 })
  apns.keys.set('KEY', { teamId: 'TEAM', publicKey: key.publicKey })
  open({ keys: oneKey })
  expect(await send(targets(50))).toEqual(Array.from({ length: 50 }, () => accepted))
})

it('sends the same ids on a repeated push, so that the device shows it once', async () => {
  await send([target(1)])
  await send([target(1)])
  expect(apns.devices.get(device(1))).toEqual({ received: 2, shown: ['push0123456789ab'] })
  const [first, second] = apns.pushes.map(({ headers }) => headers['apns-id'])
  expect(first).toBe(second)
  expect(first).toBe(apnsId('push0123456789ab', device(1)))
  expect(apnsId('push0123456789ac', device(1))).not.toBe(first)
})

it('sends each device its own badge', async () => {
  await send([target(1, { badge: 4 }), target(2, { badge: 9 })], { badge: 'Increment' })
  expect(apns.pushes.map(({ payload }) => payload)).toEqual([{ aps: { badge: 4 } }, { aps: { badge: 9 } }])
})

describe('outcomes', () => {
  const body = (reason: string) => ({ reason })
  it.each<[answer: ApplesReply, outcome: Outcome]>([
    [
      { status: 410, body: { reason: 'Unregistered', timestamp: 1 } },
      { kind: 'gone', reason: 'Unregistered' },
    ],
    [
      { status: 410, body: body('ExpiredToken') },
      { kind: 'gone', reason: 'ExpiredToken' },
    ],
    [
      { status: 400, body: body('BadDeviceToken') },
      { kind: 'refused', reason: 'BadDeviceToken' },
    ],
    [
      { status: 400, body: body('<b>?') },
      { kind: 'refused', reason: 'HTTP status 400' },
    ],
    [
      { status: 403, body: body('InvalidProviderToken') },
      { kind: 'refused', reason: 'InvalidProviderToken' },
    ],
    [
      { status: 429, body: body('TooManyRequests'), headers: { 'retry-after': '7' } },
      { kind: 'later', reason: 'TooManyRequests', after: 7000 },
    ],
    [{ status: 500 }, { kind: 'later', reason: 'HTTP status 500', after: null }],
    [
      { status: 503, body: body('Shutdown') },
      { kind: 'later', reason: 'Shutdown', after: null },
    ],
    ['reset', { kind: 'later', reason: expect.stringContaining('lost'), after: null }],
  ])('converts %j to %j', async (answer, outcome) => {
    reply(1, answer)
    expect(await send(targets(3))).toEqual([accepted, outcome, accepted])
  })

  it('returns later for requests on a lost connection, and opens a new one for the next push', async () => {
    reply(1, 'cut')
    const [, second] = await send(targets(2))
    expect(second).toMatchObject({ kind: 'later' })
    apns.reply = () => undefined
    expect(await send(targets(2))).toEqual([accepted, accepted])
    expect(apns.connections).toBe(2)
  })

  it('returns later for requests that a closing connection rejects, and sends waiting ones over a new one', async () => {
    reply(20, 'go away')
    const outcomes = await send(targets(1000))
    const kinds = outcomes.map(({ kind }) => kind)
    expect(kinds.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 'accepted'))
    expect(kinds[20]).toBe('later')
    // 500 are in progress at once, and 20 more after the 20 that were answered.
    expect(kinds.slice(520)).toEqual(Array.from({ length: 480 }, () => 'accepted'))
    expect(new Set(kinds)).toEqual(new Set(['accepted', 'later']))
    expect(apns.connections).toBe(2)
    expect([...apns.devices.values()].every(({ received }) => received === 1)).toBe(true)
  })

  it('returns later for an unreachable server, and logs it without the devices', async () => {
    open({ keys: oneKey, servers: { prod: 'https://127.0.0.1:1', dev: apns.url } })
    const later = { kind: 'later', reason: 'the server cannot be reached (ECONNREFUSED)', after: null }
    expect(await send(targets(2))).toEqual([later, later])
    expect(logged.join('')).toContain('ECONNREFUSED')
    expect(logged.join('')).not.toContain(device(1))
  })

  it('returns later for an untrusted server', async () => {
    open({ keys: oneKey, trusted: undefined })
    expect(await send(targets(1))).toMatchObject([{ kind: 'later', reason: expect.stringContaining('SELF_SIGNED') }])
  })

  it('rejects a payload that is too large, without sending it, with its size', async () => {
    const [outcome] = await send(targets(1), { alert: 'x'.repeat(4096) })
    expect(outcome).toEqual({ kind: 'refused', reason: 'the payload has 4116 bytes, 4096 are allowed' })
    expect(apns.devices.size).toBe(0)
  })

  it('rejects malformed tokens and topics without sending them', async () => {
    const odd = [target(1, { token: '../x' }), target(2, { topic: 'a\r\nb' }), target(3)]
    const refused = (reason: string) => ({ kind: 'refused', reason })
    expect(await send(odd)).toEqual([refused('BadDeviceToken'), refused('BadTopic'), accepted])
    expect(apns.devices.size).toBe(1)
  })

  it('returns later for unanswered requests when sending is stopped', async () => {
    const stop = new AbortController()
    apns.reply = () => {
      stop.abort()
      return 'hang'
    }
    const outcomes = await provider.send(notification({ alert: 'Hi' }), targets(2), stop.signal)
    expect(outcomes).toMatchObject([{ kind: 'later' }, { kind: 'later' }])
  })
})

describe('keys', () => {
  it('replaces an expired provider token and sends to those devices once more', async () => {
    const [stale, fresh] = [{ status: 403, body: { reason: 'ExpiredProviderToken' } }, undefined]
    const expired = new Set<string>()
    apns.reply = ({ headers }) => {
      if (expired.size === 0) expired.add(headers.authorization!)
      return expired.has(headers.authorization!) ? stale : fresh
    }
    expect(await send(targets(3))).toEqual([accepted, accepted, accepted])
    expect(apns.tokens.size).toBe(2)
    expect(apns.devices.get(device(0))?.received).toBe(2)
  })

  it('rejects devices when the new token is reported as expired too', async () => {
    apns.reply = () => ({ status: 403, body: { reason: 'ExpiredProviderToken' } })
    expect(await send(targets(1))).toEqual([{ kind: 'refused', reason: 'ExpiredProviderToken' }])
    expect(apns.devices.get(device(0))?.received).toBe(2)
  })

  it('selects the key by team, else by topic, with one connection per team', async () => {
    const other = { keyId: 'OTHER', privateKey: pem(otherKey), topics: ['com.example.other', 'com.example.third'] }
    open({ keys: { ...oneKey, OTHERTEAM: other } })
    const outcomes = await send([
      target(1, { teamId: 'OTHERTEAM', topic: 'com.example.new' }),
      target(2, { topic: 'com.example.other' }),
      target(3, { teamId: 'TEAM' }),
      target(4, { teamId: 'THIRDTEAM' }),
      target(5, { topic: 'com.example.unknown' }),
      target(6, { teamId: 'OTHERTEAM' }),
    ])
    expect(outcomes.map(({ kind }) => kind)).toEqual([
      'accepted',
      'accepted',
      'accepted',
      'refused',
      'refused',
      'refused',
    ])
    expect(new Set(apns.pushes.map(({ headers }) => headers['apns-topic']))).toEqual(
      new Set(['com.example.new', 'com.example.other', 'com.example.app']),
    )
    expect(apns.connections).toBe(2)
  })

  it('uses the default topic for devices that name none', async () => {
    open({ keys: { TEAM: { ...oneKey.TEAM, topics: ['a.b', 'c.d'] } }, defaultTopic: 'c.d' })
    await send(targets(1))
    expect(apns.pushes[0]?.headers['apns-topic']).toBe('c.d')
  })

  it('uses the environment of the push', async () => {
    open({ keys: oneKey, servers: { prod: 'https://127.0.0.1:1', dev: apns.url } })
    const dev = notification({ alert: 'Hi' }, { prod: 'dev' })
    expect(await provider.send(dev, targets(1), signal)).toEqual([accepted])
    expect(await send(targets(1))).toMatchObject([{ kind: 'later' }])
  })

  it('rejects every device with an unreadable key', async () => {
    open({ keys: { TEAM: { ...oneKey.TEAM, privateKey: 'nonsense' } } })
    expect(await send(targets(2))).toMatchObject([{ kind: 'refused' }, { kind: 'refused' }])
  })
})

describe('certificates', () => {
  it.each<[which: string, settings: object, profile: string | null]>([
    ['of the profile, although there are keys', { keys: oneKey, certificates: { shop: certificate } }, 'shop'],
    ['of everybody, when there are no keys', { certificates: { _default: certificate } }, 'other'],
  ])('uses the one %s instead of a token', async (_, settings, profile) => {
    open(settings, profile)
    expect(await send(targets(1))).toEqual([accepted])
    expect(apns.certificates).toBe(1)
    expect(apns.tokens.size).toBe(0)
    expect(apns.pushes[0]?.headers['apns-topic']).toBe('com.example.certified')
  })

  it('uses keys for profiles without a certificate', async () => {
    open({ keys: oneKey, certificates: { _default: certificate } }, 'constructor')
    expect(await send(targets(1))).toEqual([accepted])
    expect(apns.tokens.size).toBe(1)
  })

  it('uses the environment of a certificate', async () => {
    const servers = { prod: 'https://127.0.0.1:1', dev: apns.url }
    open({ certificates: { _default: { ...certificate, environment: 'dev' } }, servers })
    expect(await send(targets(1))).toEqual([accepted])
  })

  it.each([
    ['a certificate that cannot be read', { certificates: { _default: { ...certificate, certificate: 'nonsense' } } }],
    ['no credentials at all', {}],
  ])('rejects every device with %s', async (_, settings) => {
    open(settings)
    expect(await send(targets(1))).toMatchObject([{ kind: 'refused' }])
  })
})
