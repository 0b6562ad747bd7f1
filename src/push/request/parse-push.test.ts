import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../values/json.ts'
import { parsePush } from './parse-push.ts'

const now = Date.parse('2026-01-05T09:00:00.000Z')
const circumstances = { prod: 'prod', now, isDate: (field: string) => field === 'seenAt' } as const
const data = { alert: 'Hello' }

const parse = (fields: JsonObject) => parsePush({ data, ...fields }, circumstances)
const iso = (seconds: number) => new Date(now + seconds * 1000).toISOString()

it('parses a push with data alone as for all devices, immediate, without expiry', () => {
  expect(parse({})).toEqual({
    data,
    target: { kind: 'where', where: {}, channels: [] },
    pushAt: null,
    expiresAt: null,
    notificationId: null,
    reqId: null,
    prod: 'prod',
    topic: null,
    teamId: null,
    flowControl: null,
  })
})

it('treats null as absent, and ignores unknown members', () => {
  const nothing = { where: null, channels: null, cql: null, push_time: null, prod: null, flow_control: null, x: 1 }
  expect(parse(nothing)).toEqual(parse({}))
})

it('selects devices by CQL', () => {
  const cql = "select * from _Installation where deviceType = 'ios' and seenAt > '2026-01-05T00:00:00.000Z' order by a"
  expect(parse({ cql, where: {} }).target).toEqual({
    kind: 'where',
    where: {
      deviceType: { $eq: 'ios' },
      seenAt: { $gt: { __type: 'Date', iso: '2026-01-05T00:00:00.000Z' } },
    },
    channels: [],
  })
  expect(parse({ cql: '' })).toEqual(parse({}))
})

describe.each([
  ['a body that is no object', [1], 107, 'The body must be a JSON object.'],
  ['no data', {}, 107, "'data' must be a JSON object"],
  ['data that is a list', { data: [1] }, 107, "'data' must be a JSON object"],
  ['data that is a text', { data: 'Hello' }, 107, "'data' must be a JSON object"],
  ['CQL that is a number', { data, cql: 1 }, 1, "'cql' must be a string"],
  ['CQL that is none', { data, cql: 'select * from _Installation where' }, 300, 'line 1, column 34: expected a field'],
  [
    'CQL of another class',
    { data, cql: 'select * from Post' },
    1,
    "'cql' must select from _Installation, not from Post",
  ],
  ['CQL with a limit', { data, cql: 'select * from _Installation limit 5' }, 1, "'cql' must not have a limit"],
  [
    'CQL with a where',
    { data, cql: 'select * from _Installation', where: { a: 1 } },
    1,
    "Set either 'cql' or 'where', not both",
  ],
  ['a where that is a list', { data, where: ['a'] }, 102, "'where' must be a JSON object"],
  ['a where that is no JSON', { data, where: '{' }, 107, "'where' must be valid JSON"],
  ['channels that are a number', { data, channels: 1 }, 1, "'channels' must be an array of strings, or a string"],
  ['channels that are numbers', { data, channels: [1] }, 1, "'channels' must be an array of strings"],
  ['an empty list of channels', { data, channels: [] }, 1, "'channels' must not be empty"],
  ['a channel with a space', { data, channels: ['a b'] }, 112, 'Invalid channel name.'],
  ['a channel with a dot', { data, channels: 'a.b' }, 112, 'Invalid channel name.'],
  ['a push_time that is no time', { data, push_time: 'soon' }, 1, "'push_time' must be a time of the form"],
  ['a push_time that is a number', { data, push_time: now }, 1, "'push_time' must be a time of the form"],
  ['a bad expiration_time', { data, expiration_time: 'x' }, 1, "'expiration_time' must be a time of the form"],
  ['an expiry in the past', { data, expiration_time: iso(-1) }, 1, "'expiration_time' must be later than"],
  [
    'an expiry before its time',
    { data, push_time: iso(600), expiration_time: iso(300) },
    1,
    "'expiration_time' must be later than",
  ],
  ['an interval of 0', { data, expiration_interval: 0 }, 1, "'expiration_interval' must be a number of seconds"],
  ['a negative interval', { data, expiration_interval: -5 }, 1, "'expiration_interval' must be a number"],
  ['an interval that is a string', { data, expiration_interval: '5' }, 1, "'expiration_interval' must be a number"],
  ['an interval that is too long', { data, expiration_interval: 1e300 }, 1, "'expiration_interval' must be a number"],
  [
    'both forms of expiry',
    { data, expiration_time: iso(600), expiration_interval: 5 },
    1,
    "Set either 'expiration_time' or 'expiration_interval', not both.",
  ],
  [
    'a long notification_id',
    { data, notification_id: 'a'.repeat(17) },
    1,
    "'notification_id' must be a string of 1 to",
  ],
  [
    'a notification_id with signs',
    { data, notification_id: 'a-b' },
    1,
    "'notification_id' must be a string of 1 to 16",
  ],
  ['a req_id that is a number', { data, req_id: 1 }, 1, "'req_id' must be a string of 1 to 16 letters and digits"],
  ['an empty req_id', { data, req_id: '' }, 1, "'req_id' must be a string of 1 to 16 letters and digits"],
  ['an unknown environment', { data, prod: 'test' }, 1, "'prod' must be 'dev' or 'prod', not \"test\"."],
  ['a topic that is no text', { data, topic: 1 }, 1, "'topic' must be a non-empty string"],
  ['a team that is no text', { data, apns_team_id: [] }, 1, "'apns_team_id' must be a non-empty string"],
  ['a flow that is no number', { data, flow_control: 'fast' }, 1, "'flow_control' must be a number"],
  ['a notification channel that is no text', { data, _notificationChannel: 1 }, 1, "'_notificationChannel' must be"],
] as const)('%s', (_, body, code, text) => {
  it(`is rejected with code ${code}`, () => {
    expect(() => parsePush(body, circumstances)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(text) }),
    )
  })
})

