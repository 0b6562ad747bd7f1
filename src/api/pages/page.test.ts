import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { html } from './html.ts'
import { PAGE_HEADERS, page } from './page.ts'
import { STYLE } from './style.ts'

const shown = page('en', 'A <title>', html`<h1>Hello</h1>`)

it('allows the style of the page by its hash, and nothing else', () => {
  const [, style, ...others] = /<style>(.*?)<\/style>/s.exec(shown)!
  expect(others).toEqual([])
  const hash = createHash('sha256').update(style!, 'utf8').digest('base64')
  expect(PAGE_HEADERS['content-security-policy'].split('; ')).toEqual([
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ])
})

it('sends HTML in UTF-8 that keeps the URL secret and is not cached', () => {
  expect(PAGE_HEADERS).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
})

it('escapes the title, and does not escape the content again', () => {
  expect(shown).toContain('<title>A &lt;title&gt;</title>')
  expect(shown).toContain('<main>\n<h1>Hello</h1>\n</main>')
})

describe.each([
  ['light', STYLE.slice(0, STYLE.indexOf('@media'))],
  ['dark', STYLE.slice(STYLE.indexOf('@media'))],
])('in %s mode', (_, rules) => {
  const colour = (name: string) => new RegExp(`--${name}: #([0-9a-f]{6});`).exec(rules)![1]!

  it.each([
    ['text', 'card'],
    ['quiet', 'card'],
    ['quiet', 'ground'],
    ['accent', 'ground'],
    ['text', 'field'],
    ['alert', 'alert-ground'],
    ['on-accent', 'accent'],
    ['on-accent', 'accent-strong'],
  ])('%s on %s is legible: 4.5 to 1 or more', (front, back) => {
    expect(contrast(colour(front), colour(back))).toBeGreaterThanOrEqual(4.5)
  })

  it.each([
    ['field-edge', 'card'],
    ['alert', 'card'],
    ['accent', 'card'],
    ['accent', 'tint'],
  ])('the lines in %s on %s are visible: 3 to 1 or more', (front, back) => {
    expect(contrast(colour(front), colour(back))).toBeGreaterThanOrEqual(3)
  })
})

/** Returns the contrast ratio of two colors `rrggbb` (WCAG 2.2). */
function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}

function luminance(colour: string): number {
  const [red, green, blue] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}
