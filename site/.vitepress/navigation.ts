import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DefaultTheme } from 'vitepress'

/** The sections of the sidebar, by what the reader does, and their pages. Pages that do not exist are left out. */
const SECTIONS: readonly { readonly en: string; readonly zh: string; readonly pages: readonly string[] }[] = [
  { en: 'Start', zh: '开始', pages: ['index', 'getting-started', 'vps', 'comparison', 'faq'] },
  { en: 'By kind of app', zh: '按应用类型', pages: ['guide-blog', 'guide-mini-program', 'guide-chat', 'guide-game'] },
  {
    en: 'Move an app',
    zh: '迁移应用',
    pages: ['moving-in', 'moving-day', 'moving-in-reference'],
  },
  {
    en: 'Build',
    zh: '开发',
    pages: [
      'clients',
      'console',
      'classes',
      'accounts',
      'files',
      'messaging',
      'push',
      'cloud-code',
      'live-queries',
      'search',
      'social',
      'leaderboards',
      'cql',
    ],
  },
  {
    en: 'Run',
    zh: '运维',
    pages: [
      'deployment',
      'tls',
      'sizing',
      'operations',
      'backup',
      'upgrade',
      'monitoring',
      'scaling',
      'database',
      'security-checklist',
      'security',
      'reliability',
      'benchmarks',
    ],
  },
  {
    en: 'Reference',
    zh: '参考',
    pages: ['options', 'settings', 'api-coverage', 'errors', 'log-events', 'glossary', 'protocol/index', 'changelog'],
  },
  {
    en: 'Protocol',
    zh: '协议',
    pages: [
      'conventions',
      'storage',
      'accounts',
      'files',
      'messaging',
      'realtime',
      'push',
      'cloud-code',
      'search',
      'social',
      'moving-in',
      'management',
    ].map((page) => `protocol/${page}`),
  },
  { en: 'Contribute', zh: '参与开发', pages: ['contributing', 'architecture', 'vulnerabilities'] },
]

/**
 * Returns the sidebar of a language. A page has its heading as title; a Chinese sidebar leads to the English page where a Chinese one
 * does not exist.
 *
 * @throws if a page is in no section
 */
export function sidebar(pages: string, language: 'en' | 'zh'): DefaultTheme.SidebarItem[] {
  const listed = new Set(SECTIONS.flatMap((section) => section.pages))
  const unlisted = pagesIn(pages).filter((page) => !listed.has(page))
  if (unlisted.length > 0) throw new Error(`Add to a section in site/.vitepress/navigation.ts: ${unlisted.join(', ')}`)
  return SECTIONS.map((section) => ({
    text: section[language],
    collapsed: section.en === 'Protocol',
    items: section.pages
      .filter((page) => existsSync(join(pages, `${page}.md`)))
      .map((page) => {
        const path = language === 'zh' && !isPointer(join(pages, `zh/${page}.md`)) ? `zh/${page}` : page
        return { text: headingOf(join(pages, `${path}.md`)), link: `/${path.replace(/index$/, '')}` }
      }),
  }))
}

function pagesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.md') && !path.startsWith('zh/'))
    .map((path) => path.replace(/\.md$/, ''))
}

function isPointer(path: string): boolean {
  return readFileSync(path, 'utf8').startsWith('---\nsearch: false\n')
}

function headingOf(path: string): string {
  return /^# (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1]?.replaceAll('`', '') ?? path
}
