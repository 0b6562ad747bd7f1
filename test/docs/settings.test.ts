import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { settings } from '../../src/apps/settings.ts'
import { membersOf } from '../../src/settings-schema.ts'

it.each(['settings.md', 'settings.zh-CN.md'])('%s lists every setting, or the group it belongs to', (page) => {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
  const missing = membersOf(settings).filter(({ path }) => {
    const names = path.split('.')
    return !names.some((_, index) => index > 0 && text.includes(`\`${names.slice(0, index + 1).join('.')}\``))
  })
  expect(missing.map(({ path }) => path)).toEqual([])
})
