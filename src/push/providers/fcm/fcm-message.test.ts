import { expect, it } from 'vitest'
import type { JsonObject } from '../../../values/json.ts'
import type { Notification } from '../provider.ts'
import { fcmMessage } from './fcm-message.ts'

const now = Date.UTC(2030, 0, 1)
const id = 'push0123456789ab'
const message = (content: JsonObject, rest: Partial<Notification> = {}) =>
  fcmMessage({ id, content, expiresAt: null, prod: 'prod', channel: null, ...rest }, now)
const payload = (made: JsonObject) => JSON.parse((made.data as { payload: string }).payload)

it('puts title and alert into the notification, and the rest into the payload', () => {
  const made = message({ alert: 'Hi', title: 'T', action: 'com.a', course: { id: 7 } }, { channel: 'news' })
  expect(made).toEqual({
    notification: { title: 'T', body: 'Hi' },
    data: { payload: expect.any(String) },
    android: { priority: 'high', collapse_key: id, notification: { tag: id } },
  })
  expect(payload(made)).toEqual({ _channel: 'news', action: 'com.a', course: { id: 7 } })
})

it('sends a silent push without a notification, with its texts in the payload', () => {
  const made = message({ alert: 'Hi', title: 'T', silent: true, k: 1 })
  expect(made).toEqual({ data: { payload: expect.any(String) }, android: { priority: 'high' } })
  expect(payload(made)).toEqual({ alert: 'Hi', title: 'T', k: 1 })
})

it('sets the notification channel', () => {
  const made = message({ alert: 'Hi', _notificationChannel: 'calls' })
  expect(made.android).toMatchObject({ notification: { channel_id: 'calls', tag: id } })
  expect(payload(made)).toEqual({})
})

it.each<[expiresAt: number | null, ttl: string | undefined]>([
  [null, undefined],
  [now + 90_500, '91s'],
  [now - 1000, '0s'],
  [now + 365 * 86_400_000, '2419200s'],
])('converts an expiry at %j to a lifetime of %s', (expiresAt, ttl) => {
  expect((message({ alert: 'Hi' }, { expiresAt }).android as JsonObject).ttl).toBe(ttl)
})

it('lets objects for FCM override generated members', () => {
  const made = message({
    alert: 'Hi',
    notification: { image: 'https://example.com/a.png' },
    android: { priority: 'normal', direct_boot_ok: true, notification: { color: '#ff0000', tag: 'own' } },
    fcm_options: { analytics_label: 'lunch' },
  })
  expect(made).toEqual({
    notification: { body: 'Hi', image: 'https://example.com/a.png' },
    data: { payload: '{}' },
    android: {
      priority: 'normal',
      collapse_key: id,
      direct_boot_ok: true,
      notification: { tag: 'own', color: '#ff0000' },
    },
    fcm_options: { analytics_label: 'lunch' },
  })
})

it('passes a known priority to FCM, and another one, or a text called notification, to the app', () => {
  expect(message({ alert: 'Hi', priority: 'NORMAL' }).android).toMatchObject({ priority: 'normal' })
  const made = message({ alert: 'Hi', priority: 3, notification: 'n' })
  expect(made.android).toMatchObject({ priority: 'high' })
  expect(payload(made)).toEqual({ priority: 3, notification: 'n' })
})
