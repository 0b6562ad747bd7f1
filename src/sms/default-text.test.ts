import { expect, it } from 'vitest'
import { defaultText } from './default-text.ts'
import type { TextMessage } from './sms.ts'

const message: TextMessage = {
  phone: '+8613800000000',
  kind: 'code',
  channel: 'sms',
  code: '135790',
  ttlMinutes: 10,
  appName: '小店',
  template: null,
  sign: null,
  variables: {},
}

it('states app, code and lifetime in Chinese and in English', () => {
  expect(defaultText(message)).toMatch(/^【小店】.*135790.*10 分钟.*135790.*10 minutes/)
  expect(defaultText({ ...message, ttlMinutes: 1 })).toMatch(/1 分钟.* 1 minute\./)
})

it('uses the signature in the request instead of the name of the app', () => {
  expect(defaultText({ ...message, sign: '大店' })).toMatch(/^【大店】/)
})

it('returns no text for a notice', () => {
  expect(defaultText({ ...message, kind: 'notice', code: null })).toBeNull()
})
