import { describe, expect, it } from 'vitest'
import { checkMessage } from '../mail/message.ts'
import { fillTemplate, mailTemplateSettings, RESET_TEMPLATE, VERIFICATION_TEMPLATE } from './mail-templates.ts'

const variables = { appname: 'Notes', username: 'lin', email: 'lin@example.org', link: 'https://example.org/?a=1&b=2' }

it('replaces every variable, with or without spaces in the braces', () => {
  const text = '{{appname}} {{ username }} {{email }} {{  link}} {{link}}'
  const filled = 'Notes lin lin@example.org https://example.org/?a=1&b=2 https://example.org/?a=1&b=2'
  expect(fillTemplate({ subject: text, text }, variables)).toEqual({ subject: filled, text: filled })
})

it('leaves unknown placeholders unchanged', () => {
  const text = '{{password}} {{Link}} {{user name}} {{constructor}} {link} {{}} {{link}'
  expect(fillTemplate({ subject: 'a', text }, variables).text).toBe(text)
})

it('treats a value that looks like a placeholder or a replacement pattern as text', () => {
  const template = { subject: '{{username}}', text: '{{username}}: {{link}}', html: '{{username}}: {{link}}' }
  const username = "{{link}} $& $1 $'"
  expect(fillTemplate(template, { ...variables, username, link: 'here' })).toEqual({
    subject: username,
    text: `${username}: here`,
    html: '{{link}} $&amp; $1 $&#39;: here',
  })
})

it('escapes values in the HTML, not in the text', () => {
  const body = '<b title="{{username}}">{{appname}}</b> {{email}} {{link}}'
  const evil = {
    appname: '<img src=x>',
    username: '" onclick="a',
    email: "'&'@example.org",
    link: 'https://e.org/?a&b',
  }
  const { text, html } = fillTemplate({ subject: 'a', text: body, html: body }, evil)
  expect(text).toBe(`<b title="" onclick="a"><img src=x></b> '&'@example.org https://e.org/?a&b`)
  expect(html).toBe(
    '<b title="&quot; onclick=&quot;a">&lt;img src=x&gt;</b> &#39;&amp;&#39;@example.org https://e.org/?a&amp;b',
  )
})

it('sends no HTML for a template without HTML', () => {
  expect(fillTemplate({ subject: 'a', text: 'b', html: undefined }, variables)).not.toHaveProperty('html')
})

describe('the subject', () => {
  const subjectOf = (subject: string, appname = 'Notes') =>
    fillTemplate({ subject, text: '' }, { ...variables, appname }).subject

  it.each(['\r\nBcc: all@example.org', '\nBcc: all@example.org', '\u0000\u2028\u2029\u0085\tBcc: all@example.org'])(
    'with %j in a value stays one line',
    (end) => {
      const subject = subjectOf('Hello from {{appname}}', `Notes${end}`)
      expect(subject).toBe('Hello from Notes Bcc: all@example.org')
      expect(() => checkMessage({ to: variables.email, subject, text: '' })).not.toThrow()
    },
  )

  it('stays one line when the template has several', () => expect(subjectOf('a\r\nb\u0007c')).toBe('a b c'))

  it('is cut at 200 characters, never within a character', () => {
    expect(subjectOf('{{appname}}', 'x'.repeat(200))).toHaveLength(200)
    expect(subjectOf('{{appname}}', 'x'.repeat(201))).toHaveLength(200)
    expect(subjectOf('{{appname}}', `${'x'.repeat(199)}😀😀`)).toBe(`${'x'.repeat(199)}😀`)
  })
})

it('replaces line breaks in values by spaces', () => {
  const filled = fillTemplate(
    { subject: 'a', text: 'Hello {{username}}\n!', html: '{{username}}' },
    { ...variables, username: 'lin\r\n\r\nYou have won' },
  )
  expect(filled).toMatchObject({ text: 'Hello lin You have won\n!', html: 'lin You have won' })
})

describe('as a setting', () => {
  const good = { subject: 'Hello', text: 'Here: {{link}}' }
  const faultsOf = (template: unknown) =>
    mailTemplateSettings.safeParse(template).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)

  it.each([
    good,
    { subject: '你'.repeat(200), text: '{{ link }}' },
    { ...good, html: '<a href="{{link}}">{{appname}}</a>' },
  ])('accepts %j', (template) => expect(mailTemplateSettings.parse(template)).toEqual(template))

  it.each([
    [{ ...good, subject: '' }, 'subject: must not be blank'],
    [{ ...good, subject: ' ' }, 'subject: must not be blank'],
    [{ ...good, subject: 7 }, 'subject: must be a string'],
    [{ ...good, subject: 'x'.repeat(201) }, 'subject: must have at most 200 characters'],
    [{ ...good, subject: 'a\nb' }, 'subject: must be one line without control characters'],
    [{ ...good, subject: 'a\u2028b' }, 'subject: must be one line without control characters'],
    [{ subject: 'a' }, 'text: must be a string'],
    [{ ...good, text: 'Here: {link}' }, 'text: must contain {{link}}'],
    [{ ...good, html: '<p>Here</p>' }, 'html: must contain {{link}}'],
  ])('rejects %j', (template, fault) => expect(faultsOf(template)).toEqual([fault]))

  it('rejects an unknown member by name', () => {
    expect(faultsOf({ ...good, body: 'x' })).toEqual([expect.stringContaining('"body"')])
  })
})

describe.each([
  ['verification', VERIFICATION_TEMPLATE, ['一周', 'one week']],
  ['reset', RESET_TEMPLATE, ['一小时', '只能使用一次', 'one hour', 'can be used once']],
])('the built-in %s mail', (_, template, promises) => {
  it('is a template that the settings accept', () => {
    expect(mailTemplateSettings.parse(template)).toEqual(template)
  })

  it('states in both languages how long the link is valid, and that the mail can be ignored', () => {
    for (const text of [...promises, '忽略', 'ignore']) {
      expect(template.text).toContain(text)
      expect(template.html).toContain(text)
    }
  })

  it('has the link on its own line, and in the HTML as a button and as text', () => {
    const { text, html } = fillTemplate(template, variables)
    expect(text.split('\n').filter((line) => line === variables.link)).toHaveLength(1)
    const link = 'https://example.org/?a=1&amp;b=2'
    expect(html!.split(`<a href="${link}"`)).toHaveLength(3)
    expect(html).toContain(`>${link}</a>`)
    expect(text + html).not.toContain('{{')
  })

  it('loads nothing from the network', () => expect(template.html).not.toMatch(/<(img|link|style|script)|url\(|src=/))

  it('contains nothing that the person signing up could choose', () => {
    expect(Object.values(template).join()).not.toContain('username')
  })
})
