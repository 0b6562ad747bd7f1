import AV from 'leancloud-storage'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeApp } from '../support/app.ts'
import { chromium, openBrowser } from '../support/browser.ts'
import { linkIn } from '../support/mail-content.ts'
import { startMailingServer } from '../support/mailing-server.ts'

const server = await startMailingServer()
const app = await makeApp(server.url, server.adminToken)
AV.init({ appId: app.appId, appKey: app.appKey, masterKey: app.masterKey, serverURL: app.url })
const browser = chromium === null ? null : await openBrowser(afterAll)

type Language = 'zh-CN' | 'en'
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

const change = (accounts: object) => app.admin('PATCH', '/settings', { accounts })
const addressOf = (username: string) => `${username}@example.org`
const passwordOf = (username: string) => `password of ${username}`

/** Registers a user with the address and password derived from the name. */
function signUp(username: string): Promise<AV.User> {
  return AV.User.signUp(username, passwordOf(username), { email: addressOf(username) })
}

/** Reads the stored user with its own session. */
async function stored(user: AV.User): Promise<AV.User> {
  const blind = AV.Object.createWithoutData<AV.User>('_User', user.id!)
  return (await blind.fetch({}, { sessionToken: user.getSessionToken() })) as AV.User
}

async function latestLink(address: string): Promise<string> {
  return linkIn((await server.mailsTo(address)).at(-1)!)
}

/** Opens a link on a phone, in the given language. */
async function open(link: string, locale: Language): Promise<{ page: Page; status: number }> {
  const context = await browser!.newContext({ ...PHONE, locale })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const response = await page.goto(link)
  return { page, status: response!.status() }
}

const heading = (page: Page) => page.getByRole('heading').innerText()
const refusedWith = (code: number, text?: string) =>
  expect.objectContaining({ code, ...(text !== undefined && { rawMessage: text }) })

