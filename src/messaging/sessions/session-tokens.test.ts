import { expect, it } from 'vitest'
import { lifeLeft, readSessionToken, sessionToken, TOKEN_LIFE } from './session-tokens.ts'

const holder = { clientId: 'tom', tag: 'mobile', deviceId: null }

it('a token says whom it was given to', () => {
  const token = sessionToken('key', 'app', holder, 1000)
  expect(readSessionToken('key', 'app', token, 2000)).toEqual({ ...holder, givenAt: 1000 })
})

it('a token of another app, under another key, changed, or none at all is worthless', () => {
  const token = sessionToken('key', 'app', holder)
  expect(readSessionToken('other', 'app', token)).toBeNull()
  expect(readSessionToken('key', 'other', token)).toBeNull()
  const [payload, signature] = token.split('.')
  const forged = Buffer.from(JSON.stringify({ ...holder, clientId: 'eve', at: Date.now() })).toString('base64url')
  expect(readSessionToken('key', 'app', `${forged}.${signature}`)).toBeNull()
  expect(readSessionToken('key', 'app', `${payload}.`)).toBeNull()
  for (const text of ['', '.', 'made up', 'a.b.c', '😀.😀']) expect(readSessionToken('key', 'app', text)).toBeNull()
})

it('a token is valid for two days', () => {
  const token = sessionToken('key', 'app', holder, 1000)
  expect(readSessionToken('key', 'app', token, 1000 + TOKEN_LIFE * 1000)).not.toBeNull()
  expect(readSessionToken('key', 'app', token, 1001 + TOKEN_LIFE * 1000)).toBeNull()
})

it('a token says how long it is valid yet', () => {
  const token = readSessionToken('key', 'app', sessionToken('key', 'app', holder, 1000), 61_500)!
  expect(lifeLeft(token, 1000)).toBe(TOKEN_LIFE)
  expect(lifeLeft(token, 61_500)).toBe(TOKEN_LIFE - 61)
})
