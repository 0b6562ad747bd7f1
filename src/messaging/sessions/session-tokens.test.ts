import { expect, it } from 'vitest'
import { lifeLeft, readSessionToken, sessionToken, TOKEN_LIFE } from './session-tokens.ts'

const holder = { clientId: 'tom', tag: 'mobile', deviceId: null }

it('returns the client that a token was issued to', () => {
  const token = sessionToken('key', 'app', holder, 1000)
  expect(readSessionToken('key', 'app', token, 2000)).toEqual({ ...holder, givenAt: 1000 })
})

it('rejects tokens of another app, under another key, changed, or malformed', () => {
  const token = sessionToken('key', 'app', holder)
  expect(readSessionToken('other', 'app', token)).toBeNull()
  expect(readSessionToken('key', 'other', token)).toBeNull()
  const [payload, signature] = token.split('.')
  const forged = Buffer.from(JSON.stringify({ ...holder, clientId: 'eve', at: Date.now() })).toString('base64url')
  expect(readSessionToken('key', 'app', `${forged}.${signature}`)).toBeNull()
  expect(readSessionToken('key', 'app', `${payload}.`)).toBeNull()
  for (const text of ['', '.', 'made up', 'a.b.c', '😀.😀']) expect(readSessionToken('key', 'app', text)).toBeNull()
})

it('accepts a token for two days', () => {
  const token = sessionToken('key', 'app', holder, 1000)
  expect(readSessionToken('key', 'app', token, 1000 + TOKEN_LIFE * 1000)).not.toBeNull()
  expect(readSessionToken('key', 'app', token, 1001 + TOKEN_LIFE * 1000)).toBeNull()
})

it('returns the remaining lifetime of a token', () => {
  const token = readSessionToken('key', 'app', sessionToken('key', 'app', holder, 1000), 61_500)!
  expect(lifeLeft(token, 1000)).toBe(TOKEN_LIFE)
  expect(lifeLeft(token, 61_500)).toBe(TOKEN_LIFE - 61)
})
