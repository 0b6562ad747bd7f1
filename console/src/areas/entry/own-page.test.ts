import { expect, it } from 'vitest'
import { ownPage } from './own-page.ts'

it.each([
  ['/', '/'],
  ['/apps/a/data/Post?where=%7B%7D#x', '/apps/a/data/Post?where=%7B%7D#x'],
  ['/apps/a//b', '/apps/a//b'],
  ['/../../admin', '/admin'],
  [undefined, '/'],
  ['', '/'],
  ['apps', '/'],
  ['//evil.org', '/'],
  ['/\\evil.org', '/'],
  ['\\/evil.org', '/'],
  ['/\t/evil.org', '/'],
  ['/\n/evil.org', '/'],
  ['\t//evil.org', '/'],
  ['/..//evil.org', '/'],
  ['/.//evil.org', '/'],
  ['/%2e//evil.org', '/'],
  ['https://evil.org', '/'],
  ['javascript:alert(1)', '/'],
  ['data:text/html,x', '/'],
])('a login that names %j as the next page leads to %j', (next, page) => {
  expect(ownPage(next)).toBe(page)
  expect(new URL(`/console${ownPage(next)}`, 'https://api.example.org').origin).toBe('https://api.example.org')
})
