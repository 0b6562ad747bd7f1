import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { errors } from '../errors.ts'
import { messagingErrors } from '../messaging/messaging-errors.ts'
import { descriptorOf } from './commands/table.ts'
import { errorOf, refusalOf } from './refusals.ts'

const rejection = { code: 7, message: 'not today' }
const direct = { cmd: 'direct', directMessage: { cid: 'c' } } as const

describe('a request is rejected', () => {
  it('with an error with code, name and detail', () => {
    expect(refusalOf({ cmd: 'conv' }, messagingErrors.conversationNotFound('x'))).toEqual({
      cmd: 'error',
      errorMessage: { code: 4303, reason: 'CONVERSATION_NOT_FOUND', detail: "Conversation 'x' not found." },
    })
  })

  it('with the verdict of a hook', () => {
    expect(refusalOf({ cmd: 'conv' }, messagingErrors.conversationRejected(rejection))).toMatchObject({
      errorMessage: { code: 4305, reason: 'CONVERSATION_REJECTED_BY_APP', appCode: 7, appMsg: 'not today' },
    })
  })

  it('with the common name for errors that have none', () => {
    const { message } = errors.invalidQuery('x')
    expect(refusalOf({ cmd: 'conv' }, errors.invalidQuery('x'))).toEqual({
      cmd: 'error',
      errorMessage: { code: 4301, reason: 'CONVERSATION_API_FAILED', detail: message },
    })
  })

  it('with the name of limits when the queue of the client is full', () => {
    expect(refusalOf({ cmd: 'logs' }, errors.tooManyRequests())).toMatchObject({
      errorMessage: { code: 4116, reason: 'MESSAGE_SENT_QUOTA_EXCEEDED' },
    })
  })

  it.each([
    ['22003', /out of range/],
    ['2201B', /regular expression/],
    ['57014', /./],
  ])('for a value that the database rejects with %s, without its text', (code, detail) => {
    const fault = Object.assign(new pg.DatabaseError('secret', 6, 'error'), { code })
    expect(refusalOf({ cmd: 'conv' }, fault)).toEqual({
      cmd: 'error',
      errorMessage: { code: 4301, reason: 'CONVERSATION_API_FAILED', detail: expect.stringMatching(detail) },
    })
    expect(JSON.stringify(refusalOf({ cmd: 'conv' }, fault))).not.toContain('secret')
  })

  it('not at all for an internal error', () => {
    expect(refusalOf({ cmd: 'conv' }, new Error('secret'))).toBeNull()
    expect(refusalOf(direct, 'secret')).toBeNull()
  })
})

describe('a message is rejected', () => {
  it.each([
    ['an error of messaging', messagingErrors.silenced(), { code: 4563, reason: 'SILIENCED' }],
    [
      'a rejection by a hook',
      messagingErrors.messageRejected(rejection),
      { code: 4402, reason: 'MESSAGE_REJECTED_BY_APP', appCode: 7, appMsg: 'not today' },
    ],
    ['a message that is too large', errors.badArgument('too large'), { code: 4109, reason: 'FRAME_TOO_LONG' }],
    ['an error of the object store', errors.malformedJson('NUL'), { code: 4301, reason: 'CONVERSATION_API_FAILED' }],
  ])('with its acknowledgement for %s', (_, error, ackMessage) => {
    expect(refusalOf(direct, error, descriptorOf(direct).refusal)).toEqual({
      cmd: 'ack',
      ackMessage: { cid: 'c', ...ackMessage },
    })
  })
})

it('names the clients of a partial failure', () => {
  expect(errorOf(messagingErrors.needOwner(), ['a', 'b'])).toEqual({
    code: 4324,
    reason: 'CONVERSATION_NEED_OWNER',
    pids: ['a', 'b'],
  })
})
