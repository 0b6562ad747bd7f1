import { expect, it } from 'vitest'
import type { JsonObject } from '../../../values/json.ts'
import type { Notification } from '../provider.ts'
import { miMessage } from './mi-message.ts'

const message = (content: JsonObject, changes: Partial<Notification> = {}) =>
  miMessage({ id: 'push1', content, expiresAt: null, prod: 'prod', channel: null, ...changes }, 'org.app', 1_000_000)

it('creates a notification with title, text, the custom keys, and a key against duplicates', () => {
  const content = { alert: 'Lunch', title: 'Canteen', action: 'org.app.OPEN', _notificationChannel: 'news' }
  expect(message(content, { expiresAt: 1_060_000, channel: 'sports' })).toEqual({
    restricted_package_name: 'org.app',
    pass_through: '0',
    title: 'Canteen',
    description: 'Lunch',
    payload: '{"action":"org.app.OPEN","_channel":"sports"}',
    notify_type: '-1',
    notify_id: expect.stringMatching(/^\d{1,10}$/),
    time_to_live: '60000',
    'extra.jobkey': 'push1',
    'extra.channel_id': 'news',
  })
})

it('passes a silent message through unchanged', () => {
  expect(message({ silent: true, a: 1 })).toEqual({
    restricted_package_name: 'org.app',
    pass_through: '1',
    payload: '{"silent":true,"a":1}',
    'extra.jobkey': 'push1',
  })
})

it('gives two pushes different numbers, and one push the same number', () => {
  const numberOf = (id: string) => Object(message({ alert: 'A' }, { id })).notify_id
  expect(numberOf('push1')).toBe(numberOf('push1'))
  expect(numberOf('push1')).not.toBe(numberOf('push2'))
})

it('passes Xiaomi members as form fields', () => {
  const own = { 'extra.notify_foreground': 0, 'extra.channel_id': 'c1', notify_type: 1, 'extra.list': [1] }
  expect(message({ alert: 'A', ...own })).toMatchObject({
    'extra.notify_foreground': '0',
    'extra.channel_id': 'c1',
    notify_type: '1',
    payload: '{"extra.list":[1]}',
  })
})

it('cuts texts to the maximum of Xiaomi, and limits the lifetime to ten days', () => {
  const sent = Object(message({ alert: 'x'.repeat(200) }, { expiresAt: 9_999_999_999_999 }))
  expect([sent.title.length, sent.description.length, sent.time_to_live]).toEqual([49, 127, '864000000'])
})
