import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'

const CODE = ['src', 'test', 'bench', 'attack', 'scripts']
const PAGES = 'docs/protocol'

const pages = new Map([
  ...filesIn(PAGES, /\.md$/).map((path) => [`protocol/${basename(path, '.md')}`, headingsIn(path)] as const),
  ['docs/architecture.md', headingsIn('docs/architecture.md')],
])

it('every citation of the protocol or the architecture names an existing heading', () => {
  const citations = CODE.flatMap((folder) => filesIn(folder, /\.m?ts$|\.mjs$/)).flatMap(citationsIn)
  expect(citations.length).toBeGreaterThan(400)
  expect(citations.filter(({ page, rest }) => !names(page, rest))).toEqual([])
})

it('comments cite only files in the repository', () => {
  const strangers = CODE.flatMap((folder) => filesIn(folder, /\.m?ts$|\.mjs$/)).flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => /\bspec\/[a-z0-9-]+[,)]|\(design, /.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(strangers.filter((line) => !line.startsWith('test/docs/'))).toEqual([])
})

it('every link inside the documents resolves', () => {
  const documents = [...filesIn('docs', /\.md$/), ...filesIn('.', /\.md$/, false)]
  const broken = documents.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    return [...text.matchAll(/\]\(([^)\s#]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, path]) => !/^[a-z]+:/.test(path!))
      .filter(([, path, anchor]) => !leads(file, path!, anchor))
      .map(([link]) => `${file}: ${link}`)
  })
  expect(broken).toEqual([])
})

it('every test file that a document names exists', () => {
  const tests = ['src', 'test', 'console'].flatMap((folder) => filesIn(folder, /\.test\.ts$/))
  const documents = [...filesIn('docs', /\.md$/), ...filesIn('.', /\.md$/, false)]
  const named = documents.flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(/(?<![*\w./-])[\w./-]*\w\.test\.ts/g)].map(([name]) => ({
      document,
      name,
    })),
  )
  expect(named.length).toBeGreaterThan(20)
  const exists = (name: string) => tests.some((file) => `/${file}`.endsWith(`/${name.replace(/^(\.\.?\/)+/, '')}`))
  expect(named.filter(({ name }) => !exists(name))).toEqual([])
})

interface Citation {
  readonly file: string
  readonly page: string
  /** The text after the page name, which begins with a heading. */
  readonly rest: string
}

/** Returns citations such as `(protocol/storage, Query parameters)`; a comment can continue after the heading. */
function citationsIn(file: string): Citation[] {
  if (file.startsWith('test/docs/')) return []
  // A citation can contain a line break of its comment.
  const text = readFileSync(file, 'utf8').replaceAll(/\n\s*(?:\*|\/\/) /g, ' ')
  return [...text.matchAll(/(protocol\/[a-z-]+|docs\/architecture\.md),\s(?=(.{0,100}))/g)].map(([, page, rest]) => ({
    file,
    page: page!,
    rest: rest!,
  }))
}

function names(page: string, rest: string): boolean {
  return (pages.get(page) ?? []).some((heading) => rest.startsWith(heading) && !/^\w/.test(rest.slice(heading.length)))
}

function leads(file: string, path: string, anchor: string | undefined): boolean {
  const target = path === '' ? file : normalize(join(dirname(file), path))
  if (!existsSync(target)) return false
  return anchor === undefined || !target.endsWith('.md') || headingsIn(target).map(anchorOf).includes(anchor)
}

function headingsIn(path: string): string[] {
  return headingsOf(readFileSync(path, 'utf8'))
}

/** Returns the headings of a page as plain text. */
function headingsOf(text: string): string[] {
  return [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .replaceAll('`', '')
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim(),
  )
}

/** Returns the anchor of a heading in a rendered page. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-')
}

function filesIn(folder: string, name: RegExp, deep = true): string[] {
  try {
    return readdirSync(folder, { recursive: deep, encoding: 'utf8' })
      .map((path) => join(folder, path).replaceAll('\\', '/'))
      .filter((path) => name.test(path) && !path.includes('node_modules/'))
  } catch {
    return []
  }
}
