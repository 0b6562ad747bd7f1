import { readFileSync } from 'node:fs'
import type { TestApp } from '../support/app.ts'

/**
 * Reads a page of test/apps/pages and fills in its `{{names}}`: the app's `{{appId}}`, `{{appKey}}` and `{{serverUrl}}`, and the
 * given values.
 * @throws Error when a name has no value
 */
export function pageOf(file: string, app: TestApp, values: Readonly<Record<string, string>>): { page: string } {
  const all: Record<string, string> = { appId: app.appId, appKey: app.appKey, serverUrl: app.url, ...values }
  const text = readFileSync(new URL(`./pages/${file}`, import.meta.url), 'utf8')
  const page = text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = all[name]
    if (value === undefined) throw new Error(`${file} asks for ${name}, which it is not given.`)
    return value
  })
  return { page }
}
