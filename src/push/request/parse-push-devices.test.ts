import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../values/json.ts'
import { parsePushDevices } from './parse-push-devices.ts'

const now = Date.parse('2026-01-05T09:00:00.000Z')
const data = { alert: 'Hello' }
const parse = (fields: JsonObject) =>
  parsePushDevices({ data, device_type: 'android', device_ids: ['a'], ...fields }, { prod: 'prod', now })

it('sends a push to devices immediately, once to each of them', () => {
  const fields = {
    device_ids: ['a', 'b', 'a'],
    vendor: 'HMS',
    device_profile: 'second',
    expiration_interval: 60,
    notification_id: 'n1',
    req_id: 'r1',
    channel: 'news',
    push_time: '2030-01-01T00:00:00.000Z',
    flow_control: 5000,
  }
  expect(parse(fields)).toEqual({
    data: { alert: 'Hello', _notificationChannel: 'news' },
    target: { kind: 'devices', deviceType: 'android', vendor: 'HMS', profile: 'second', tokens: ['a', 'b'] },
    pushAt: null,
    expiresAt: now + 60_000,
    notificationId: 'n1',
    reqId: 'r1',
    prod: 'prod',
    topic: null,
    teamId: null,
    flowControl: null,
  })
})

it('reads environment, topic and team of a push to iOS devices', () => {
  const fields = { device_type: 'ios', prod: 'dev', topic: 'com.example.app', apns_team_id: 'T1' }
  expect(parse(fields)).toMatchObject({
    target: { deviceType: 'ios', vendor: null, profile: null },
    prod: 'dev',
    topic: 'com.example.app',
    teamId: 'T1',
  })
})

it('accepts 500 long ids: the limit of 4096 bytes applies to data', () => {
  const ids = Array.from({ length: 500 }, (_, index) => String(index).padStart(64, '0'))
  expect(parse({ device_ids: ids }).target).toMatchObject({ tokens: ids })
})

describe.each<[string, JsonObject, number, string]>([
  ['no device_type', { device_type: null }, 1, "'device_type' must be 'android' or 'ios'"],
  ['another device_type', { device_type: 'web' }, 1, "'device_type' must be 'android' or 'ios', not \"web\"."],
  ['no device_ids', { device_ids: null }, 1, "'device_ids' must be a list of 1 to 500 non-empty"],
  ['no device among device_ids', { device_ids: [] }, 1, "'device_ids' must be a list of 1 to 500 non-empty"],
  ['501 devices', { device_ids: Array(501).fill('a') }, 1, "'device_ids' must be a list of 1 to 500 non-empty"],
  ['an empty id', { device_ids: [''] }, 1, "'device_ids' must be a list of 1 to 500 non-empty"],
  ['an id that is a number', { device_ids: [1] }, 1, "'device_ids' must be a list of 1 to 500 non-empty"],
  ['an id with NUL', { device_ids: ['a\u0000'] }, 107, "'device_ids' contains a NUL character"],
  ['no data', { data: null }, 107, "'data' must be a JSON object"],
  ['large data', { data: { alert: 'a'.repeat(4096) } }, 1, "'data' must have fewer than 4096 bytes"],
  ['an unknown vendor', { vendor: 'hms' }, 1, "'vendor' must be HMS, honor, mi, mz, oppo, vivo or fcm"],
  ['a vendor for iOS', { device_type: 'ios', vendor: 'mi' }, 1, "'vendor' is only for Android devices"],
  ['no text for Android', { data: { n: 1 } }, 1, "'data.alert' is missing"],
  ['a text for another vendor', { data: { mi: { alert: 'a' } }, vendor: 'HMS' }, 1, "'data.alert' is missing"],
  ['an object for Android', { data: { alert: {} } }, 1, "'data.alert' must be a string for Android"],
  [
    'both forms of expiry',
    { expiration_interval: 1, expiration_time: '2030-01-01' },
    1,
    "Set either 'expiration_time' or 'expiration_interval'",
  ],
])('%s', (_, fields, code, text) => {
  it(`is rejected with code ${code}`, () => {
    expect(() => parse(fields)).toThrow(expect.objectContaining({ code, message: expect.stringContaining(text) }))
  })
})
