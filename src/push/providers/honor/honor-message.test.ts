import { expect, it } from 'vitest'
import type { JsonObject } from '../../../values/json.ts'
import { clickIntent } from '../click-intent.ts'
import type { Notification } from '../provider.ts'
import { honorMessage } from './honor-message.ts'

const message = (content: JsonObject, changes: Partial<Notification> = {}) =>
  honorMessage({ id: 'push1', content, expiresAt: null, prod: 'prod', channel: null, ...changes }, 'my.host', 1_000_000)

it('creates a notification with title, text, a tag against duplicates, and an intent with the custom keys', () => {
  expect(message({ alert: 'Lunch', courseId: 'c7' }, { expiresAt: 1_060_000 })).toEqual({
    android: {
      ttl: '60s',
      notification: {
        title: 'Lunch',
        body: 'Lunch',
        tag: 'push1',
        clickAction: { type: 1, intent: clickIntent('my.host', { courseId: 'c7' }) },
      },
    },
  })
})

it('sends a silent message as data for the app', () => {
  expect(message({ silent: true, a: 1 }, { channel: 'x' })).toEqual({
    data: '{"silent":true,"a":1,"_channel":"x"}',
    android: {},
  })
})

it('passes Honor members to their objects, including a badge and the mark of a test push', () => {
  const badge = { setNum: 3, badgeClass: 'x.Main' }
  expect(message({ alert: 'A', targetUserType: 1, badge, importance: 'NORMAL' })).toMatchObject({
    android: { targetUserType: 1, notification: { badge, importance: 'NORMAL' } },
  })
})
