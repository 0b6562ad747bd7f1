import { afterEach, beforeEach, expect, it } from 'vitest'
import { type StandInFcm, startStandInFcm } from '../../../../test/support/stand-in-fcm.ts'
import { type GoogleToken, googleToken } from './google-token.ts'

let fcm: StandInFcm
let now: number
let token: GoogleToken

beforeEach(async () => {
  fcm = await startStandInFcm()
  now = Date.now()
  fcm.now = () => now
  token = googleToken(fcm.settings, () => now)
})

afterEach(() => fcm.stop())

it('exchanges a signed assertion once for all concurrent callers', async () => {
  const tokens = await Promise.all([token.get(), token.get(), token.get()])
  expect(new Set(tokens).size).toBe(1)
  expect([...fcm.tokens.keys()]).toEqual([tokens[0]])
  expect(fcm.exchanges).toBe(1)
})

it('uses a token until shortly before it expires', async () => {
  const first = await token.get()
  now += 3200_000
  expect(await token.get()).toBe(first)
  now += 200_000
  expect(await token.get()).not.toBe(first)
})

it('does not return a forgotten token again, and keeps its successor', async () => {
  const first = String(await token.get())
  token.forget(first)
  const second = await token.get()
  token.forget(first)
  expect(second).not.toBe(first)
  expect(await token.get()).toBe(second)
})

it('rejects an account that Google does not know, with the code alone', async () => {
  const otherToken = googleToken({ ...fcm.settings, clientEmail: 'somebody@example.com' })
  expect(await otherToken.get()).toEqual({ kind: 'refused', reason: 'no access token: invalid_grant' })
})

it('rejects an unreadable key', async () => {
  const outcome = await googleToken({ ...fcm.settings, privateKey: 'nonsense' }).get()
  expect(outcome).toEqual({
    kind: 'refused',
    reason: 'the private key of the service account must be an RSA key in PEM',
  })
  expect(fcm.exchanges).toBe(0)
})

it('returns later for an overloaded or unreachable server, and retries on the next call', async () => {
  fcm.tokenReply = () => ({ status: 503, body: {} })
  expect(await token.get()).toEqual({ kind: 'later', reason: 'no access token: HTTP status 503', after: null })
  fcm.tokenReply = () => undefined
  expect(typeof (await token.get())).toBe('string')
  fcm.tokenReply = () => ({ status: 200, body: { access_token: 'x'.repeat(65_536) } })
  expect(await googleToken(fcm.settings).get()).toMatchObject({
    kind: 'later',
    reason: 'no access token: more than 65536 bytes',
  })
  const away = googleToken({ ...fcm.settings, tokenUrl: 'http://127.0.0.1:1/token' })
  expect(await away.get()).toMatchObject({ kind: 'later' })
})
