import { expect, it } from 'vitest'
import type { JsonObject } from '../../../values/json.ts'
import type { Notification } from '../provider.ts'
import { vivoMessage, vivoRequestId } from './vivo-message.ts'

const message = (content: JsonObject, changes: Partial<Notification> = {}) =>
  vivoMessage({ id: 'push1', content, expiresAt: null, prod: 'prod', channel: null, ...changes }, 1_000_000)

it('creates a notification that opens the activity declared by the SDK, with the custom keys as texts', () => {
  const content = { alert: 'Lunch', title: 'Canteen', courseId: 'c7', list: [1], pushMode: 1 }
  expect(message(content, { channel: 'sports' })).toEqual({
    message: {
      title: 'Canteen',
      content: 'Lunch',
      notifyType: 4,
      skipType: 4,
      skipContent: expect.stringMatching(/^intent:\/\/cn\.leancloud\.push\/detail\?#Intent;scheme=mixpushscheme;/),
      clientCustomMap: { courseId: 'c7', list: '[1]', _channel: 'sports' },
    },
    sending: { pushMode: 1 },
  })
})

it.each([
  [1_000_000 + 1, 900],
  [1_000_000 + 7_200_000, 7200],
  [9_999_999_999_999, 604_800],
])('converts an expiry at %d to a time to live of %d seconds', (expiresAt, timeToLive) => {
  expect(message({ alert: 'A' }, { expiresAt })).toMatchObject({ message: { timeToLive } })
})

it('lets vivo members override generated ones', () => {
  const own = { classification: 1, category: 'IM', skipType: 1, notifyType: 1 }
  expect(message({ alert: 'A', ...own, extra: { mine: 1 } })).toMatchObject({
    message: { ...own, clientCustomMap: { extra: '{"mine":1}' } },
  })
})

it('cuts texts to the maximum of vivo, where a Chinese character counts as two letters', () => {
  const alert = '你'.repeat(60)
  expect(message({ alert })).toMatchObject({
    message: { title: `${'你'.repeat(19)}…`, content: `${'你'.repeat(49)}…` },
  })
})

it('gives a request the same id for the same push to the same devices', () => {
  expect(vivoRequestId('push1', ['a', 'b'])).toBe(vivoRequestId('push1', ['a', 'b']))
  expect(vivoRequestId('push1', ['a', 'b'])).not.toBe(vivoRequestId('push1', ['a', 'c']))
  expect(vivoRequestId('push1', ['a']).length).toBeLessThanOrEqual(64)
})
