import { expect, it } from 'vitest'
import type { JsonObject } from '../../../values/json.ts'
import type { Notification } from '../provider.ts'
import { meizuMessage } from './meizu-message.ts'

const message = (content: JsonObject, changes: Partial<Notification> = {}) =>
  meizuMessage({ id: 'push1', content, expiresAt: null, prod: 'prod', channel: null, ...changes }, 1_000_000)

it('creates a notification that opens the app with the custom keys, with a key against duplicates', () => {
  expect(message({ alert: 'Lunch', title: 'Canteen', courseId: 'c7' })).toEqual({
    noticeBarInfo: { title: 'Canteen', content: 'Lunch' },
    clickTypeInfo: { clickType: 0, parameters: { courseId: 'c7' } },
    pushTimeInfo: { offLine: 1, validTime: 24 },
    advanceInfo: { notifyKey: expect.stringMatching(/^[\w-]{8}$/) },
  })
})

it('gives two pushes different keys', () => {
  const keyOf = (id: string) => Object(message({ alert: 'A' }, { id })).advanceInfo.notifyKey
  expect(keyOf('push1')).toBe(keyOf('push1'))
  expect(keyOf('push1')).not.toBe(keyOf('push2'))
})

it.each([
  [1_000_000, 1],
  [1_000_000 + 3_600_001, 2],
  [9_999_999_999_999, 72],
])('converts an expiry at %d to %d hours', (expiresAt, validTime) => {
  expect(message({ alert: 'A' }, { expiresAt })).toMatchObject({ pushTimeInfo: { validTime } })
})

it('lets Meizu members override generated ones', () => {
  const own = { advanceInfo: { suspend: 0 }, clickTypeInfo: { clickType: 2, url: 'https://x' }, extra: { mine: 1 } }
  expect(message({ alert: 'A', ...own })).toMatchObject({
    advanceInfo: { suspend: 0, notifyKey: expect.any(String) },
    clickTypeInfo: { clickType: 2, url: 'https://x', parameters: { extra: { mine: 1 } } },
  })
  const extra = { callback: 'https://receipts' }
  expect(message({ alert: 'A', extra })).toMatchObject({ extra, clickTypeInfo: { parameters: {} } })
})
