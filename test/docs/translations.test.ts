import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

/** Pages for contributors, and reference pages that name code: English only, as those of docs/protocol are. */
const ENGLISH_ONLY = ['api-coverage', 'architecture', 'errors', 'glossary', 'log-events']

const pages = readdirSync('docs')
  .filter((file) => /^[\w-]+\.md$/.test(file))
  .map((file) => file.replace('.md', ''))
const translated = [...pages.filter((page) => !ENGLISH_ONLY.includes(page)).map((page) => `docs/${page}`), 'README']

it('finds the pages', () => {
  expect(pages).toEqual(expect.arrayContaining([...ENGLISH_ONLY, 'getting-started', 'messaging', 'security']))
})

it.each(translated)('%s has a Chinese page with the same sections, tables and code blocks', (page) => {
  expect(existsSync(`${page}.zh-CN.md`)).toBe(true)
  expect(structureOf(`${page}.zh-CN.md`)).toEqual(structureOf(`${page}.md`))
})

it.each(translated)('%s and its Chinese page link to each other', (page) => {
  const name = page.replace('docs/', '')
  expect(readFileSync(`${page}.md`, 'utf8')).toContain(`[简体中文](${name}.zh-CN.md)`)
  expect(readFileSync(`${page}.zh-CN.md`, 'utf8')).toContain(`[English](${name}.md)`)
})

/** Returns the levels of the headings, and the table rows and code blocks below each. */
function structureOf(path: string): readonly string[] {
  const sections: { level: number; rows: number; blocks: number }[] = []
  let isCode = false
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const section = sections.at(-1)
    if (/^\s*```/.test(line)) {
      isCode = !isCode
      if (isCode && section) section.blocks++
    } else if (!isCode && /^#+ /.test(line)) sections.push({ level: line.indexOf(' '), rows: 0, blocks: 0 })
    else if (!isCode && /^\s*\|/.test(line) && section) section.rows++
  }
  return sections.map(({ level, rows, blocks }) => `level ${level}: ${rows} table rows, ${blocks} code blocks`)
}
