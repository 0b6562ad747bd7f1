import { expect, it } from 'vitest'
import type { JsonObject } from '../../../values/json.ts'
import type { Notification } from '../provider.ts'
import { oppoMessage, oppoMessageId } from './oppo-message.ts'

const message = (content: JsonObject, changes: Partial<Notification> = {}) =>
  oppoMessage({ id: 'push1', content, expiresAt: null, prod: 'prod', channel: null, ...changes }, 1_000_000)

it('creates a notification that opens the app with the custom keys', () => {
  const content = { alert: 'Lunch', title: 'Canteen', courseId: 'c7', _notificationChannel: 'news' }
  expect(message(content, { channel: 'sports' })).toEqual({
    style: 1,
    title: 'Canteen',
    content: 'Lunch',
    click_action_type: 0,
    action_parameters: '{"courseId":"c7","_channel":"sports"}',
    channel_id: 'news',
  })
})

it.each([
  [1_000_000 + 1, 3600],
  [1_000_000 + 7_200_000, 7200],
  [9_999_999_999_999, 864_000],
])('converts an expiry at %d to a time to live of %d seconds', (expiresAt, seconds) => {
  expect(message({ alert: 'A' }, { expiresAt })).toMatchObject({ off_line: true, off_line_ttl: seconds })
})

it('gives a push a separate id for each device, which is the same for every attempt', () => {
  expect(oppoMessageId('push1', 'a')).toBe(oppoMessageId('push1', 'a'))
  expect(new Set([oppoMessageId('push1', 'a'), oppoMessageId('push1', 'b'), oppoMessageId('push2', 'a')]).size).toBe(3)
})

it('lets OPPO members override generated ones, with parameters as JSON text', () => {
  const own = { channel_id: 'private', category: 'IM', notify_level: 2, action_parameters: { a: 1 } }
  expect(message({ alert: 'A', _notificationChannel: 'news', ...own })).toMatchObject({
    ...own,
    action_parameters: '{"a":1}',
  })
})

it('cuts texts to the maximum of OPPO for the style', () => {
  const alert = 'x'.repeat(200)
  expect(message({ alert })).toMatchObject({ title: `${'x'.repeat(49)}…`, content: `${'x'.repeat(49)}…` })
  expect(message({ alert, style: 2 })).toMatchObject({ style: 2, content: `${'x'.repeat(127)}…` })
})
