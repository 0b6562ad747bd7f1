import { expect, test } from 'vitest'
import { parseLogin } from './logins.ts'

test.each([
  ['ann secret', { who: 'ann', body: { username: 'ann', password: 'secret' } }],
  ['ann\t with spaces ', { who: 'ann', body: { username: 'ann', password: ' with spaces ' } }],
  ['{"username":"a b","password":"x"}', { who: 'a b', body: { username: 'a b', password: 'x' } }],
  ['{"email":"a@b.c","password":"x"}', { who: 'a@b.c', body: { email: 'a@b.c', password: 'x' } }],
  ['{"mobilePhoneNumber":"1","password":"x"}', { who: '1', body: { mobilePhoneNumber: '1', password: 'x' } }],
  ['{"sessionToken":"t"}', { who: 'line 3 (session token)', session: 't' }],
] as const)('parses %s as a login', (line, login) => {
  expect(parseLogin(line, 3)).toMatchObject(login)
})

test.each([
  'ann',
  '{"username":"ann"}',
  '{"username":1,"password":"secret"}',
  '{"secret',
  '[]',
  `ann ${'secret'.repeat(3000)}`,
])('rejects %s without showing its content', (line) => {
  const login = parseLogin(line, 3)
  expect(login).toMatchObject({ who: 'line 3', reason: expect.any(String) })
  expect(JSON.stringify(login)).not.toContain('secret')
})
