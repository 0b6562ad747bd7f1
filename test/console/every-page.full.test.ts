import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { en } from '../../console/src/i18n/en.ts'
import { zh } from '../../console/src/i18n/zh.ts'
import { accessibilityFaults } from '../support/accessibility.ts'
import { makeApp } from '../support/app.ts'
import { chromium } from '../support/browser.ts'
import { consoleTests, widthOf } from '../support/console.ts'

const visit = consoleTests()
const app = await makeApp()
const ids: { [name: string]: string } = {}

/** Every page, and the tabs with their own URLs. `:name` is an id in the test data of the app. */
const PAGES = [
  '',
  'administrators',
  'audit',
  'backups',
  'profile',
  ...['overview', 'doctor', 'requests', 'jobs', 'log'].map((tab) => `health?tab=${tab}`),
  ...[
    '',
    'data',
    'data/Entry',
    'data/Entry?open=Entry%2F:entry',
    'data/Vacant',
    ...['schema', 'permissions', 'acl', 'indexes', 'slow', 'danger'].map((tab) => `classes/Entry?tab=${tab}`),
    ...['engines', 'run', 'schedules', 'tasks', 'liveQueries'].map((tab) => `cloud-code?tab=${tab}`),
    'connect',
    'files',
    'files?file=:file',
    'messaging',
    'messaging/conversations/:chat',
    'messaging/conversations/:chat?tab=attributes',
    'messaging/clients?client=quentin',
    'moving-in',
    'push',
    'push/results/:push',
    'push/new',
    'push/scheduled',
    'push/devices',
    'push/credentials',
    'settings',
    'settings?group=accounts',
    'settings?group=limits',
    'users',
    'users?user=:user',
    'roles?role=:role',
  ].map((page) => `apps/:app/${page}`),
  'nowhere',
]

/** Two complementary views for each page; the combination varies by page. */
const VIEWS = [
  [
    { locale: 'en', colorScheme: 'light', width: 1440 },
    { locale: 'zh-CN', colorScheme: 'dark', width: 375 },
  ],
  [
    { locale: 'en', colorScheme: 'dark', width: 375 },
    { locale: 'zh-CN', colorScheme: 'light', width: 1440 },
  ],
] as const

/** Pages that together show every kind of element with hover colors. */
const POINTED_AT = [
  ['apps/:app/', 'button.ant-btn-default'],
  ['apps/:app/', '.ant-card-extra a'],
  ['apps/:app/users', 'button.ant-btn-link'],
] as const

type Texts = { readonly [name: string]: string | Texts }
const flat = (texts: Texts, before = ''): [string, string][] =>
  Object.entries(texts).flatMap(([name, text]) =>
    typeof text === 'string' ? [[before + name, text] as [string, string]] : flat(text, `${before}${name}.`),
  )
const chinese = new Map(flat(zh))
/** Text keys, which are displayed when a text is missing, and English texts that differ from the Chinese ones. */
const NOT_IN_CHINESE = new Set(
  flat(en).flatMap(([name, text]) => [
    name.slice(name.indexOf('.') + 1),
    ...(chinese.get(name) === text || [...chinese.values()].includes(text) ? [] : [text]),
  ]),
)

/** The texts of a page, and their accessible replacements. */
const WORDS = `(() => {
  const words = []
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) {
    const within = walk.currentNode.parentElement
    if (!within.closest('[translate=no], style, script, code, pre')) words.push(walk.currentNode.data.trim())
  }
  for (const name of ['aria-label', 'placeholder', 'title', 'alt'])
    for (const element of document.querySelectorAll('[' + name + ']'))
      if (!element.closest('[translate=no]')) words.push(element.getAttribute(name))
  return [...new Set(words)].filter((word) => /[a-z]/i.test(word))
})()`

/** The labels of icons exposed to screen readers: the icon library labels them in English. */
const ICONS = `[...document.querySelectorAll('.anticon')]
  .filter((icon) => !icon.closest('[aria-hidden=true]'))
  .map((icon) => icon.getAttribute('aria-label') ?? 'an icon without a name')`

async function untranslated(page: Page): Promise<string[]> {
  return (await page.evaluate<string[]>(WORDS)).filter((word) => NOT_IN_CHINESE.has(word))
}

