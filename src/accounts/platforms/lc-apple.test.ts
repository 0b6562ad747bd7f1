import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeEach, expect, it } from 'vitest'
import type { JsonObject } from '../../values/json.ts'
import { checkPlatforms } from './check.ts'
import { platformSettings } from './platform-settings.ts'

const apple = await generateKeyPair('RS256', { extractable: true })
const otherKey = await generateKeyPair('RS256')
// Apple's keys also name their algorithm. These do not, so that only the check decides which algorithms are accepted.
const KEYS = JSON.stringify({ keys: [{ ...(await exportJWK(apple.publicKey)), kid: 'k1', use: 'sig' }] })

/** Publishes the keys, one set per path. */
let published: { status: number; body: string } | null
let fetches: string[] = []
/** Milliseconds until the keys are sent. */
let delay = 0
const server = createServer((request, response) => {
  fetches.push(request.url!)
  const answer = published
  if (answer) setTimeout(() => response.writeHead(answer.status).end(answer.body), delay)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

beforeEach(() => {
  published = { status: 200, body: KEYS }
  fetches = []
  delay = 0
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const CLIENTS = ['org.example.app', 'org.example.web']

function check(data: JsonObject, path = '/keys', options?: { timeout: number }): Promise<JsonObject> {
  const settings = platformSettings.parse({ lc_apple: { clientIds: CLIENTS, jwks: `${url}${path}` } })
  return checkPlatforms(settings, { lc_apple: data }, options).then((checked) => checked.lc_apple!)
}

interface Claims {
  readonly issuer?: string
  readonly audience?: string
  /** Omitted for null. */
  readonly subject?: string | null
  /** When the token expires; omitted for null. */
  readonly expires?: string | null
}

function claims(token: SignJWT, { issuer, audience, subject = 'u.1', expires = '10m' }: Claims = {}): SignJWT {
  token
    .setIssuer(issuer ?? 'https://appleid.apple.com')
    .setAudience(audience ?? 'org.example.web')
    .setIssuedAt()
  if (subject !== null) token.setSubject(subject)
  if (expires !== null) token.setExpirationTime(expires)
  return token
}

function tokenWith(changed: Claims = {}, key = apple.privateKey, kid = 'k1'): Promise<string> {
  return claims(new SignJWT({}), changed).setProtectedHeader({ alg: 'RS256', kid }).sign(key)
}

it('accepts a token of Apple for one of the clients, with the uid that it names', async () => {
  const data = { uid: 'u.1', identity_token: await tokenWith(), code: 'c' }
  expect(await check(data)).toEqual(data)
})

it.each([{}, { uid: null }, { uid: '' }])('fills in a missing uid from the token: %j', async (sent) => {
  const identity_token = await tokenWith()
  expect(await check({ ...sent, identity_token })).toEqual({ uid: 'u.1', identity_token })
})

it.each([
  ['expired', () => tokenWith({ expires: '-1s' })],
  ['that never expires', () => tokenWith({ expires: null })],
  ['for another audience', () => tokenWith({ audience: 'org.example.other' })],
  ['of another issuer', () => tokenWith({ issuer: 'https://example.org' })],
  ['without a subject', () => tokenWith({ subject: null })],
  ['with an empty subject', () => tokenWith({ subject: '' })],
  ['signed with another key', () => tokenWith({}, otherKey.privateKey)],
  ['signed with another key under another name', () => tokenWith({}, otherKey.privateKey, 'k2')],
  ['signed in another way', () => signedWithPss()],
  ['without a signature', async () => unsecured()],
  ['signed with the public key as secret', () => signedWithPublicKey()],
  ['of another form', async () => 'SECRET'],
])('rejects a token %s with code 251', async (_, token) => {
  const identity_token = await token()
  const error = await check({ identity_token }).catch((thrown: Error) => thrown)
  expect(error).toMatchObject({ status: 400, code: 251, message: expect.stringMatching(/^Invalid linked session\. /) })
  expect(error.message).not.toContain(identity_token)
  expect(error.message).not.toContain('org.example')
})

function unsecured(): string {
  const token = new UnsecuredJWT({}).setIssuer('https://appleid.apple.com').setAudience('org.example.web')
  return token.setSubject('u.1').setExpirationTime('10m').encode()
}

async function signedWithPss(): Promise<string> {
  const key = await importJWK(await exportJWK(apple.privateKey), 'PS256')
  return claims(new SignJWT({})).setProtectedHeader({ alg: 'PS256', kid: 'k1' }).sign(key)
}

/** HS256 with public data as the secret: valid if the verifier takes the key set for a secret. */
function signedWithPublicKey(): Promise<string> {
  const secret = new TextEncoder().encode(KEYS)
  return claims(new SignJWT({})).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(secret)
}

it("rejects a uid that differs from the token's with code 251", async () => {
  const data = { uid: 'u.2', identity_token: await tokenWith() }
  await expect(check(data)).rejects.toMatchObject({ code: 251, message: expect.stringContaining("'uid'") })
})

it('rejects a union id, because Apple cannot confirm one', async () => {
  const data = { identity_token: await tokenWith(), unionid: 'U1', platform: 'weixin' }
  await expect(check(data)).rejects.toMatchObject({ code: 251, message: expect.stringContaining("'unionid'") })
})

it.each([{ uid: 'u.1' }, { uid: 'u.1', identity_token: 7 }, { uid: ['u.1'], identity_token: 'a.b.c' }])(
  'rejects %j without fetching keys',
  async (data) => {
    await expect(check(data)).rejects.toMatchObject({ code: data.identity_token === 7 ? 251 : 250 })
    expect(fetches).toEqual([])
  },
)

it('fetches the keys once', async () => {
  const data = { identity_token: await tokenWith() }
  await Promise.all([check(data, '/once'), check(data, '/once')])
  await check(data, '/once')
  await expect(check({ identity_token: await tokenWith({ expires: '-1s' }) }, '/once')).rejects.toThrow()
  await expect(check({ identity_token: await tokenWith({}, otherKey.privateKey, 'k2') }, '/once')).rejects.toThrow()
  expect(fetches).toEqual(['/once'])
})

it('takes issuer and audience from the settings', async () => {
  const settings = platformSettings.parse({
    lc_apple: { clientIds: ['only'], jwks: `${url}/own`, issuer: 'https://example.org' },
  })
  const own = { identity_token: await tokenWith({ issuer: 'https://example.org', audience: 'only' }) }
  await expect(checkPlatforms(settings, { lc_apple: own })).resolves.toMatchObject({ lc_apple: { uid: 'u.1' } })
  const other = { identity_token: await tokenWith({ audience: 'only' }) }
  await expect(checkPlatforms(settings, { lc_apple: other })).rejects.toMatchObject({ code: 251 })
})

it.each([
  ['status 500', '/500', { status: 500, body: KEYS }],
  ['garbage', '/garbage', { status: 200, body: '<html>' }],
  ['something else', '/else', { status: 200, body: '{"error":"no"}' }],
  ['nothing', '/silent', null],
])('responds with 511 without keys (%s), and works once they are available', async (_, path, answer) => {
  const data = { identity_token: await tokenWith() }
  published = answer
  await expect(check(data, path, { timeout: 300 })).rejects.toMatchObject({ status: 503, code: 511 })
  published = { status: 200, body: KEYS }
  await expect(check(data, path)).resolves.toMatchObject({ uid: 'u.1' })
})

it('fetches keys within the timeout of the current check, not of the first one', async () => {
  const data = { identity_token: await tokenWith() }
  published = null
  await expect(check(data, '/slow', { timeout: 50 })).rejects.toMatchObject({ code: 511 })
  published = { status: 200, body: KEYS }
  delay = 300
  await expect(check(data, '/slow', { timeout: 30_000 })).resolves.toMatchObject({ uid: 'u.1' })
})
