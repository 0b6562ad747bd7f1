import { expect, it } from 'vitest'
import type { JsonObject } from '../../../values/json.ts'
import { clickIntent } from '../click-intent.ts'
import type { Notification } from '../provider.ts'
import { hmsMessage } from './hms-message.ts'

const HOST = 'cn.leancloud.push'
const message = (content: JsonObject, changes: Partial<Notification> = {}) =>
  hmsMessage({ id: 'push1', content, expiresAt: null, prod: 'prod', channel: null, ...changes }, HOST, 1_000_000)

it('creates a notification with title, text, a tag against duplicates, and an intent with the custom keys', () => {
  const content = { alert: 'Lunch', title: 'Canteen', courseId: 'c7', _notificationChannel: 'news' }
  expect(message(content, { channel: 'sports' })).toEqual({
    android: {
      notification: {
        title: 'Canteen',
        body: 'Lunch',
        tag: 'push1',
        channel_id: 'news',
        click_action: { type: 1, intent: clickIntent(HOST, { courseId: 'c7', _channel: 'sports' }) },
      },
    },
  })
})

it('sends a silent message as data for the app', () => {
  const content = { silent: true, courseId: 'c7', urgency: 'HIGH' }
  expect(message(content)).toEqual({
    data: '{"silent":true,"courseId":"c7"}',
    android: { urgency: 'HIGH' },
  })
})

it('passes a raw message unchanged, without its targets', () => {
  const own = { android: { notification: { title: 'x' } }, data: 'd' }
  const targets = { token: ['t'], topic: 'news', condition: "'a' in topics" }
  expect(message({ alert: 'A', message: { ...own, ...targets } })).toEqual(own)
})

it('treats a text called `message` as a custom key', () => {
  const intent = clickIntent(HOST, { message: 'hello' })
  expect(message({ alert: 'A', message: 'hello' })).toMatchObject({
    android: { notification: { click_action: { intent } } },
  })
})

it('passes HMS members unchanged to their objects', () => {
  const control = { target_user_type: 1, category: 'IM', collapse_key: -1 }
  const display = { importance: 'LOW', badge: { add_num: 1, class: 'x.Main' }, tag: 'own', sound: '/raw/shake' }
  expect(message({ alert: 'A', ...control, ...display })).toMatchObject({
    android: { ...control, notification: { ...display, click_action: { intent: clickIntent(HOST, {}) } } },
  })
})

it('treats values for other platforms under the same names as custom keys', () => {
  const own = { badge: 'Increment', sound: 'default', category: 'lunch' }
  const sent = message({ alert: 'A', ...own })
  expect(sent).toMatchObject({ android: { notification: { click_action: { intent: clickIntent(HOST, own) } } } })
  expect(JSON.stringify(sent)).not.toContain('"badge"')
})

it.each([
  [1_000_000 + 3_600_000, '3600s'],
  [1_000_000 + 1, '1s'],
  [9_999_999_999_999, '1296000s'],
])('converts an expiry at %d to a time to live of %s', (expiresAt, ttl) => {
  expect(message({ alert: 'A' }, { expiresAt })).toMatchObject({ android: { ttl } })
})