/** Whether the last navigation has finished. */
const IS_THERE = `(({ status, location, resolvedLocation }) =>
  status === 'idle' && resolvedLocation?.href === location.href)(__TSR_ROUTER__.state)`

/** Navigates to a page as a link does: reloading the console for each page would take longer than showing the page. */
async function shown(page: Page, path: string): Promise<void> {
  const url = `/console/${path.replace(/:(\w+)/g, (_, name: string) => ids[name]!)}`
  if (page.url() === 'about:blank') await page.goto(url)
  else await page.evaluate(`__TSR_ROUTER__.history.push(${JSON.stringify(url)})`)
  await expect.poll(() => page.evaluate(IS_THERE)).toBe(true)
  await page
    .getByRole('main')
    .getByRole('heading')
    .or(page.getByText(/Page not found|页面不存在/))
    .first()
    .waitFor()
  await expect.poll(() => page.locator('.ant-skeleton, .ant-spin-spinning').count()).toBe(0)
}

describe.skipIf(chromium === null)('every page', () => {
  beforeAll(async () => {
    const made = async (path: string, body: object) => {
      const reply = await app.request('POST', path, { master: true, body })
      expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300)
      return reply.body
    }
    const user = await app.makeUser('quentin')
    const author = { __type: 'Pointer', className: '_User', objectId: user.id }
    const entry = await made('/1.1/classes/Entry', {
      headline: 'a long headline that has no end '.repeat(20),
      number: 7,
      author,
      words: ['alpha', 'beta'],
      place: { __type: 'GeoPoint', latitude: 1, longitude: 2 },
      when: { __type: 'Date', iso: '2026-01-02T03:04:05.678Z' },
    })
    await app.admin('POST', '/classes', { className: 'Vacant', fields: {} })
    const role = await made('/1.1/roles', {
      name: 'wardens',
      ACL: {},
      users: { __op: 'AddRelation', objects: [author] },
    })
    const file = await made('/1.1/files/picture.txt', { base64: Buffer.from('words').toString('base64') })
    const chat = await made('/1.2/rtm/conversations', { name: 'tea', m: ['quentin', 'ruth'] })
    await made(`/1.2/rtm/conversations/${chat.objectId}/messages`, { from_client: 'ruth', message: 'spoken' })
    await made('/1.1/installations', { deviceType: 'android', installationId: 'quentins', channels: ['tides'] })
    const push = await made('/1.1/push', { channels: ['tides'], data: { alert: 'rising' } })
    Object.assign(ids, {
      app: app.appId,
      user: user.id,
      entry: entry.objectId,
      role: role.objectId,
      file: file.objectId,
      chat: chat.objectId,
      push: push.objectId,
    })
  })

  it.each([0, 1].flatMap((half) => [VIEWS[0][half]!, VIEWS[1][half]!]))(
    'is accessible, translated and fits the screen in $locale, $colorScheme, at $width pixels',
    { timeout: 180_000 },
    async (view) => {
      const page = await visit({ ...view, height: 900 })
      const faults: string[] = []
      for (const [at, path] of PAGES.entries()) {
        if (!(VIEWS[at % 2] as readonly object[]).includes(view)) continue
        await shown(page, path)
        const wide = await widthOf(page)
        if (wide > view.width) faults.push(`${path}: ${wide} pixels wide`)
        for (const fault of await accessibilityFaults(page)) faults.push(`${path}: ${fault}`)
        if (view.locale === 'en') continue
        for (const name of await page.evaluate<string[]>(ICONS))
          if (!/\p{Script=Han}/u.test(name)) faults.push(`${path}: the icon '${name}' is not translated`)
        for (const word of await untranslated(page)) faults.push(`${path}: '${word}' is not translated`)
      }
      expect(faults).toEqual([])
    },
  )

  it.each(['light', 'dark'] as const)('in %s, hovered elements have readable contrast', async (colorScheme) => {
    const page = await visit({ colorScheme })
    for (const [path, kind] of POINTED_AT) {
      await shown(page, path)
      await page.getByRole('main').locator(kind).first().hover()
      expect(await accessibilityFaults(page), kind).toEqual([])
    }
  })
})
