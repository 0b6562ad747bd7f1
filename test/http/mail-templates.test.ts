import { beforeAll, describe, expect, it } from 'vitest'
import { makeApp, type TestApp } from '../support/app.ts'
import type { MailContent } from '../support/mail-content.ts'
import { startMailingServer } from '../support/mailing-server.ts'

const server = await startMailingServer()
const app = await makeApp(server.url, server.adminToken, { name: 'Notes & <Lists>' })
const settings = (accounts: object, of: TestApp = app) => of.admin('PATCH', '/settings', { accounts })

/**
 * Signs a user up and requests a password reset.
 * @returns both mails
 */
async function mailsOf(username: string, email: string, of: TestApp = app): Promise<MailContent[]> {
  await of.request('POST', '/1.1/users', { body: { username, password: 'secret', email } })
  await server.mailsTo(email)
  await of.request('POST', '/1.1/requestPasswordReset', { body: { email } })
  return server.mailsTo(email)
}

const link = (path: string) => new RegExp(`^${server.url}/1.1/${path}/[\\w-]{43}$`)

it('an app without templates sends the built-in mails', async () => {
  await settings({ sendVerificationEmail: true })
  const [verification, reset] = await mailsOf('default', 'default@example.org')
  expect(verification!.subject).toBe('请验证您的邮箱 Confirm your email address – Notes & <Lists>')
  expect(reset!.subject).toBe('重置您的密码 Reset your password – Notes & <Lists>')
  expect(reset!.text.split('\n')).toContainEqual(expect.stringMatching(link('resetPassword')))
  expect(reset!.html).toContain('您的 Notes &amp; &lt;Lists&gt; 账号')
})

it('an app sends mails of its own templates, and no other app does', async () => {
  const other = await makeApp(server.url, server.adminToken)
  await settings({ sendVerificationEmail: true }, other)
  const templates = {
    verification: {
      subject: '{{username}}，欢迎来到 {{appname}}',
      text: '{{email}}\n.\n{{link}}\n',
      html: '<p title="{{username}}">{{appname}} {{email}}</p><a href="{{link}}">验证</a>',
    },
    reset: { subject: 'A new password for {{username}}', text: 'Open {{ link }}' },
  }
  expect((await settings({ sendVerificationEmail: true, templates })).body.accounts.templates).toEqual(templates)
  const [verification, reset] = await mailsOf('"l<i>n"', 'lin@example.org')
  expect(verification!.subject).toBe('"l<i>n"，欢迎来到 Notes & <Lists>')
  const [email, dot, url] = verification!.text.split('\n')
  expect([email, dot]).toEqual(['lin@example.org', '.'])
  expect(url).toMatch(link('verifyEmail'))
  expect(verification!.html).toBe(
    `<p title="&quot;l&lt;i&gt;n&quot;">Notes &amp; &lt;Lists&gt; lin@example.org</p><a href="${url}">验证</a>`,
  )
  expect((await fetch(url!)).status).toBe(200)
  expect(reset!.subject).toBe('A new password for "l<i>n"')
  expect(reset!.text.trim().slice('Open '.length)).toMatch(link('resetPassword'))
  expect(reset!.html).toBeNull()

  const [untouched] = await mailsOf('lin', 'lin@example.com', other)
  expect(untouched!.subject).toContain('请验证您的邮箱')
  await settings({ templates: { verification: null } })
  const [builtIn, own] = await mailsOf('max', 'max@example.org')
  expect(builtIn!.subject).toContain('请验证您的邮箱')
  expect(own!.subject).toBe('A new password for max')
})

it('a name of several lines adds no header to the mail', async () => {
  const template = { subject: 'Hello {{username}}', text: '{{username}}: {{link}}' }
  await settings({ sendVerificationEmail: true, templates: { verification: template } })
  const [mail] = await mailsOf('kim\r\nBcc: all@example.org\r\n\r\nRead this', 'kim@example.org')
  expect(mail!.subject).toBe('Hello kim Bcc: all@example.org Read this')
  expect(mail!.headers.has('bcc')).toBe(false)
  expect(mail!.text).toMatch(/^kim Bcc: all@example.org Read this: http/)
  expect(await server.mailsTo('all@example.org')).toEqual([])
})

describe('rejects an unusable template by its name, and changes nothing', () => {
  const good = { subject: 'Hello', text: '{{link}}' }
  beforeAll(async () => {
    await settings({ templates: { verification: good, reset: good } })
  })

  it.each([
    [{ verification: { ...good, text: 'Hello' } }, 'accounts.templates.verification.text: must contain {{link}}'],
    [{ reset: { ...good, html: '<p></p>' } }, 'accounts.templates.reset.html: must contain {{link}}'],
    [{ reset: { ...good, subject: ' ' } }, 'accounts.templates.reset.subject: must not be blank'],
    [{ reset: { ...good, subject: 'a\nb' } }, 'accounts.templates.reset.subject: must be one line'],
    [{ reset: { ...good, subject: 7 } }, 'accounts.templates.reset.subject: must be a string'],
    [{ verification: { subject: null } }, 'accounts.templates.verification.subject: must be a string'],
    [{ verification: 'Hello' }, 'accounts.templates.verification: '],
    [{ verification: { ...good, sender: 'x' } }, '"sender"'],
    [{ welcome: good }, '"welcome"'],
    ['Hello', 'accounts.templates: '],
  ])('%j', async (templates, fault) => {
    const before = await app.admin('GET', '/settings')
    const { status, body } = await settings({ templates })
    expect([status, body.code]).toEqual([400, 1])
    expect(body.error).toMatch(/^Invalid settings\. /)
    expect(body.error).toContain(fault)
    expect((await app.admin('GET', '/settings')).body).toEqual(before.body)
  })
})
