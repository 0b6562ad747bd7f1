import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeApp, type Reply } from '../support/app.ts'
import { connectPhones } from '../support/phones.ts'

const app = await makeApp()
const otherApp = await makeApp()
const phones = await connectPhones(app)

const request = (query: Record<string, string> = {}, master = false) =>
  app.request('GET', '/1.1/requestCaptcha', { query, master })
const verify = (body: object) => app.request('POST', '/1.1/verifyCaptcha', { body })
const post = (path: string, body: object, master = false) => app.request('POST', `/1.1/${path}`, { body, master })

interface Captcha {
  readonly token: string
  readonly url: string
  /** The text in the image. */
  readonly text: string
}

async function makeCaptcha(query: Record<string, string> = {}, master = false): Promise<Captcha> {
  const { captcha_token: token, captcha_url: url } = (await request(query, master)).body
  const { rows } = await app.sql('SELECT text FROM "$captchas" WHERE token = $1', [token])
  return { token, url, text: rows[0].text }
}

const solve = ({ token, text }: Captcha) => verify({ captcha_token: token, captcha_code: text })
const proof = async (): Promise<string> => (await solve(await makeCaptcha())).body.validate_token
const miss = ({ token, text }: Captcha) => verify({ captcha_token: token, captcha_code: `${text}?` })
const expire = ({ token }: Captcha) =>
  app.sql(`UPDATE "$captchas" SET expires_at = now() - interval '1 second' WHERE token = $1`, [token])

