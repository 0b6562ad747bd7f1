import { generateKeyPairSync } from 'node:crypto'
import { decodeProtectedHeader, jwtVerify } from 'jose'
import { beforeEach, expect, it } from 'vitest'
import { providerToken } from './apns-token.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const MINUTE = 60_000
let now: number
const token = () => providerToken('TEAM', 'KEY', pem, () => now)

beforeEach(() => {
  now = Date.UTC(2030, 0, 1)
})

it('creates a token with team, key and time, signed with ES256', async () => {
  const made = await token().get()
  const { payload } = await jwtVerify(made, publicKey, { currentDate: new Date(now) })
  expect(decodeProtectedHeader(made)).toEqual({ alg: 'ES256', kid: 'KEY' })
  expect(payload).toEqual({ iss: 'TEAM', iat: now / 1000 })
})

it('keeps a token for more than 20 minutes and less than an hour', async () => {
  const tokens = token()
  const made = await tokens.get()
  now += 21 * MINUTE
  expect(await tokens.get()).toBe(made)
  now += 38 * MINUTE
  expect(await tokens.get()).not.toBe(made)
})

it('replaces a token from the future', async () => {
  const tokens = token()
  const made = await tokens.get()
  now -= MINUTE
  expect(await tokens.get()).not.toBe(made)
})

it('replaces an expired token once within 20 minutes, for all callers', async () => {
  const tokens = token()
  const first = await tokens.get()
  now += MINUTE
  const [second, alike] = await Promise.all([tokens.replace(first), tokens.replace(first)])
  expect(second).not.toBe(first)
  expect(alike).toBe(second)
  now += MINUTE
  expect(await tokens.replace(second)).toBe(second)
  now += 20 * MINUTE
  expect(await tokens.replace(second)).not.toBe(second)
})

it.each([
  ['no key', 'nonsense'],
  [
    'a key of another kind',
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  ],
])('rejects %s', (_, pem) => {
  expect(() => providerToken('TEAM', 'KEY', pem)).toThrow()
})
