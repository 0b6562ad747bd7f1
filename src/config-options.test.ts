import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { defaultOf, flagOf, helpOf, isSecret, OPTIONS, type OptionName, variableOf } from './config-options.ts'

const names = Object.keys(OPTIONS) as OptionName[]
const TABLE = /(?<=\|---\|---\|---\|---\|\n)(?:\|.*\n)+/

function page(file: string): string {
  return readFileSync(new URL(`../${file}`, import.meta.url), 'utf8').replaceAll('\r\n', '\n')
}

function rowOf(name: OptionName): string {
  const flag = isSecret(name) ? '' : `\`${flagOf(name)}\` `
  const otherwise = defaultOf(name)
  return `| ${flag}| \`${variableOf(name)}\` | ${otherwise && `${otherwise} `}| ${OPTIONS[name].help} |\n`
}

it('matches the table on the page of options (otherwise run this test with -u)', async () => {
  const text = page('docs/options.md').replace(TABLE, () => names.map(rowOf).join(''))
  await expect(text).toMatchFileSnapshot('../docs/options.md')
})

it('has the same flags, variables and values on the Chinese page of options', () => {
  const cells = (row: string) => row.split(' |').map((cell) => cell.replace(/^\|? ?/, ''))
  const rows = TABLE.exec(page('docs/options.zh-CN.md'))![0].trimEnd().split('\n').map(cells)
  expect(rows.map(([flag, variable]) => [flag, variable])).toEqual(names.map((name) => cells(rowOf(name)).slice(0, 2)))
  const values = names.map(defaultOf).map((otherwise) => (/^`[^`]*`$/.test(otherwise) ? otherwise : undefined))
  expect(rows.map(([, , otherwise], index) => values[index] && otherwise)).toEqual(values)
})

it('shows the default in help', () => {
  expect(helpOf('port')).toBe('port to listen on; 0 selects a free port (default 3000, or 443 with --domain)')
  expect(helpOf('adminAddresses')).toMatch(/ for this check \(default everywhere\)$/)
})
