import { expect, it } from 'vitest'
import { deviceMessage, expiryOf } from './device-message.ts'
import type { Notification } from './providers/provider.ts'

const NOW = Date.UTC(2026, 0, 5, 9)
const notification: Notification = {
  id: 'kQ3vB7xZt0PmWn2L',
  content: { alert: 'Lunch', nested: { deep: [1, null] } },
  expiresAt: NOW + 60_000,
  prod: 'prod',
  channel: null,
}
const messageOf = (changes: Partial<Notification>) => {
  const changed = { ...notification, ...changes }
  const { id, text } = deviceMessage(changed, expiryOf(changed, NOW))
  return { id, content: JSON.parse(text) }
}

it('sends the content and its expiry, under the id of the push', () => {
  expect(messageOf({})).toEqual({
    id: 'kQ3vB7xZt0PmWn2L',
    content: { alert: 'Lunch', nested: { deep: [1, null] }, _expiration_time: '2026-01-05T09:01:00.000Z' },
  })
})

it('names the push channel in a message for its subscribers, with a separate id', () => {
  expect(messageOf({ channel: 'news' })).toMatchObject({ id: 'kQ3vB7xZt0PmWn2L news', content: { _channel: 'news' } })
  expect(messageOf({ channel: '' })).toMatchObject({ id: 'kQ3vB7xZt0PmWn2L ', content: { _channel: '' } })
})

it('keeps a message without an expiry for seven days', () => {
  expect(messageOf({ expiresAt: null }).content._expiration_time).toBe('2026-01-12T09:00:00.000Z')
})

it('overrides members of the content that only the server sets', () => {
  const content = { _channel: 'mine', _expiration_time: '2999-01-01T00:00:00.000Z' }
  expect(messageOf({ content, channel: 'news' }).content).toEqual({
    _channel: 'news',
    _expiration_time: '2026-01-05T09:01:00.000Z',
  })
})
