import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fcmError, type GooglesReply, type StandInFcm, startStandInFcm } from '../../../../test/support/stand-in-fcm.ts'
import type { Log } from '../../../log.ts'
import { DEFAULT_PROFILE } from '../descriptor.ts'
import type { Notification, Outcome, Provider, Target } from '../provider.ts'
import { fcm as descriptor } from './fcm.ts'

const signal = new AbortController().signal
const accepted = { kind: 'accepted' }
let fcm: StandInFcm
let provider: Provider
let logged: string[]

beforeEach(async () => {
  fcm = await startStandInFcm()
  logged = []
  open(fcm.settings, pino({ level: 'debug' }, { write: (line) => void logged.push(line) }))
})

afterEach(async () => {
  provider.close()
  await fcm.stop()
  expect(logged.join('')).not.toMatch(/ya29|PRIVATE KEY|eyJ|device-/)
})

function open(settings: StandInFcm['settings'], log: Log): void {
  provider = descriptor.open(settings, DEFAULT_PROFILE, log)
}

const notification: Notification = {
  id: 'push0123456789ab',
  content: { alert: 'Hi "you"', k: 1 },
  expiresAt: null,
  prod: 'prod',
  channel: null,
}
const targets = (count: number): Target[] =>
  Array.from({ length: count }, (_, number) => ({ token: `device-${number}`, badge: null, topic: null, teamId: null }))
const send = (count: number) => provider.send(notification, targets(count), signal)

it('sends a separate message to each of many devices, with one access token', async () => {
  expect(await send(500)).toEqual(Array.from({ length: 500 }, () => accepted))
  expect(fcm.devices.size).toBe(500)
  expect(fcm.exchanges).toBe(1)
  expect(fcm.messages.find(({ token }) => token === 'device-7')).toEqual({
    token: 'device-7',
    notification: { body: 'Hi "you"' },
    data: { payload: '{"k":1}' },
    android: { priority: 'high', collapse_key: notification.id, notification: { tag: notification.id } },
  })
})

it('sends the same tag on a repeated push, so that the device shows it once', async () => {
  await send(1)
  await send(1)
  expect(fcm.devices.get('device-0')).toEqual({ received: 2, shown: [notification.id] })
})

describe('outcomes', () => {
  it.each<[answer: GooglesReply, outcome: Outcome]>([
    [fcmError(404, 'NOT_FOUND', 'UNREGISTERED'), { kind: 'gone', reason: 'UNREGISTERED' }],
    [fcmError(404, 'NOT_FOUND'), { kind: 'refused', reason: 'NOT_FOUND' }],
    [fcmError(400, 'INVALID_ARGUMENT', 'INVALID_ARGUMENT'), { kind: 'refused', reason: 'INVALID_ARGUMENT' }],
    [fcmError(403, 'PERMISSION_DENIED', 'SENDER_ID_MISMATCH'), { kind: 'refused', reason: 'SENDER_ID_MISMATCH' }],
    [fcmError(401, 'UNAUTHENTICATED', 'THIRD_PARTY_AUTH_ERROR'), { kind: 'refused', reason: 'THIRD_PARTY_AUTH_ERROR' }],
    [
      { status: 429, headers: { 'retry-after': '60' }, body: { error: { status: 'RESOURCE_EXHAUSTED' } } },
      { kind: 'later', reason: 'RESOURCE_EXHAUSTED', after: 60_000 },
    ],
    [fcmError(503, 'UNAVAILABLE', 'UNAVAILABLE'), { kind: 'later', reason: 'UNAVAILABLE', after: null }],
    [
      { status: 502, body: '<html>' },
      { kind: 'later', reason: 'HTTP status 502', after: null },
    ],
  ])('converts %j to %j', async (answer, outcome) => {
    fcm.reply = (token) => (token === 'device-1' ? answer : undefined)
    expect(await send(3)).toEqual([accepted, outcome, accepted])
    expect(fcm.exchanges).toBe(1)
  })

  it('returns later for requests on a lost connection', async () => {
    fcm.reply = (token) => (token === 'device-1' ? 'cut' : undefined)
    const [, second] = await send(2)
    expect(second).toMatchObject({ kind: 'later' })
    fcm.reply = () => undefined
    expect(await send(2)).toEqual([accepted, accepted])
  })

  it('returns later for an unreachable server', async () => {
    open({ ...fcm.settings, url: 'http://127.0.0.1:1' }, pino({ level: 'silent' }))
    expect(await send(2)).toMatchObject([{ kind: 'later' }, { kind: 'later' }])
  })
})

describe('access tokens', () => {
  it('are replaced once when they expire early, and those devices are sent to again', async () => {
    await send(1)
    fcm.tokens.clear()
    expect(await send(3)).toEqual([accepted, accepted, accepted])
    expect(fcm.exchanges).toBe(2)
  })

  it('that are rejected even when new lead to a rejection of the devices', async () => {
    fcm.tokenReply = () => ({ status: 200, body: { access_token: 'unknown', expires_in: 3600 } })
    expect(await send(1)).toEqual([{ kind: 'refused', reason: 'UNAUTHENTICATED' }])
    expect(fcm.exchanges).toBe(2)
  })

  it('that cannot be fetched lead to the same outcome for every device', async () => {
    fcm.tokenReply = () => ({ status: 401, body: { error: 'unauthorized_client' } })
    const refused = { kind: 'refused', reason: 'no access token: unauthorized_client' }
    expect(await send(2)).toEqual([refused, refused])
    expect(fcm.devices.size).toBe(0)
  })
})