it('rejects a body of 4096 bytes, and accepts one of 4095', () => {
  const body = (size: number) => ({ data: { alert: 'ä'.repeat(10) + 'a'.repeat(size - 41) } })
  expect(Buffer.byteLength(JSON.stringify(body(4096)))).toBe(4096)
  expect(() => parsePush(body(4096), circumstances)).toThrow(
    expect.objectContaining({ code: 1, message: 'A push must have fewer than 4096 bytes as JSON, not 4096.' }),
  )
  expect(parsePush(body(4095), circumstances).data).toEqual(body(4095).data)
})

it.each([
  ['public', ['public']],
  [
    ['a_B-1=', '频道', ''],
    ['a_B-1=', '频道', ''],
  ],
  [
    ['a', 'b', 'a'],
    ['a', 'b'],
  ],
  ['', ['']],
])('parses channels %j as %j', (channels, expected) => {
  expect(parse({ channels }).target).toMatchObject({ channels: expected })
})

it('accepts a condition as JSON text', () => {
  expect(parse({ where: '{"valid":true}' }).target).toMatchObject({ where: { valid: true } })
})

it('converts ISO texts to Dates where a field holds Dates, at any depth, and nowhere else', () => {
  const time = '2026-01-05T08:00:00Z'
  const date = { __type: 'Date', iso: '2026-01-05T08:00:00.000Z' }
  const where = {
    seenAt: { $gt: time, $lt: date, $in: [time], $exists: true },
    name: time,
    $or: [{ seenAt: time }, { $and: [{ seenAt: { $lte: time } }] }],
  }
  expect(parse({ where }).target).toMatchObject({
    where: {
      seenAt: { $gt: date, $lt: date, $in: [date], $exists: true },
      name: time,
      $or: [{ seenAt: date }, { $and: [{ seenAt: { $lte: date } }] }],
    },
  })
})

describe('the scheduled time of a push', () => {
  it.each([
    ['a year ago', -31_536_000, null],
    ['now', 0, null],
    ['in 59 seconds', 59, null],
    ['in a minute', 60, now + 60_000],
    ['in a week', 604_800, now + 604_800_000],
  ])('%s', (_, seconds, expected) => {
    expect(parse({ push_time: iso(seconds) }).pushAt).toBe(expected)
    expect(parse({ push_time: { __type: 'Date', iso: iso(seconds) } }).pushAt).toBe(expected)
  })

  it.each([
    ['without a time', {}, 600],
    ['now', { push_time: iso(0) }, 600],
    ['in the past, by a clock that is late', { push_time: iso(-3600) }, 600],
    ['in half a minute', { push_time: iso(30) }, 630],
    ['in an hour', { push_time: iso(3600) }, 4200],
  ])('expiration_interval counts from %s', (_, fields, seconds) => {
    expect(parse({ ...fields, expiration_interval: 600 }).expiresAt).toBe(now + seconds * 1000)
  })

  it('does not affect an absolute expiry', () => {
    expect(parse({ push_time: iso(600), expiration_time: iso(900) }).expiresAt).toBe(now + 900_000)
  })
})