describe('with accounts.sendVerificationEmail', () => {
  beforeAll(async () => {
    await change({ sendVerificationEmail: true })
  })

  it('a sign-up sends one mail, and its link verifies the address', async () => {
    const ann = await signUp('ann')
    expect(ann.get('emailVerified')).toBe(false)
    const mails = await server.mailsTo(addressOf('ann'))
    expect(mails).toHaveLength(1)
    expect(mails[0]!.subject).toBe('请验证您的邮箱 Confirm your email address – test')
    const link = linkIn(mails[0]!)
    expect(mails[0]!.html).toContain(`<a href="${link}"`)

    const answer = await fetch(link)
    expect([answer.status, await answer.json()]).toEqual([200, {}])
    expect((await stored(ann)).get('emailVerified')).toBe(true)
    expect((await AV.User.logIn('ann', passwordOf('ann'))).get('emailVerified')).toBe(true)
  })

  it('a sign-up without an address sends none, and emailVerified stays unset', async () => {
    const nameless = await AV.User.signUp('nameless', 'secret')
    expect(nameless.get('emailVerified')).toBeNull()
    expect((await stored(nameless)).get('emailVerified')).toBeNull()
  })

  it.skipIf(browser === null).each([
    ['zh-CN', '邮箱已验证'],
    ['en', 'Email address confirmed'],
  ] as const)('a browser in %s shows that the address is verified, also when reopened', async (locale, title) => {
    const name = `bo-${locale}`
    const user = await signUp(name)
    const link = await latestLink(addressOf(name))
    const { page, status } = await open(link, locale)
    expect([status, await heading(page)]).toEqual([200, title])
    expect(await page.getByRole('main').innerText()).toContain(addressOf(name))
    expect((await stored(user)).get('emailVerified')).toBe(true)
    expect((await page.reload())!.status()).toBe(200)
    expect(await heading(page)).toBe(title)
  })

  it('requestEmailVerify sends another mail, and the first link still works', async () => {
    const cleo = await signUp('cleo')
    await AV.User.requestEmailVerify(addressOf('cleo'))
    const links = (await server.mailsTo(addressOf('cleo'))).map(linkIn)
    expect(new Set(links).size).toBe(2)
    expect((await fetch(links[0]!)).status).toBe(200)
    expect((await stored(cleo)).get('emailVerified')).toBe(true)
  })

  it('requestEmailVerify sends none to a verified address', async () => {
    await signUp('dan')
    await fetch(await latestLink(addressOf('dan')))
    await AV.User.requestEmailVerify(addressOf('dan'))
    expect(await server.mailsTo(addressOf('dan'))).toHaveLength(1)
  })

  it('a new address must be verified: a mail is sent to it, and the old link is invalid', async () => {
    const eve = await signUp('eve')
    const old = await latestLink(addressOf('eve'))
    eve.setEmail('eve@elsewhere.org')
    await eve.save(null, { sessionToken: eve.getSessionToken() })
    expect((await stored(eve)).get('emailVerified')).toBe(false)
    expect((await fetch(old)).status).toBe(400)
    expect((await stored(eve)).get('emailVerified')).toBe(false)
    expect(await server.mailsTo(addressOf('eve'))).toHaveLength(1)

    expect((await fetch(await latestLink('eve@elsewhere.org'))).status).toBe(200)
    expect((await stored(eve)).get('emailVerified')).toBe(true)
    // A verified address is valid only while the user has it.
    eve.setEmail('eve@third.org')
    await eve.save(null, { sessionToken: eve.getSessionToken() })
    expect((await stored(eve)).get('emailVerified')).toBe(false)
    expect(await server.mailsTo('eve@third.org')).toHaveLength(1)
  })

  it('an update that keeps the address sends nothing', async () => {
    const fay = await signUp('fay')
    await fay.save({ city: 'Graz', username: 'fay the second' }, { sessionToken: fay.getSessionToken() })
    expect(await server.mailsTo(addressOf('fay'))).toHaveLength(1)
  })

  it('with accounts.requireVerifiedEmail login is rejected before verification: error 216', async () => {
    await change({ requireVerifiedEmail: true })
    onTestFinished(async () => void (await change({ requireVerifiedEmail: false })))
    await signUp('gil')
    const logIns = [
      () => AV.User.logIn('gil', passwordOf('gil')),
      () => AV.User.loginWithEmail(addressOf('gil'), passwordOf('gil')),
    ]
    for (const logIn of logIns) {
      await expect(logIn()).rejects.toEqual(refusedWith(216, "Email address isn't verified."))
    }
    await expect(AV.User.logIn('gil', 'wrong')).rejects.toEqual(refusedWith(210))
    await fetch(await latestLink(addressOf('gil')))
    for (const logIn of logIns) expect((await logIn()).getUsername()).toBe('gil')
  })
})

describe('without accounts.sendVerificationEmail', () => {
  beforeAll(async () => {
    await change({ sendVerificationEmail: false })
  })

  it('a sign-up sends no mail, and emailVerified is null', async () => {
    const hal = await signUp('hal')
    expect(hal.get('emailVerified')).toBeNull()
    expect((await stored(hal)).get('emailVerified')).toBeNull()
    expect(await server.mailsTo(addressOf('hal'))).toEqual([])
  })

  it('a changed address sends no mail, and is not verified', async () => {
    const ida = await signUp('ida')
    await ida.save({ email: 'ida@elsewhere.org' }, { sessionToken: ida.getSessionToken() })
    expect((await stored(ida)).get('emailVerified')).toBe(false)
    expect(await server.mailsTo('ida@elsewhere.org')).toEqual([])
  })

  it('requestEmailVerify names the setting it requires', async () => {
    await signUp('jon')
    await expect(AV.User.requestEmailVerify(addressOf('jon'))).rejects.toEqual(
      refusedWith(1, 'Please enable the option to verify user emails in application settings.'),
    )
    expect(await server.mailsTo(addressOf('jon'))).toEqual([])
  })
})

