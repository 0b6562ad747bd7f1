// Copies the documents into `pages/` as the site needs them: a page per URL, English at the root and Chinese below `zh/`, with
// links rewritten. VitePress can rename pages, but its search then puts the Chinese pages into the English index.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { dirname, join, normalize, relative } from 'node:path'
import { argv, env } from 'node:process'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const target = join(root, 'site/pages')

/** Documents outside of `docs/` that are pages of the site. */
const ROOT_DOCUMENTS = {
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'vulnerabilities.md',
}

/** Source files are linked to the repository if the build knows its address, as in a workflow of GitHub. */
const repository = env.GITHUB_REPOSITORY
  ? `${env.GITHUB_SERVER_URL ?? 'https://github.com'}/${env.GITHUB_REPOSITORY}/blob/${env.GITHUB_REF_NAME ?? 'main'}`
  : undefined

/** @returns {Map<string, string>} the page of each document; both are paths, of the repository and of `pages/` */
function findPages() {
  const documents = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md'))
  return new Map([
    ...documents.map((path) => [`docs/${path}`, pageOf(path)]),
    ...Object.entries(ROOT_DOCUMENTS),
    // GitHub shows these first; the site begins with docs/README.md.
    ['README.md', 'index.md'],
    ['README.zh-CN.md', 'zh/index.md'],
  ])
}

/** @param {string} path below `docs/` */
function pageOf(path) {
  const page = path.replace(/README(?=\.)/, 'index')
  return page.endsWith('.zh-CN.md') ? `zh/${page.replace('.zh-CN.md', '.md')}` : page
}

/**
 * @param {string} document path of the document in the repository
 * @param {Map<string, string>} pages
 * @returns {string} the Markdown of its page
 */
function render(document, pages) {
  const page = pages.get(document)
  let isCode = false
  const lines = readFileSync(join(root, document), 'utf8')
    .split('\n')
    .map((line) => {
      if (/^\s*```/.test(line)) isCode = !isCode
      return isCode ? line : line.replaceAll(/(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, rewrite)
    })
    // The site has a language menu, and shows comments as text.
    .filter((line) => !/^\[(?:简体中文|English)\]\([^)]*\)$|^<!--.*-->$/.test(line))
  return lines.join('\n')

  function rewrite(link, picture, text, url) {
    if (/^(?:[a-z]+:|#|\/)/.test(url)) return link
    const [path, anchor] = url.split('#')
    const file = normalize(join(dirname(document), path)).replaceAll('\\', '/')
    if (!existsSync(join(root, file))) throw new Error(`${document}: the file of the link ${link} does not exist`)
    const hash = anchor === undefined ? '' : `#${anchor}`
    const other =
      pages.get(file) ?? (file === 'docs' ? 'index.md' : file === 'docs/protocol' ? 'protocol/index.md' : undefined)
    if (other) return `[${text}](/${other.replace(/(?:(?<=^|\/)index)?\.md$/, '')}${hash})`
    if (picture) return `![${text}](${relative(dirname(page), file.replace(/^docs\//, '')).replace(/^(?!\.)/, './')})`
    return repository ? `[${text}](${repository}/${file}${hash})` : text
  }
}

/** Writes all pages, and a pointer to the English page where a Chinese one does not exist. */
function stage() {
  const pages = findPages()
  for (const [document, page] of pages) {
    if (document.startsWith('README')) continue
    write(page, render(document, pages))
    const chinese = `zh/${page}`
    if (page.startsWith('zh/') || [...pages.values()].includes(chinese)) continue
    const url = `/${page.replace(/(?:(?<=^|\/)index)?\.md$/, '')}`
    write(chinese, `---\nsearch: false\n---\n\n# 只有英文版\n\n本页没有中文版，请阅读[英文版](${url})。\n`)
  }
  cpSync(join(root, 'docs/pictures'), join(target, 'pictures'), { recursive: true })
}

function write(page, text) {
  const path = join(target, page)
  // An unchanged page does not reload in the browser.
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

if (argv.includes('--watch')) {
  stage()
  watch(join(root, 'docs'), { recursive: true }, () => {
    try {
      stage()
    } catch (error) {
      console.error(error.message)
    }
  })
} else {
  rmSync(target, { recursive: true, force: true })
  stage()
}
