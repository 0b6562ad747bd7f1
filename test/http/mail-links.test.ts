import { describe, expect, it } from 'vitest'
import { PAGE_HEADERS } from '../../src/api/pages/page.ts'
import { makeApp, type TestApp } from '../support/app.ts'
import { linkIn } from '../support/mail-content.ts'
import { startMailingServer } from '../support/mailing-server.ts'

const server = await startMailingServer()
const app = await appThatVerifies()

async function appThatVerifies(): Promise<TestApp> {
  const made = await makeApp(server.url, server.adminToken)
  await made.admin('PATCH', '/settings', { accounts: { sendVerificationEmail: true } })
  return made
}

interface Member {
  readonly id: string
  readonly email: string
  readonly session: string
  /** Returns the links of the mails to its address; the first is that of the sign-up. */
  links(): Promise<string[]>
}

/** Registers a user with an address. */
async function makeMember(username: string): Promise<Member> {
  const email = `${username}@example.org`
  const body = { username, password: `password of ${username}`, email }
  const { body: made } = await app.request('POST', '/1.1/users', { body })
  const links = async () => (await server.mailsTo(email)).map(linkIn)
  await links()
  return { id: made.objectId, session: made.sessionToken, email, links }
}

const request = (kind: 'requestEmailVerify' | 'requestPasswordReset', email: unknown) =>
  app.request('POST', `/1.1/${kind}`, { body: { email } })

/**
 * Registers a user and requests a password reset.
 * @returns the link of that mail
 */
async function forgetful(username: string): Promise<Member & { readonly link: string }> {
  const made = await makeMember(username)
  await request('requestPasswordReset', made.email)
  return { ...made, link: (await made.links()).at(-1)! }
}

interface Opened {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The error code; undefined for a successful response. */
  readonly code: number | undefined
}

async function open(link: string, options: RequestInit = {}): Promise<Opened> {
  const { status, headers, ...answer } = await fetch(link, options).then(async (response) => ({
    status: response.status,
    headers: response.headers,
    text: await response.text(),
  }))
  const isJson = headers.get('content-type')?.startsWith('application/json')
  return {
    status,
    headers,
    text: answer.text,
    code: isJson && answer.text !== '' ? JSON.parse(answer.text).code : undefined,
  }
}

const openPage = (link: string, language = 'en') =>
  open(link, { headers: { accept: 'text/html', 'accept-language': language } })