describe.each(['requestEmailVerify', 'requestPasswordReset'] as const)('%s', (request) => {
  beforeAll(async () => {
    await change({ sendVerificationEmail: true })
  })

  it.each([
    ['an address of nobody', 'nobody@example.org', 205],
    ['no address', '', 204],
    ['something else', 'nobody', 125],
  ])('rejects %s', async (_, address, code) => {
    await expect(AV.User[request](address)).rejects.toEqual(refusedWith(code))
    expect(await server.mailsTo(address)).toEqual([])
  })
})

const WORDS = {
  'zh-CN': {
    password: '新密码',
    confirmation: '再次输入新密码',
    save: '保存新密码',
    different: '两次输入的密码不一致，请重新输入。',
    changed: '密码已修改',
    invalid: '链接已失效',
  },
  en: {
    password: 'New password',
    confirmation: 'Confirm password',
    save: 'Save new password',
    different: 'The passwords do not match. Please enter them again.',
    changed: 'Password changed',
    invalid: 'This link is no longer valid',
  },
} as const

describe.skipIf(browser === null).each(['zh-CN', 'en'] as const)('a forgotten password, in %s', (locale) => {
  const words = WORDS[locale]
  const name = `forgetful-${locale}`

  /** Fills in the form and submits it. */
  async function submit(page: Page, password: string, confirmation: string): Promise<void> {
    await page.getByLabel(words.password, { exact: true }).fill(password)
    await page.getByLabel(words.confirmation, { exact: true }).fill(confirmation)
    await page.getByRole('button', { name: words.save }).tap()
  }

  it('is replaced on the linked page, and sessions of the old one are revoked', async () => {
    await change({ sendVerificationEmail: false })
    const user = await signUp(name)
    const session = user.getSessionToken()
    await AV.User.requestPasswordReset(addressOf(name))
    await AV.User.requestPasswordReset(addressOf(name))
    const [first, second] = (await server.mailsTo(addressOf(name))).map(linkIn)

    const { page, status } = await open(first!, locale)
    expect(status).toBe(200)
    expect(await page.getByRole('main').innerText()).toContain(name)
    await submit(page, 'a new one', 'another new one')
    expect(await page.getByRole('alert').innerText()).toBe(words.different)
    await expect(AV.User.logIn(name, 'a new one')).rejects.toEqual(refusedWith(210))
    await submit(page, '新密码 & 1', '新密码 & 1')
    await page.getByRole('heading', { name: words.changed }).waitFor()

    const again = await AV.User.logIn(name, '新密码 & 1')
    expect(again.getSessionToken()).not.toBe(session)
    await expect(AV.User.logIn(name, passwordOf(name))).rejects.toEqual(refusedWith(210))
    await expect(AV.User.become(session)).rejects.toEqual(refusedWith(211))
    const write = await app.request('PUT', `/1.1/users/${user.id}`, { session, body: { city: 'Graz' } })
    expect([write.status, write.body.code]).toEqual([403, 206])

    for (const link of [first!, second!]) {
      const closed = await open(link, locale)
      expect([closed.status, await heading(closed.page)]).toEqual([400, words.invalid])
    }
  })
})

it('a locked login stays locked when the password is replaced', async () => {
  await change({ sendVerificationEmail: false })
  await signUp('locked')
  for (let failures = 0; failures < 6; failures++) {
    await expect(AV.User.logIn('locked', 'wrong')).rejects.toEqual(refusedWith(210))
  }
  await expect(AV.User.logIn('locked', 'wrong')).rejects.toEqual(refusedWith(219))
  await AV.User.requestPasswordReset(addressOf('locked'))
  const headers = { 'content-type': 'application/json' }
  const link = await latestLink(addressOf('locked'))
  const answer = await fetch(link, { method: 'POST', headers, body: '{"password":"another"}' })
  expect(answer.status).toBe(200)
  await expect(AV.User.logIn('locked', 'another')).rejects.toEqual(refusedWith(219))
  // Only time lifts the lock, and then the new password works.
  await server.sql(`UPDATE "app_${app.appId}"."$attempts" SET state = state || '{"lockedUntil": 1}'`)
  expect((await AV.User.logIn('locked', 'another')).getUsername()).toBe('locked')
})
