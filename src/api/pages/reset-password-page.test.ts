import { expect, it } from 'vitest'
import { resetPasswordPage } from './reset-password-page.ts'

const about = { appName: 'Notes', username: 'lin' }
const fieldsOf = (shown: string) =>
  Object.fromEntries([...shown.matchAll(/<input [^>]*>/g)].map(([tag]) => [nameOf(tag), tag]))
const nameOf = (tag: string) => /name="(\w+)"/.exec(tag)?.[1] ?? 'nameless'

it('sends the form to the URL of the page, with the language in which it was shown', () => {
  const shown = resetPasswordPage('zh-CN', about)
  expect(shown).toContain('<form method="post" action="">')
  expect(fieldsOf(shown).lang).toBe('<input type="hidden" name="lang" value="zh-CN">')
})

it('asks for both passwords as new ones, of any length', () => {
  const { password, confirmation } = fieldsOf(resetPasswordPage('en', about))
  for (const field of [password, confirmation]) {
    expect(field).toMatch(/^<input type="password" .*autocomplete="new-password" required>$/)
    expect(field).not.toContain('length')
  }
})

it('passes the username to password managers in a field that is not sent', () => {
  expect(fieldsOf(resetPasswordPage('en', about)).nameless).toBe(
    '<input type="text" value="lin" autocomplete="username" readonly hidden>',
  )
})

it.each([
  [undefined, []],
  ['blank', ['password']],
  ['long', ['password']],
  ['different', ['password', 'confirmation']],
] as const)('the error %s marks the fields %j', (fault, marked) => {
  const shown = resetPasswordPage('en', { ...about, fault })
  const fields = Object.entries(fieldsOf(shown)).filter(([, tag]) => tag.includes('aria-invalid'))
  expect(fields.map(([name]) => name)).toEqual(marked)
  expect(shown.includes('<p role="alert" id="fault">')).toBe(fault !== undefined)
})
