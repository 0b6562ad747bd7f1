import { describe, expect, it } from 'vitest'
import type { Json } from '../../values/json.ts'
import { messageBodyOf, pushDataOf } from './message-body.ts'

describe('a message to send', () => {
  it('needs only a text, and is then sent to all', () => {
    expect(messageBodyOf({ message: 'x' })).toEqual({
      content: 'x',
      transient: false,
      sync: true,
      mentionAll: false,
      mentions: [],
      pushData: null,
      lowPriority: false,
    })
  })

  it('accepts the optional members', () => {
    const fields = {
      message: 'x',
      transient: true,
      no_sync: true,
      mention_all: true,
      mention_client_ids: ['ann'],
      push_data: { alert: 'y' },
      priority: 'Low',
    }
    expect(messageBodyOf(fields)).toEqual({
      content: 'x',
      transient: true,
      sync: false,
      mentionAll: true,
      mentions: ['ann'],
      pushData: '{"alert":"y"}',
      lowPriority: true,
    })
  })

  it.each(['high', 'normal', 'low', 'HIGH', 'Normal'])('accepts the priority %s', (priority) => {
    expect(messageBodyOf({ message: 'x', priority }).content).toBe('x')
  })

  it.each(['', 'urgent', '1'])('rejects the priority %j', (priority) => {
    expect(() => messageBodyOf({ message: 'x', priority })).toThrow("'priority' must be high, normal or low")
  })
})

describe('the content of a push', () => {
  it.each([
    [undefined, null],
    [null, null],
    ['', null],
    [{ alert: 'x' }, '{"alert":"x"}'],
    ['{"alert":"x"}', '{"alert":"x"}'],
    ['look', '{"alert":"look"}'],
    ['5', '{"alert":"5"}'],
    ['[1]', '{"alert":"[1]"}'],
  ] as [Json | undefined, string | null][])('%j becomes %j', (push, expected) => {
    expect(pushDataOf(push === undefined ? {} : { push }, 'push')).toBe(expected)
  })

  it.each([5, true, [1]])('rejects %j', (push) => {
    expect(() => pushDataOf({ push }, 'push')).toThrow("'push' must be a string or a JSON object")
  })
})
