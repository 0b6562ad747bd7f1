import { expect, it } from 'vitest'
import { makeMessaging } from '../../../test/support/messaging.ts'
import type { Message } from '../message.ts'
import { historyItem, historyItems } from './history-item.ts'

const { messaging, conversation } = await makeMessaging()

const message: Message = {
  id: 'vdkGm4dtRNmhQ5gqUTFBiA',
  convId: 'talk',
  ts: 1408008498571,
  sender: 'ann',
  content: 'hello',
  bin: false,
  mentionAll: false,
  mentions: [],
  receipt: false,
  patchedAt: null,
  recalled: false,
  ip: '192.0.2.1',
}

it('has the fields of the contract', () => {
  expect(historyItem(message, 'normal')).toEqual({
    'msg-id': 'vdkGm4dtRNmhQ5gqUTFBiA',
    'conv-id': 'talk',
    timestamp: 1408008498571,
    from: 'ann',
    to: 'talk',
    data: 'hello',
    bin: false,
    'is-conv': true,
    'is-room': false,
    'from-ip': '192.0.2.1',
  })
})

it.each([
  ['normal', true, false],
  ['temporary', true, false],
  ['system', true, false],
  ['room', false, true],
] as const)('marks a message in a conversation of the kind %s: is-conv %s, is-room %s', (kind, isConv, isRoom) => {
  expect(historyItem(message, kind)).toMatchObject({ 'is-conv': isConv, 'is-room': isRoom })
})

it('converts messages of many conversations by the kind of each', async () => {
  const [talk, room] = [await conversation(['ann', 'bob']), await conversation([], { tr: true })]
  const items = await historyItems(
    messaging,
    [talk, room, 'gone', talk].map((convId) => ({ ...message, convId })),
  )
  expect(items.map((item) => [item['conv-id'], item['is-room']])).toEqual([
    [talk, false],
    [room, true],
    ['gone', false],
    [talk, false],
  ])
})
