import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CAPACITY } from '../../src/limits/app-limits.ts'
import { type LimitKind, limitSettings } from '../../src/limits/limit-settings.ts'

const root = new URL('../../', import.meta.url)
const sources = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
const page = readFileSync(new URL('docs/security.md', root), 'utf8').replaceAll('\r\n', '\n')
const table = /\| Limit \| Kind \|.*\n\|[-|]*\n((?:\|.*\n)+)/.exec(page)![1]!
const rows = table
  .trimEnd()
  .split('\n')
  .map((row) => row.split('|').slice(1, -1))
  .map(([limit, kind, most, why, where]) => ({ limit: limit!, kind: kind!.trim(), most: most!, why: why!, where }))

const defaults = limitSettings.parse(undefined)
const limited = (Object.keys(defaults) as (keyof typeof defaults)[]).filter((name): name is LimitKind => {
  const limit: unknown = defaults[name]
  if (typeof limit !== 'object' || limit === null || !('address' in limit)) return false
  return Object.values(limit.address as Record<string, number>).some((most) => most > 0)
})

it.each(limited)('the table of limits by address has limits.%s, of the kind that the code gives it', (name) => {
  const of = rows.filter(({ limit }) => limit.includes(`\`limits.${name}\``))
  expect(of.map(({ kind }) => kind)).toEqual([CAPACITY[name] ?? 'abuse'])
})

it('the table of limits by address lists every file that defines one', () => {
  const files = sources.filter((file) =>
    /\batAddress\b|\bofOneAddress\b|\bofAddress\b|\bOF_ADDRESS\b|\bmayHave\(|\baddressKey\(/.test(
      readFileSync(new URL(`src/${file}`, root), 'utf8'),
    ),
  )
  const section = page.slice(page.indexOf('### Limits by address'), page.indexOf('### Shares while others wait'))
  expect(files.filter((file) => !section.includes(`\`${file}\``))).toEqual([])
  const named = [...section.matchAll(/`([a-z-]+(?:\/[a-z0-9-]+)*\.ts)`/g)].map(([, file]) => file!)
  const all = new Set(sources)
  expect(named.filter((file) => !all.has(file))).toEqual([])
})

it('the table of limits by address states the kind and reason of each', () => {
  for (const { kind, why, most } of rows) {
    expect(kind).toMatch(/^(processor|deliveries|disk|abuse|room)$/)
    expect([why.trim(), most.trim()]).not.toContain('')
  }
})
