import { describe, expect, it } from 'vitest'
import { textOf } from '../../console/src/areas/settings/explanations/explain.ts'
import { SETTING_TEXTS } from '../../console/src/areas/settings/explanations/setting-texts.ts'
import { settings } from '../../src/apps/settings.ts'
import { membersOf } from '../../src/settings-schema.ts'
import { accessibilityFaults } from '../support/accessibility.ts'
import { makeApp } from '../support/app.ts'
import { chromium } from '../support/browser.ts'
import { consoleTests, widthOf } from '../support/console.ts'

const visit = consoleTests()
const app = await makeApp()
const path = `/console/apps/${app.appId}/settings`
const stored = async () => (await app.admin('GET', '/settings')).body

/** Every setting, and every parent of one. */
const patterns = [
  ...new Set(
    membersOf(settings).flatMap((member) => {
      const names = member.path
        .split('.')
        .filter((_, at, all) => all.slice(0, at).join('.') !== 'engine.schedules.*.parameters')
      return names.map((_, depth) => names.slice(0, depth + 1).join('.'))
    }),
  ),
]

/** The schema description of each setting, as served by the management API. */
const descriptions = new Map(describedIn((await app.admin('GET', '/settings/schema')).body, ''))

interface Described {
  readonly description?: string
  readonly properties?: { readonly [name: string]: Described }
  readonly additionalProperties?: Described | boolean
}

function describedIn(
  { description, properties = {}, additionalProperties }: Described,
  path: string,
): [string, string][] {
  const below = (name: string, schema: Described) => describedIn(schema, path === '' ? name : `${path}.${name}`)
  return [
    [path, description ?? ''],
    ...Object.entries(properties).flatMap(([name, schema]) => below(name, schema)),
    ...(typeof additionalProperties === 'object' ? below('*', additionalProperties) : []),
  ]
}

describe('explanations of settings', () => {
  it.each(patterns)('%s has a name in English and in Chinese, and an explanation in both or in neither', (pattern) => {
    const texts = textOf(SETTING_TEXTS, pattern)
    const english = texts?.en
    const [chinese, about = ''] = texts?.zh ?? []
    expect(english).toBeDefined()
    expect(chinese).toMatch(/\p{Script=Han}/u)
    expect(english! + descriptions.get(pattern)).not.toMatch(/\p{Script=Han}/u)
    expect(about === '').toBe(descriptions.get(pattern) === '')
  })

  it('no explanation refers to a missing setting', () => {
    const known = new Set(patterns.flatMap((pattern) => [pattern, pattern.replace(/^(\w+)\.[^.]+/, '$1.*')]))
    expect(Object.keys(SETTING_TEXTS).filter((pattern) => !known.has(pattern))).toEqual([])
  })
})

describe.skipIf(chromium === null)('settings in the console', () => {
  it('saves only changed settings, and restores defaults', async () => {
    await app.admin('PATCH', '/settings', { files: { maxTotal: 7 } })
    const page = await visit()
    await page.goto(path)
    await page.getByLabel('Clients can create classes').click()
    await page.getByRole('tab', { name: 'Files' }).click()
    await page.getByLabel('Maximum file size').fill('1000')
    // Another administrator changes another setting meanwhile.
    await app.admin('PATCH', '/settings', { files: { maxTotal: 8 } })
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByText('2 unsaved changes').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Settings saved').waitFor()
    expect(await stored()).toMatchObject({
      storage: { clientClassCreation: false },
      files: { maxSize: 1000, maxTotal: 8 },
    })
    await page.getByRole('button', { name: 'Reset Maximum file size to default' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(async () => (await stored()).files.maxSize).toBe(1024 ** 3)
    await page.reload()
    expect(await page.getByLabel('Maximum file size').inputValue()).toBe(String(1024 ** 3))
  })

  it('a secret can be written, replaced and removed, and is never shown', async () => {
    const page = await visit({ colorScheme: 'dark' })
    await page.goto(`${path}?group=accounts`)
    await page.getByLabel('New name under Custom verification services').fill('forum')
    await page.getByRole('button', { name: 'Add to Custom verification services' }).click()
    await page.getByLabel('URL', { exact: true }).fill('ftp://forum.example.org')
    await page.getByLabel('Secret').fill('a secret of the forum')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('must be an http or https URL').waitFor()
    await page.getByText('Nothing was saved: 1 value is invalid').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByLabel('URL', { exact: true }).fill('https://forum.example.org')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Set', { exact: true }).waitFor()
    expect((await stored()).accounts.platforms.endpoints).toEqual({
      forum: { url: 'https://forum.example.org', secret: true },
    })
    expect(await page.content()).not.toContain('a secret of the forum')
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect
      .poll(async () => (await stored()).accounts.platforms.endpoints)
      .toEqual({ forum: { url: 'https://forum.example.org' } })
  })

  it('a reader finds every setting in Chinese and changes none', async () => {
    const page = await visit({ role: 'reader', apps: [app.appId], locale: 'zh-CN', width: 375, height: 740 })
    await page.goto(path)
    await page.getByLabel('搜索全部设置').fill('撤回')
    expect(await page.getByLabel('允许撤回消息').isDisabled()).toBe(true)
    expect(new URL(page.url()).searchParams.get('q')).toBe('撤回')
    await page.getByRole('button', { name: '清空' }).waitFor()
    await page.goto(`${path}?group=limits`)
    await page.getByText('整个应用').waitFor()
    await page.getByLabel('写入, 单个 IP 地址, 每秒').waitFor()
    expect(await widthOf(page)).toBeLessThanOrEqual(375)
    expect(await page.locator('input:enabled:not([readonly])').count()).toBeLessThanOrEqual(2)
    expect(await accessibilityFaults(page)).toEqual([])
  })
})
