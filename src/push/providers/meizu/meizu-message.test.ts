import { expect, it } from 'vitest'
import type { JsonObject } from '../../../values/json.ts'
import type { Notification } from '../provider.ts'
import { meizuMessage } from './meizu-message.ts'

const message = (content: JsonObject, changes: Partial<Notification> = {}) =>
  meizuMessage({ id: 'push1', content, expiresAt: null, prod: 'prod', channel: null, ...changes }, 1_000_000)

it('a notification opens the app with the custom keys, and has a key by which it is shown once', () => {
  expect(message({ alert: 'Lunch', title: 'Canteen', courseId: 'c7' })).toEqual({
    noticeBarInfo: { title: 'Canteen', content: 'Lunch' },
    clickTypeInfo: { clickType: 0, parameters: { courseId: 'c7' } },
    pushTimeInfo: { offLine: 1, validTime: 24 },
    advanceInfo: { notifyKey: expect.stringMatching(/^[\w-]{8}$/) },
  })
})

it('two pushes have different keys', () => {
  const keyOf = (id: string) => Object(message({ alert: 'A' }, { id })).advanceInfo.notifyKey
  expect(keyOf('push1')).toBe(keyOf('push1'))
  expect(keyOf('push1')).not.toBe(keyOf('push2'))
})

it.each([
  [1_000_000, 1],
  [1_000_000 + 3_600_001, 2],
  [9_999_999_999_999, 72],
])('an expiry at %d is a time of %d hours', (expiresAt, validTime) => {
  expect(message({ alert: 'A' }, { expiresAt })).toMatchObject({ pushTimeInfo: { validTime } })
})

it('keys of Meizu go over ours', () => {
  const own = { advanceInfo: { suspend: 0 }, clickTypeInfo: { clickType: 2, url: 'https://x' }, extra: { mine: 1 } }
  expect(message({ alert: 'A', ...own })).toMatchObject({
    advanceInfo: { suspend: 0, notifyKey: expect.any(String) },
    clickTypeInfo: { clickType: 2, url: 'https://x', parameters: { extra: { mine: 1 } } },
  })
  const extra = { callback: 'https://receipts' }
  expect(message({ alert: 'A', extra })).toMatchObject({ extra, clickTypeInfo: { parameters: {} } })
})