const setPassword = (link: string, body: unknown) =>
  open(link, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
const sendForm = (link: string, fields: Record<string, string>) =>
  open(link, { method: 'POST', headers: { accept: 'text/html' }, body: new URLSearchParams(fields) })

const logsIn = async (username: string, password: string) =>
  (await app.request('POST', '/1.1/login', { body: { username, password } })).status === 200
const isVerified = async ({ id }: Member) =>
  (await app.request('GET', `/1.1/users/${id}`, { master: true })).body.emailVerified
const tokenOf = (link: string) => new URL(link).pathname.split('/').at(-1)!
/** Backdates all links. */
const age = (time: string) =>
  server.sql(
    `UPDATE homeport.links SET expires_at = expires_at - $1::interval, created_at = created_at - $1::interval`,
    [time],
  )

describe('a verification link', () => {
  it('that was used is rejected for a client, and shows a browser the page again', async () => {
    const member = await makeMember('used')
    const [link] = await member.links()
    expect(await open(link!)).toMatchObject({ status: 200, text: '{}' })
    expect(await open(link!)).toMatchObject({ status: 400, code: 1 })
    const page = await openPage(link!)
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining('Email address confirmed') })
    expect(page.text).toContain(member.email)
    expect(await openPage(`${link}?lang=zh-CN`)).toMatchObject({
      status: 200,
      text: expect.stringContaining('邮箱已验证'),
    })
  })

  it('is not consumed by HEAD, which mail programs use to test links', async () => {
    const member = await makeMember('tested')
    const [link] = await member.links()
    for (const headers of [{}, { accept: 'text/html' }])
      expect(await open(link!, { method: 'HEAD', headers })).toMatchObject({ status: 200, text: '' })
    expect(await isVerified(member)).toBe(false)
    expect((await openPage(link!)).status).toBe(200)
    expect(await isVerified(member)).toBe(true)
    const unknown = link!.replace(/[^/]{8}$/, 'unknown0')
    expect((await open(unknown, { method: 'HEAD' })).status).toBe(400)
  })

  it.each([
    ['6 days 23 hours', 200],
    ['7 days', 400],
  ])('after %s responds with %i', async (time, status) => {
    const member = await makeMember(`aged-${status}`)
    const [link] = await member.links()
    await age(time)
    expect((await open(link!)).status).toBe(status)
    expect((await openPage(link!)).status).toBe(status)
    expect(await isVerified(member)).toBe(status === 200)
  })

  it('of a former address is invalid, used or not, also after the address is restored', async () => {
    const member = await makeMember('mover')
    await request('requestEmailVerify', member.email)
    const [used, unused] = await member.links()
    await open(used!)
    const setEmail = (email: unknown) =>
      app.request('PUT', `/1.1/users/${member.id}`, { session: member.session, body: { email } })
    for (const email of ['mover@elsewhere.org', member.email, null]) {
      expect((await setEmail(email)).status).toBe(200)
      for (const link of [used!, unused!]) {
        expect(await open(link)).toMatchObject({ status: 400, code: 1 })
        expect(await openPage(link)).toMatchObject({ status: 400, text: expect.stringContaining('no longer valid') })
      }
    }
    expect(await isVerified(member)).toBe(null)
  })

  it('that was used does not reveal an address verified since', async () => {
    const { id, session, links } = await makeMember('settled')
    const [used] = await links()
    await open(used!)
    const email = 'settled@elsewhere.org'
    await app.request('PUT', `/1.1/users/${id}`, { session, body: { email } })
    const [link] = (await server.mailsTo(email)).map(linkIn)
    expect((await openPage(link!)).text).toContain(email)
    expect((await openPage(used!)).status).toBe(400)
  })

  it('sets no password, and a password link verifies nothing', async () => {
    const member = await forgetful('mixed')
    const [verification, reset] = await member.links()
    const swapped = (link: string, path: string) => `${server.url}/1.1/${path}/${tokenOf(link)}`
    expect(await setPassword(swapped(verification!, 'resetPassword'), { password: 'stolen' })).toMatchObject({
      status: 400,
      code: 1,
    })
    expect((await open(swapped(reset!, 'verifyEmail'))).status).toBe(400)
    expect(await isVerified(member)).toBe(false)
    expect(await logsIn('mixed', 'stolen')).toBe(false)
  })

  it('opened many times concurrently works once', async () => {
    const [link] = await (await makeMember('twice')).links()
    const answers = await Promise.all(Array.from({ length: 20 }, () => open(link!)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})

describe('a password reset link', () => {
  it('is not consumed by opening it', async () => {
    const { link } = await forgetful('opener')
    for (const options of [{}, { method: 'HEAD' }, { headers: { accept: 'text/html' } }]) {
      expect((await open(link, options)).status).toBe(200)
    }
    expect(await setPassword(link, { password: 'chosen' })).toMatchObject({ status: 200, text: '{}' })
    expect(await logsIn('opener', 'chosen')).toBe(true)
  })

  it.each([
    [{}, 201],
    [{ password: null }, 201],
    [{ password: '' }, 218],
    [{ password: ' ' }, 218],
    [{ password: 7 }, 218],
    [{ password: 'x'.repeat(4097) }, 218],
  ])('rejects %j', async (body, code) => {
    const name = `careless-${JSON.stringify(body).length}`
    const { link } = await forgetful(name)
    expect(await setPassword(link, body)).toMatchObject({ status: 400, code })
    expect(await logsIn(name, `password of ${name}`)).toBe(true)
    expect((await setPassword(link, { password: 'chosen' })).status).toBe(200)
  })

  it.each([
    [{ password: ' ', confirmation: ' ' }, 'must not be empty'],
    [{ password: 'one', confirmation: 'two' }, 'do not match'],
    [{ password: 'one' }, 'do not match'],
    [{ password: 'x'.repeat(4097), confirmation: 'x'.repeat(4097) }, 'too long'],
  ])('shows the form again for %j', async (fields, alert) => {
    const name = `clumsy-${JSON.stringify(fields).length}`
    const { link } = await forgetful(name)
    const page = await sendForm(link, fields as Record<string, string>)
    expect(page.status).toBe(400)
    expect(/<p role="alert"[^>]*>(.*?)<\/p>/.exec(page.text)![1]).toContain(alert)
    expect(await sendForm(link, { password: 'chosen', confirmation: 'chosen' })).toMatchObject({
      status: 200,
      text: expect.stringContaining('Password changed'),
    })
    expect(await logsIn(name, 'chosen')).toBe(true)
  })

  it("revokes the user's sessions and other password links, and no other user's", async () => {
    const other = await forgetful('bystander')
    const member = await forgetful('victim')
    await request('requestPasswordReset', member.email)
    const second = (await member.links()).at(-1)!
    expect((await setPassword(member.link, { password: 'chosen' })).status).toBe(200)
    const { session } = member
    expect(await app.request('GET', '/1.1/users/me', { session })).toMatchObject({ status: 400, body: { code: 211 } })
    expect(await app.request('PUT', `/1.1/users/${member.id}`, { session, body: { city: 'Graz' } })).toMatchObject({
      status: 403,
      body: { code: 206 },
    })
    for (const link of [member.link, second]) {
      expect(await setPassword(link, { password: 'other' })).toMatchObject({ status: 400, code: 1 })
      expect((await openPage(link)).status).toBe(400)
    }
    expect(await logsIn('victim', 'chosen')).toBe(true)
    expect((await app.request('GET', '/1.1/users/me', { session: other.session })).status).toBe(200)
    expect((await setPassword(other.link, { password: 'other' })).status).toBe(200)
    // The user still has the address, which can be verified.
    expect((await open((await member.links())[0]!)).status).toBe(200)
  })

  it.each([
    ['59 minutes', 200],
    ['1 hour', 400],
  ])('after %s responds with %i', async (time, status) => {
    const { link } = await forgetful(`late-${status}`)
    await age(time)
    expect((await open(link)).status).toBe(status)
    expect((await setPassword(link, { password: 'chosen' })).status).toBe(status)
    expect(await logsIn(`late-${status}`, 'chosen')).toBe(status === 200)
  })

  it('is invalid when the user has another address', async () => {
    const { id, session, link } = await forgetful('moved')
    await app.request('PUT', `/1.1/users/${id}`, { session, body: { email: 'moved@elsewhere.org' } })
    expect((await openPage(link)).status).toBe(400)
    expect(await setPassword(link, { password: 'stolen' })).toMatchObject({ status: 400, code: 1 })
    expect(await logsIn('moved', 'stolen')).toBe(false)
  })

  it('is invalid when the user is deleted', async () => {
    const { id, session, link } = await forgetful('gone')
    expect((await app.request('DELETE', `/1.1/users/${id}`, { session })).status).toBe(200)
    expect((await openPage(link)).status).toBe(400)
    expect(await setPassword(link, { password: 'x' })).toMatchObject({ status: 400, code: 1 })
  })

  it('used 50 times concurrently sets one password', async () => {
    const { link } = await forgetful('contested')
    const passwords = Array.from({ length: 50 }, (_, index) => `password ${index}`)
    const answers = await Promise.all(passwords.map((password) => setPassword(link, { password })))
    const taken = passwords.filter((_, index) => answers[index]!.status === 200)
    expect(taken).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 1)).toHaveLength(49)
    expect(await logsIn('contested', taken[0]!)).toBe(true)
  })
})

describe('the pages', () => {
  it('have headers that keep the URL secret, whatever their content', async () => {
    const { link, links } = await forgetful('watched')
    const [verification] = await links()
    const pages = [
      await openPage(verification!),
      await openPage(`${verification}x`),
      await openPage(link),
      await sendForm(link, { password: 'a', confirmation: 'b' }),
      await sendForm(link, { password: 'a', confirmation: 'a' }),
      await openPage(link),
    ]
    expect(pages.map(({ status }) => status)).toEqual([200, 400, 200, 400, 200, 400])
    for (const { headers } of pages) expect(Object.fromEntries(headers)).toMatchObject(PAGE_HEADERS)
  })

  it('use the requested language, else that of the browser', async () => {
    const { link } = await forgetful('reader')
    for (const [url, browser, language] of [
      [link, 'zh-TW,zh;q=0.9', 'zh-CN'],
      [link, 'de', 'en'],
      [`${link}?lang=en`, 'zh', 'en'],
      [`${link}?lang=zh`, 'en', 'zh-CN'],
      [`${link}x`, 'zh', 'zh-CN'],
    ] as const) {
      expect((await openPage(url, browser)).text).toContain(`<html lang="${language}">`)
    }
    const form = await sendForm(link, { lang: 'zh-CN', password: 'a', confirmation: 'b' })
    expect(form.text).toContain('<html lang="zh-CN">')
  })
})

describe.each(['requestEmailVerify', 'requestPasswordReset'] as const)('%s', (kind) => {
  it.each([
    [undefined, 204],
    [null, 204],
    ['', 204],
    ['nobody', 125],
    ['a@b.cn, c@d.cn', 125],
    [7, 125],
    [{ $ne: '' }, 125],
    ['nobody@example.org', 205],
  ])('of %j gets error %i', async (email, code) => {
    expect(await request(kind, email)).toMatchObject({ status: 400, body: { code } })
  })
})

describe('an invented token', () => {
  it.each([
    'x',
    'x'.repeat(4000),
    'x'.repeat(5000),
    'x'.repeat(20_000),
    '%00',
    'a%00b',
    'a%2Fb',
    '%2e%2e%2fadmin',
    '..%5c',
    '%E4%BD%A0%F0%9F%98%80',
    '你',
    '%ED%A0%80',
    '%c0%af',
    '%zz',
    '%',
    ':token',
    '*',
    ';lang=en',
    'x%3Flang=en',
    '%0d%0aSet-Cookie:a=b',
    "'%20OR%201=1--",
    '%3Cscript%3Ealert(1)%3C/script%3E',
    '__proto__',
  ])('%j is rejected, by a page or an error', async (token) => {
    for (const path of ['verifyEmail', 'resetPassword']) {
      const link = `${server.url}/1.1/${path}/${token}`
      const answers = [await open(link), await openPage(link)]
      if (path === 'resetPassword') answers.push(await setPassword(link, { password: 'x' }), await sendForm(link, {}))
      for (const { status, text } of answers) {
        expect(status).toBeGreaterThanOrEqual(400)
        expect(status).toBeLessThan(500)
        expect(text).toMatch(/^(<!doctype html>|\{"code":)/)
        expect(text).not.toContain('<script')
      }
    }
  })
})

it('no token of a link appears in the log', async () => {
  const { links } = await forgetful('logged')
  const tokens = (await links()).map(tokenOf)
  await open(`${server.url}/1.1/resetPassword/${tokens[1]}`, { method: 'DELETE' })
  await open(`${server.url}/1.1/nowhere/${tokens[1]}`)
  const { rows } = await server.sql('SELECT token_hash FROM homeport.links')
  await expect.poll(() => server.program.output()).toContain('mail sent')
  const output = server.program.output()
  expect([...tokens, ...rows.map(({ token_hash }) => token_hash)].filter((token) => output.includes(token))).toEqual([])
  // The output may contain the route pattern, but not the rest of a URL.
  expect(output).not.toMatch(/(verifyEmail|resetPassword)\/(?!:token")/)
})
