import { expect, it } from 'vitest'
import type { JsonObject } from '../../../values/json.ts'
import type { Notification } from '../provider.ts'
import { miMessage } from './mi-message.ts'

const message = (content: JsonObject, changes: Partial<Notification> = {}) =>
  miMessage({ id: 'push1', content, expiresAt: null, prod: 'prod', channel: null, ...changes }, 'org.app', 1_000_000)

it('a notification has title, text, the custom keys, and a key by which it is shown once', () => {
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

it('a silent message passes through as it is', () => {
  expect(message({ silent: true, a: 1 })).toEqual({
    restricted_package_name: 'org.app',
    pass_through: '1',
    payload: '{"silent":true,"a":1}',
    'extra.jobkey': 'push1',
  })
})

it('two pushes have different numbers, one push has the same', () => {
  const numberOf = (id: string) => Object(message({ alert: 'A' }, { id })).notify_id
  expect(numberOf('push1')).toBe(numberOf('push1'))
  expect(numberOf('push1')).not.toBe(numberOf('push2'))
})

it('keys of Xiaomi are fields of the form', () => {
  const own = { 'extra.notify_foreground': 0, 'extra.channel_id': 'c1', notify_type: 1, 'extra.list': [1] }
  expect(message({ alert: 'A', ...own })).toMatchObject({
    'extra.notify_foreground': '0',
    'extra.channel_id': 'c1',
    notify_type: '1',
    payload: '{"extra.list":[1]}',
  })
})

it('texts are cut to what Xiaomi takes, and messages kept for ten days at most', () => {
  const sent = Object(message({ alert: 'x'.repeat(200) }, { expiresAt: 9_999_999_999_999 }))
  expect([sent.title.length, sent.description.length, sent.time_to_live]).toEqual([49, 127, '864000000'])
})
