import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CAPACITY } from '../../src/limits/app-limits.ts'
import { type LimitKind, limitSettings } from '../../src/limits/limit-settings.ts'

const root = new URL('../../', import.meta.url)
const sources = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
/** The names of the kinds in the Chinese page. */
const KINDS: Readonly<Record<string, string>> = {
  处理器: 'processor',
  投递: 'deliveries',
  磁盘: 'disk',
  滥用: 'abuse',
  容量: 'room',
}

const page = read('docs/security.md')
const chinesePage = read('docs/security.zh-CN.md')
const rows = rowsOf(page, '| Limit | Kind |')
const chineseRows = rowsOf(chinesePage, '| 限制 | 类别 |')

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
  const section = page.slice(page.indexOf('### Limits by address'), page.indexOf('### Maximum cost of one client'))
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

it('the Chinese table of limits by address has the same limits, kinds and files', () => {
  const compared = (table: typeof rows) =>
    table.map(({ limit, kind, where }) => ({
      names: namesIn(limit),
      kind: KINDS[kind] ?? kind,
      files: namesIn(where),
    }))
  expect(compared(chineseRows)).toEqual(compared(rows))
})

it.each([
  ['security.md', page],
  ['security.zh-CN.md', chinesePage],
])('the table of limits in %s states the defaults of the code', (_, text) => {
  const stated = [...text.matchAll(/^\| `(\w+)` \|[^|]*\| (\d+) \| (\d+) \|$/gm)]
  expect(stated.map(([, name, second, hour]) => [name, { second: Number(second), hour: Number(hour) }])).toEqual(
    Object.entries(defaults).flatMap(([name, limit]) =>
      typeof limit === 'object' && 'address' in limit ? [[name, limit.address]] : [],
    ),
  )
})

function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8').replaceAll('\r\n', '\n')
}

/** Returns the rows of the table of limits by address. @param head the beginning of its first line */
function rowsOf(text: string, head: string) {
  const table = text.slice(text.indexOf(head)).split('\n\n')[0]!.split('\n').slice(2)
  return table
    .map((row) => row.split('|').slice(1, -1))
    .map(([limit, kind, most, why, where]) => ({
      limit: limit!,
      kind: kind!.trim(),
      most: most!,
      why: why!,
      where: where!,
    }))
}

function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)
}
