import { expect, it } from 'vitest'
import { isMailAddress } from './address.ts'
import { checkMessage } from './message.ts'

it.each(['a@b.cn', 'first.last+tag@sub.example.org', "o'neil_99@example-host.co.uk", `${'x'.repeat(64)}@example.org`])(
  'accepts the address %s',
  (text) => expect(isMailAddress(text)).toBe(true),
)

it.each([
  null,
  7,
  '',
  'nobody',
  '@example.org',
  'a@',
  'a@localhost',
  'a@@example.org',
  'a@b@example.org',
  'a b@example.org',
  '.a@example.org',
  'a..b@example.org',
  'a.@example.org',
  'a@-example.org',
  'a@example..org',
  'a@example.org.',
  'a@example.org,b@example.org',
  'Name <a@example.org>',
  '"a"@example.org',
  'a@example.org\r\nBcc: b@example.org',
  'a@example.org\n',
  `${'x'.repeat(65)}@example.org`,
  `a@${'x'.repeat(64)}.org`,
  `a@${'x.'.repeat(130)}org`,
])('rejects the address %j', (text) => expect(isMailAddress(text)).toBe(false))

it('rejects a subject of several lines, because it could start further headers', () => {
  const message = { to: 'a@example.org', text: 'two\nlines' }
  expect(() => checkMessage({ ...message, subject: '你好 – all fine' })).not.toThrow()
  expect(() => checkMessage({ ...message, subject: 'a\r\nBcc: b@example.org' })).toThrow('one line')
  expect(() => checkMessage({ ...message, subject: 'a\nb' })).toThrow('one line')
  expect(() => checkMessage({ ...message, to: 'nobody', subject: 'a' })).toThrow(expect.objectContaining({ code: 125 }))
})
