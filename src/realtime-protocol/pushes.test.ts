import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../messaging/events.ts'
import { type Message, RECALLED_CONTENT } from '../messaging/message.ts'
import { decode, encode } from './codec.ts'
import { pushOf, sharedPushOf } from './pushes.ts'

const plain: Message = {
  id: 'm1',
  convId: 'c1',
  ts: 1000,
  sender: 'tom',
  content: 'hello',
  bin: false,
  mentionAll: false,
  mentions: [],
  receipt: true,
  patchedAt: null,
  recalled: false,
  ip: '127.0.0.1',
}
const bytes: Message = { ...plain, content: Buffer.from([0, 255]).toString('base64'), bin: true }
const event = { kind: 'message', message: plain, conversation: 'normal', transient: false } as const
const news = { kind: 'conversation', convId: 'c1', by: 'tom', at: 5, updatedAt: 'then' } as const

/**
 * Each event with its command, without meaningless members (protocol/realtime, Command envelope and schema). `service` 2, which
 * all of them have, is omitted here.
 */
const pushes: readonly [string, SessionEvent, object][] = [
  [
    'a message',
    event,
    {
      cmd: 'direct',
      directMessage: { cid: 'c1', id: 'm1', fromPeerId: 'tom', timestamp: 1000, msg: 'hello', convType: 1 },
    },
  ],
  [
    'bytes in a chat room, edited and mentioning everyone',
    {
      ...event,
      message: { ...bytes, patchedAt: 2000, mentionAll: true, mentions: ['a'] },
      conversation: 'room',
      transient: true,
    },
    {
      cmd: 'direct',
      directMessage: {
        cid: 'c1',
        id: 'm1',
        fromPeerId: 'tom',
        timestamp: 1000,
        binaryMsg: Buffer.from([0, 255]),
        mentionPids: ['a'],
        mentionAll: true,
        transient: true,
        patchTimestamp: 2000,
        convType: 2,
      },
    },
  ],
  [
    'an edit by the app',
    { kind: 'patches', patches: [{ message: { ...plain, patchedAt: 2000 }, cause: { code: -4408, reason: 'word' } }] },
    {
      cmd: 'patch',
      op: 'modify',
      patchMessage: {
        patches: [
          {
            cid: 'c1',
            mid: 'm1',
            timestamp: 1000,
            patchTimestamp: 2000,
            from: 'tom',
            recall: false,
            data: 'hello',
            patchCode: -4408,
            patchReason: 'word',
          },
        ],
      },
    },
  ],
  [
    'a recall, whatever the message was',
    { kind: 'patches', patches: [{ message: { ...bytes, patchedAt: 2000, recalled: true }, cause: null }] },
    {
      cmd: 'patch',
      op: 'modify',
      patchMessage: {
        patches: [
          {
            cid: 'c1',
            mid: 'm1',
            timestamp: 1000,
            patchTimestamp: 2000,
            from: 'tom',
            recall: true,
            data: RECALLED_CONTENT,
          },
        ],
      },
    },
  ],
  [
    'that a message was received',
    { kind: 'receipt', convId: 'c1', messageId: 'm1', at: 5, read: false, from: 'jerry' },
    { cmd: 'rcp', rcpMessage: { id: 'm1', cid: 'c1', t: 5, from: 'jerry' } },
  ],
  [
    'that messages were read',
    { kind: 'receipt', convId: 'c1', messageId: 'm1', at: 5, read: true, from: 'jerry' },
    { cmd: 'rcp', rcpMessage: { id: 'm1', cid: 'c1', t: 5, from: 'jerry', read: true } },
  ],
  [
    'that nothing is unread',
    {
      kind: 'unread',
      at: 9,
      conversations: [{ convId: 'c1', kind: 'normal', count: 0, mentioned: false, last: null }],
    },
    {
      cmd: 'unread',
      unreadMessage: { notifTime: 9, convs: [{ cid: 'c1', unread: 0, mentioned: false, convType: 1 }] },
    },
  ],
  [
    'that somebody was invited, for good',
    { ...news, news: 'joined', conversation: 'temporary', ttl: 60 },
    {
      cmd: 'conv',
      op: 'joined',
      serverTs: 5,
      notificationType: 1,
      convMessage: { cid: 'c1', initBy: 'tom', udate: 'then', tempConv: true, tempConvTTL: 60 },
    },
  ],
  [
    'a change that the app made in a chat room',
    {
      ...news,
      news: 'updated',
      by: null,
      conversation: 'room',
      attributes: { 'attr.a': 1 },
      changed: { attr: { a: 1 } },
    },
    {
      cmd: 'conv',
      op: 'updated',
      serverTs: 5,
      notificationType: 2,
      convMessage: {
        cid: 'c1',
        udate: 'then',
        transient: true,
        attr: { data: '{"attr.a":1}' },
        attrModified: { data: '{"attr":{"a":1}}' },
      },
    },
  ],
  [
    'a role',
    {
      ...news,
      news: 'member_info_changed',
      conversation: 'normal',
      info: { clientId: 'a', role: 'Manager', infoId: 'i' },
    },
    {
      cmd: 'conv',
      op: 'member_info_changed',
      serverTs: 5,
      notificationType: 2,
      convMessage: { cid: 'c1', initBy: 'tom', udate: 'then', info: { pid: 'a', role: 'Manager', infoId: 'i' } },
    },
  ],
  [
    'that the session has ended',
    { kind: 'closed', code: 4111, reason: 'SESSION_CONFLICT' },
    { cmd: 'session', op: 'closed', sessionMessage: { code: 4111, reason: 'SESSION_CONFLICT' } },
  ],
]

describe('the commands of events', () => {
  it.each(pushes)('%s', (_, event, command) => {
    const push = { service: 2, ...command }
    expect(pushOf(event)).toEqual(push)
    for (const encoding of ['protobuf', 'base64'] as const)
      expect(decode(encode(pushOf(event), encoding), encoding)).toEqual(push)
    expect(JSON.parse(encode(pushOf(event), 'json') as string)).toMatchObject({ service: 2 })
  })

  it('are made once per event', () => {
    expect(sharedPushOf(event)).toBe(sharedPushOf(event))
    expect(sharedPushOf({ ...event })).not.toBe(sharedPushOf(event))
    expect(sharedPushOf(event).commandFor('jerry')).toMatchObject({ cmd: 'direct', peerId: 'jerry' })
  })
})
