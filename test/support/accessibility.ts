import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** WCAG 2.2 at level AA, whose rules include the earlier versions. */
const RULES = `{
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
  resultTypes: ['violations'],
}`

/** Elements that fade in have other colors meanwhile; endless animations do not count. */
const IS_STILL = `document.getAnimations().every(
  (animation) => animation.playState !== 'running' || animation.effect.getTiming().iterations === Infinity)`

/** Returns the WCAG 2.2 level AA violations that axe finds in a page, one per line. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await expect.poll(() => page.evaluate(IS_STILL)).toBe(true)
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe)
  const { violations } = await page.evaluate<{ violations: Violation[] }>(`axe.run(document, ${RULES})`)
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 300)} ${failureSummary}`),
  )
}