/** Fetches the image as a browser does, without a key. */
async function fetchImage(url: string) {
  const response = await fetch(url)
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

const refusal = (code: number, error: string) => ({
  status: 400,
  body: { code, error: expect.stringContaining(error) },
})
const dead = refusal(1, 'has expired or was used; request another one.')
const wrongText = (advice: string) => refusal(1, `'captcha_code' does not match the picture; ${advice}.`)
const statuses = (replies: Reply[]) => replies.map(({ status }) => status).toSorted()

describe('requestCaptcha', () => {
  it('returns a token and an image URL on the host of the request', async () => {
    const { status, body } = await request()
    expect(status).toBe(200)
    expect(Object.keys(body).toSorted()).toEqual(['captcha_token', 'captcha_url'])
    expect(body.captcha_url).toBe(`${app.url}/1.1/captchaImage?appId=${app.appId}&token=${body.captcha_token}`)
  })

  it('creates images of the requested size, and short texts with the master key', async () => {
    expect((await makeCaptcha()).text).toHaveLength(4)
    const captcha = await makeCaptcha({ width: '200', height: '100', size: '6', ttl: '180' }, true)
    expect(captcha.text).toHaveLength(6)
    const { width, height } = PNG.sync.read((await fetchImage(captcha.url)).bytes)
    expect([width, height]).toEqual([200, 100])
  })

  it('rejects other sizes', async () => {
    expect(await request({ width: '201' })).toMatchObject(refusal(1, "'width' must be a whole number from 60 to 200."))
    expect(await request({ size: '6' })).toMatchObject(refusal(119, "'size' requires the master key."))
  })

  it('deletes expired captchas', async () => {
    const old = await makeCaptcha()
    await expire(old)
    await makeCaptcha()
    const { rows } = await app.sql('SELECT token FROM "$captchas" WHERE token = $1', [old.token])
    expect(rows).toEqual([])
  })
})

describe('captchaImage', () => {
  it('is the same uncached PNG for every request, without credentials', async () => {
    const { url } = await makeCaptcha()
    const image = await fetchImage(url)
    expect(image.status).toBe(200)
    expect(image.headers.get('content-type')).toBe('image/png')
    expect(image.headers.get('cache-control')).toContain('no-store')
    const { width, height } = PNG.sync.read(image.bytes)
    expect([width, height]).toEqual([85, 30])
    expect((await fetchImage(url)).bytes.equals(image.bytes)).toBe(true)
  })

  it.each([
    '',
    'token=unknown',
    `appId=${app.appId}`,
    `appId=${app.appId}&token=unknown`,
    `appId=${app.appId}&token=%00`,
    `appId=${app.appId}&token=a&token=b`,
    'appId=unknown&token=unknown',
  ])('of "%s" is not found', async (query) => {
    const { status, body } = await app.request('GET', `/1.1/captchaImage?${query}`)
    expect([status, body.code]).toEqual([404, 1])
  })

  it('of a captcha of another app is not found', async () => {
    const { url, token } = await makeCaptcha()
    expect((await fetchImage(url.replace(app.appId, otherApp.appId))).status).toBe(404)
    const body = { captcha_token: token, captcha_code: 'ABCD' }
    expect(await otherApp.request('POST', '/1.1/verifyCaptcha', { body })).toMatchObject(dead)
  })

  it('is not found once the captcha is solved or expired', async () => {
    const [solved, expired] = [await makeCaptcha(), await makeCaptcha()]
    await solve(solved)
    await expire(expired)
    expect((await fetchImage(solved.url)).status).toBe(404)
    expect((await fetchImage(expired.url)).status).toBe(404)
  })
})

describe('verifyCaptcha', () => {
  it('returns a token for the text, ignoring case', async () => {
    const captcha = await makeCaptcha()
    const reply = await solve({ ...captcha, text: captcha.text.toLowerCase() })
    expect(reply).toMatchObject({ status: 200, body: { validate_token: expect.any(String) } })
    expect(reply.body.validate_token).not.toBe(captcha.token)
    expect((await solve(await makeCaptcha())).status).toBe(200)
  })

  it('allows two wrong attempts, not three', async () => {
    const captcha = await makeCaptcha()
    for (const advice of ['try again', 'try again', 'request another captcha']) {
      expect(await miss(captcha)).toMatchObject(wrongText(advice))
    }
    expect(await solve(captcha)).toMatchObject(dead)
    expect((await fetchImage(captcha.url)).status).toBe(404)
    const other = await makeCaptcha()
    await miss(other)
    await miss(other)
    expect((await solve(other)).status).toBe(200)
  })

  it('allows three concurrent attempts', async () => {
    const captcha = await makeCaptcha()
    const replies = await Promise.all(Array.from({ length: 10 }, () => miss(captcha)))
    expect(replies.filter(({ body }) => body.error.includes('does not match the picture'))).toHaveLength(3)
  })

  it('accepts a captcha once, and not after its expiry', async () => {
    const captcha = await makeCaptcha()
    expect(statuses(await Promise.all([solve(captcha), solve(captcha)]))).toEqual([200, 400])
    expect(await solve(captcha)).toMatchObject(dead)
    const late = await makeCaptcha()
    await expire(late)
    expect(await solve(late)).toMatchObject(dead)
  })

  it.each([
    [{ captcha_code: 'ABCD' }, "'captcha_token' must be a string"],
    [{ captcha_token: 'a' }, "'captcha_code' must be a string"],
    [{ captcha_token: 'a', captcha_code: 1234 }, "'captcha_code' must be a string"],
    [{ captcha_token: '\u0000', captcha_code: 'ABCD' }, 'has expired or was used'],
  ])('rejects %j and names the field', async (body, text) => {
    expect(await verify(body)).toMatchObject(refusal(1, text))
  })
})

describe('an app that requires a captcha before a text message', () => {
  const number = phones.newNumber()
  let session: string

  beforeAll(async () => {
    const user = { username: 'ann', password: 'password of ann', mobilePhoneNumber: number }
    session = (await post('users', user)).body.sessionToken
    await app.admin('PATCH', '/settings', { sms: { requireCaptcha: true } })
  })

  afterAll(() => app.admin('PATCH', '/settings', { sms: { requireCaptcha: false } }))

  const paths = [
    ['requestSmsCode', number],
    ['requestMobilePhoneVerify', number],
    ['requestLoginSmsCode', number],
    ['requestPasswordResetBySmsCode', number],
    ['requestChangePhoneNumber', phones.newNumber()],
  ] as const

  it.each(paths)('accepts the proof in %s, once each', async (path, mobilePhoneNumber) => {
    const ask = (more: object = {}) =>
      app.request('POST', `/1.1/${path}`, { session, body: { mobilePhoneNumber, ...more } })
    const missing = { status: 400, body: { code: 608, error: 'Missing validate token.' } }
    const unsolved = await makeCaptcha()
    const before = phones.messages.length
    for (const none of [undefined, null, '', 1, 'unknown', '\u0000', unsolved.token])
      expect(await ask({ validate_token: none })).toMatchObject(missing)
    expect(phones.messages).toHaveLength(before)
    const validate_token = await proof()
    expect((await ask({ validate_token })).status).toBe(200)
    expect(phones.messages).toHaveLength(before + 1)
    expect(phones.messages.at(-1)!.variables).toEqual({})
    await phones.wait(mobilePhoneNumber, 60)
    expect(await ask({ validate_token })).toMatchObject(missing)
  })

  it('accepts one proof for one message, also for two concurrent requests', async () => {
    const validate_token = await proof()
    const asks = [1, 2].map(() => post('requestSmsCode', { mobilePhoneNumber: phones.newNumber(), validate_token }))
    expect(statuses(await Promise.all(asks))).toEqual([200, 400])
  })

  it('rejects an expired proof', async () => {
    const validate_token = await proof()
    await app.sql(`UPDATE "$captchas" SET expires_at = now() - interval '1 second' WHERE validate_token = $1`, [
      validate_token,
    ])
    expect(await post('requestSmsCode', { mobilePhoneNumber: phones.newNumber(), validate_token })).toMatchObject({
      body: { code: 608 },
    })
  })

  it('requires the captcha before revealing whether a user has the number', async () => {
    expect(await post('requestLoginSmsCode', { mobilePhoneNumber: phones.newNumber() })).toMatchObject({
      body: { code: 608 },
    })
  })

  it('requires none with the master key', async () => {
    expect((await post('requestSmsCode', { mobilePhoneNumber: phones.newNumber() }, true)).status).toBe(200)
  })
})

it('an app without the requirement sends messages without a captcha', async () => {
  expect((await post('requestSmsCode', { mobilePhoneNumber: phones.newNumber() })).status).toBe(200)
})
