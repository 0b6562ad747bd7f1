// Checks the built site: `npm run docs:build` runs this after the build.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { env } from 'node:process'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import MiniSearch from 'minisearch'
import { searchTerms } from './.vitepress/search-terms.js'

const folder = dirname(fileURLToPath(import.meta.url))
const dist = join(folder, '.vitepress/dist')
const base = env.SITE_BASE ?? '/'
const html = new Map(
  filesIn(dist)
    .filter((path) => path.endsWith('.html'))
    .map((path) => [path, readFileSync(join(dist, path), 'utf8')]),
)

test('there is a page for each document, in Chinese below /zh/', () => {
  assert.ok(html.size > 80, `${html.size} pages`)
  for (const page of filesIn(join(folder, 'pages')).filter((path) => path.endsWith('.md'))) {
    assert.ok(html.has(page.replace(/\.md$/, '.html')), page)
  }
})

test('every link of a page leads to a page and to a heading on it', () => {
  const ids = new Map(
    [...html].map(([path, text]) => [path, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  )
  const broken = []
  for (const [path, text] of html) {
    for (const [, href] of text.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      if (/^(?:[a-z]+:|\/\/)/.test(href)) continue
      const [file, hash] = href.split('#')
      const target =
        file === '' ? path : pageAt(posix.join('/', file.startsWith(base) ? file.slice(base.length) : file))
      const isFound = html.has(target) && (!hash || ids.get(target).has(decodeURIComponent(hash)))
      if (!isFound && path !== '404.html') broken.push(`${path}: ${href}`)
    }
  }
  assert.deepEqual(broken, [])
})

test('every picture of a page is part of the site', () => {
  const pictures = [...html].flatMap(([path, text]) =>
    [...text.matchAll(/<img [^>]*?src="([^"]+)"/g)].map(([, source]) => ({ path, source })),
  )
  assert.ok(pictures.length > 5, `${pictures.length} pictures`)
  const missing = pictures.filter(
    ({ source }) => !source.startsWith(base) || !existsSync(join(dist, source.slice(base.length))),
  )
  assert.deepEqual(missing, [])
})

test('items of checklists have a box', () => {
  for (const page of ['moving-day', 'zh/security-checklist']) {
    const text = html.get(`${page}.html`)
    assert.ok(text.split('<input type="checkbox"').length > 20, page)
    assert.doesNotMatch(text, /<li[^>]*>(?:<p>)?\[ \]/)
  }
})

test('diagrams are drawn in the browser, and readable as text before', () => {
  assert.match(html.get('architecture.html'), /<pre>flowchart/)
  assert.ok(filesIn(join(dist, 'assets')).some((path) => path.includes('mermaid')))
})

for (const [language, query, page] of [
  ['root', 'restore a backup', /^\/(?:backup|operations|getting-started)/],
  ['root', 'leaderboard', /^\/leaderboards/],
  ['zh', '排行榜', /^\/zh\/leaderboards/],
  ['zh', '推送证书', /^\/zh\/push/],
  ['zh', '小程序域名', /^\/zh\/(?:guide-mini-program|clients)/],
  ['zh', '聊天记录', /^\/zh\/(?:messaging|guide-chat|moving-in|settings)/],
]) {
  test(`the search for "${query}" finds its page among the first results`, async () => {
    const results = (await indexOf(language)).search(query)
    const first = results.slice(0, 5).map(({ id }) => id)
    assert.ok(
      first.some((id) => page.test(id)),
      `${first.join(', ') || 'no results'}`,
    )
  })
}

test('the search finds no Chinese term that no page contains', async () => {
  assert.deepEqual((await indexOf('zh')).search('麒麟饕餮'), [])
})

const indexes = {}
function indexOf(language) {
  indexes[language] ??= loadIndex(language)
  return indexes[language]
}

/** Loads the index as VitePress loads it in the browser, with the same tokenizer. */
async function loadIndex(language) {
  const chunks = join(dist, 'assets/chunks')
  const chunk = readdirSync(chunks).find((name) => name.startsWith(`@localSearchIndex${language}.`))
  const { default: json } = await import(pathToFileURL(join(chunks, chunk)).href)
  return MiniSearch.loadJSON(json, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    tokenize: searchTerms,
    searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
  })
}

/** @returns {string} the file of the page at a path of the site */
function pageAt(path) {
  const name = decodeURI(path).replace(/^\//, '')
  return name === '' || name.endsWith('/') ? `${name}index.html` : name.endsWith('.html') ? name : `${name}.html`
}

function filesIn(path) {
  return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
}
