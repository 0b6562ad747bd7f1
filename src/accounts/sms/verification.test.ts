import { expect, it } from 'vitest'
import { messageForm } from './verification.ts'

it('requests a text message without template when only a number is sent', () => {
  const form = { channel: 'sms', template: null, sign: null, variables: {} }
  expect(messageForm({ mobilePhoneNumber: '13800000000' })).toEqual(form)
})

it('uses members without a meaning of their own as variables of the template, numbers as texts', () => {
  const request = {
    mobilePhoneNumber: '13800000000',
    smsType: 'voice',
    ttl: 5,
    template: 'Welcome',
    sign: 'Shop',
    validate_token: 'abc',
    name: 'Notes',
    op: 'log in',
    order: 42.5,
  }
  expect(messageForm(request)).toEqual({
    channel: 'voice',
    template: 'Welcome',
    sign: 'Shop',
    variables: { name: 'Notes', op: 'log in', order: '42.5' },
  })
})

it('ignores members that are null', () => {
  const form = { channel: 'sms', template: null, sign: null, variables: {} }
  expect(messageForm({ smsType: null, template: null, sign: null, ttl: null, name: null })).toEqual(form)
})

it.each([
  [{ smsType: 'mail' }, "'smsType' must be 'sms' or 'voice'."],
  [{ smsType: 1 }, "'smsType' must be 'sms' or 'voice'."],
  [{ template: 1 }, "'template' must be a string."],
  [{ sign: ['Shop'] }, "'sign' must be a string."],
  [{ op: true }, "'op' must be a string or a number to be used as a template variable."],
  [{ user: { name: 'Ann' } }, "'user' must be a string or a number to be used as a template variable."],
  [{ op: 'x'.repeat(5000) }, 'The variables of the template must have at most 4096 characters in total.'],
])('rejects %j by the name of the field', (request, message) => {
  expect(() => messageForm(request)).toThrow(expect.objectContaining({ status: 400, code: 1, message }))
})
