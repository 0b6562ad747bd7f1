import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../values/json.ts'
import { apnsMessage, payloadFor } from './apns-payload.ts'

const message = (content: JsonObject, expiresAt: number | null = null) =>
  apnsMessage({ id: 'push0123456789ab', content, expiresAt, prod: 'prod', channel: null })

describe('the payload', () => {
  it.each<[rule: string, content: JsonObject, payload: JsonObject]>([
    ['a text is the alert', { alert: 'Hi' }, { aps: { alert: 'Hi' } }],
    ['with a title the text is the body', { alert: 'Hi', title: 'T' }, { aps: { alert: { title: 'T', body: 'Hi' } } }],
    ['an alert object is passed on', { alert: { 'loc-key': 'K' } }, { aps: { alert: { 'loc-key': 'K' } } }],
    [
      'the title of an alert object wins',
      { alert: { title: 'Own', body: 'B' }, title: 'T' },
      { aps: { alert: { title: 'Own', body: 'B' } } },
    ],
    ['a number is the badge', { badge: 0 }, { aps: { badge: 0 } }],
    ['another badge is left out', { badge: 'increment' }, { aps: {} }],
    ['a sound is a file name', { sound: 'a.caf' }, { aps: { sound: 'a.caf' } }],
    [
      'of a sound object, critical is written as a number',
      { sound: { name: 'a', critical: true, volume: 0.5 } },
      { aps: { sound: { name: 'a', critical: 1, volume: 0.5 } } },
    ],
    [
      'keys of aps get into it',
      { category: 'c', 'thread-id': 't', 'content-available': true, 'mutable-content': 1, 'url-args': ['u'] },
      { aps: { category: 'c', 'thread-id': 't', 'content-available': 1, 'mutable-content': 1, 'url-args': ['u'] } },
    ],
    ['puts other keys outside of aps', { alert: 'Hi', course: { id: 7 } }, { aps: { alert: 'Hi' }, course: { id: 7 } }],
    [
      'omits keys of Android and of headers',
      { alert: 'Hi', action: 'a', silent: false, _notificationChannel: 'n', 'collapse-id': 'c', 'apns-priority': 5 },
      { aps: { alert: 'Hi' } },
    ],
    [
      'sends a ready-made aps and the keys outside of it',
      { aps: { alert: { body: 'B' }, 'interruption-level': 'passive' }, 'collapse-id': 'c', alert: 'own', k: 1 },
      { aps: { alert: { body: 'B' }, 'interruption-level': 'passive' }, alert: 'own', k: 1 },
    ],
  ])('%s', (_, content, payload) => {
    expect(JSON.parse(payloadFor(message(content), 3).toString())).toEqual(payload)
  })

  it.each<[where: string, content: JsonObject]>([
    ['outside of aps', { alert: 'Hi', badge: 'Increment' }],
    ['inside aps', { aps: { alert: 'Hi', badge: 'Increment' } }],
  ])('replaces Increment %s by the badge of the device', (_, content) => {
    const counting = message(content)
    expect(counting.countsBadges).toBe(true)
    expect(JSON.parse(payloadFor(counting, 8).toString())).toEqual({ aps: { alert: 'Hi', badge: 8 } })
    expect(JSON.parse(payloadFor(counting, null).toString())).toEqual({ aps: { alert: 'Hi' } })
  })
})

describe('the headers', () => {
  it.each<[rule: string, content: JsonObject, headers: Record<string, string>]>([
    ['sends an alert with high priority', { alert: 'Hi' }, { 'apns-push-type': 'alert', 'apns-priority': '10' }],
    ['uses the push id as collapse id', { alert: 'Hi' }, { 'apns-collapse-id': 'push0123456789ab' }],
    ['uses the collapse id of the content', { 'collapse-id': 'score' }, { 'apns-collapse-id': 'score' }],
    [
      'sends content without an alert in the background',
      { 'content-available': 1, k: 1 },
      { 'apns-push-type': 'background', 'apns-priority': '5' },
    ],
    ['sends a sound as an alert', { 'content-available': 1, sound: 'a' }, { 'apns-push-type': 'alert' }],
    [
      'uses the push type of the content',
      { alert: 'Hi', 'apns-push-type': 'voip', 'apns-priority': 5 },
      { 'apns-push-type': 'voip', 'apns-priority': '5' },
    ],
    [
      'what no header can hold is passed over',
      { alert: 'Hi', 'apns-push-type': 'a\r\nb', 'apns-priority': 7 },
      { 'apns-push-type': 'alert', 'apns-priority': '10' },
    ],
  ])('%s', (_, content, headers) => {
    expect(message(content).headers).toMatchObject(headers)
  })

  it.each(['中文', 'x'.repeat(65), 'a b\n'])('hashes a collapse id that is not valid in a header: %j', (id) => {
    const collapseId = message({ 'collapse-id': id }).headers['apns-collapse-id']
    expect(collapseId).toMatch(/^[\w-]{43}$/)
    expect(message({ 'collapse-id': id }).headers['apns-collapse-id']).toBe(collapseId)
  })

  it('sends the expiry in seconds, and 0 without one', () => {
    expect(message({}, 1_767_607_800_999).headers['apns-expiration']).toBe('1767607800')
    expect(message({}).headers['apns-expiration']).toBe('0')
  })
})

it('allows 4 KB for a payload, and 5 KB for a VoIP push', () => {
  expect(message({}).maxSize).toBe(4096)
  expect(message({ 'apns-push-type': 'voip' }).maxSize).toBe(5120)
})