it.each([
  [0, 1000],
  [-1, 1000],
  [999, 1000],
  [1000, 1000],
  [5000, 5000],
])('limits a flow of %i to %i devices per second', (flow, expected) => {
  expect(parse({ flow_control: flow }).flowControl).toBe(expected)
})

it.each([
  ['prod', undefined, 'prod'],
  ['dev', undefined, 'dev'],
  ['dev', 'prod', 'prod'],
  ['prod', 'dev', 'dev'],
] as const)('uses for %s with prod %s the environment %s', (usual, prod, expected) => {
  expect(parsePush({ data, ...(prod && { prod }) }, { ...circumstances, prod: usual }).prod).toBe(expected)
})

it('keeps ids, topic and team unchanged', () => {
  const fields = { notification_id: 'Abc123', req_id: 'a81Kq', topic: 'com.example.app', apns_team_id: 'T1' }
  const expected = { notificationId: 'Abc123', reqId: 'a81Kq', topic: 'com.example.app', teamId: 'T1' }
  expect(parse(fields)).toMatchObject(expected)
})

it('adds the notification channel next to data to it, unless data has its own', () => {
  expect(parse({ _notificationChannel: 'news' }).data).toEqual({ alert: 'Hello', _notificationChannel: 'news' })
  const own = { alert: 'Hello', _notificationChannel: 'own' }
  expect(parse({ data: own, _notificationChannel: 'news' }).data).toEqual(own)
})

describe('content', () => {
  const android = { where: { deviceType: 'android' } }
  const ios = { where: { deviceType: 'ios' } }

  it.each<[string, JsonObject]>([
    ['no text, where it may be for iOS', { data: { badge: 1 } }],
    ['no text, for iOS', { ...ios, data: { 'content-available': 1 } }],
    ['an object, for iOS', { ...ios, data: { alert: { body: 'Hello' } } }],
    ['an object, where all may be iOS', { data: { alert: { body: 'Hello' } } }],
    ['an object inside ios', { ...android, data: { alert: 'Hello', ios: { alert: { body: 'Hi' } } } }],
    ['no text but silent, for Android', { ...android, data: { silent: true, n: 1 } }],
    ['a text for Android alone', { ...android, data: { android: { alert: 'Hello' } } }],
    ['a text for one vendor alone', { ...android, data: { vivo: { alert: 'Hello' } } }],
    ['a message in the form of HMS', { ...android, data: { hms: { message: {} } } }],
    ['no text, for Android and iOS', { where: { deviceType: { $in: ['ios', 'android'] } }, data: { n: 1 } }],
    ['the badge Increment', { ...ios, data: { alert: 'Hello', badge: 'Increment' } }],
    ['a badge of whatever kind for Android', { ...android, data: { alert: 'Hello', badge: { add: 1 } } }],
  ])('with %s is accepted', (_, fields) => {
    expect(parse(fields).data).toEqual(fields.data)
  })

  it.each<[string, JsonObject, string]>([
    ['no text, for Android', { ...android, data: { n: 1 } }, "'data.alert' is missing"],
    ['an empty text, for Android', { ...android, data: { alert: '' } }, "'data.alert' is missing"],
    [
      'no text, for a list of Android',
      { where: { deviceType: { $in: ['android'] } }, data: { n: 1 } },
      "'data.alert' is missing",
    ],
    ['a text for iOS alone, for Android', { ...android, data: { ios: { alert: 'Hi' } } }, "'data.alert' is missing"],
    [
      'an object, for Android',
      { ...android, data: { alert: { body: 'Hi' } } },
      "'data.alert' must be a string for Android",
    ],
    ['an object inside mi', { data: { mi: { alert: { body: 'Hi' } } } }, "'data.mi.alert' must be a string"],
    ['a number', { data: { alert: 1 } }, "'data.alert' must be a string, or an object for iOS, not 1."],
    ['a number inside ios', { data: { ios: { alert: 1 } } }, "'data.ios.alert' must be a string"],
    ['another word as badge', { ...ios, data: { alert: 'Hi', badge: 'increment' } }, "'badge' must be a number or"],
    ['another word as badge in aps', { ...ios, data: { aps: { badge: '1' } } }, "'badge' must be a number or"],
  ])('with %s is rejected', (_, fields, text) => {
    expect(() => parse(fields)).toThrow(expect.objectContaining({ code: 1, message: expect.stringContaining(text) }))
  })
})
