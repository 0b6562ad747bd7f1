import { join } from 'node:path'
import { env } from 'node:process'
import { defineConfig } from 'vitepress'
import { githubAnchor } from './github-anchor.ts'
import { sidebar } from './navigation.ts'
import { searchTerms } from './search-terms.js'
import { taskLists } from './task-lists.ts'

const pages = join(import.meta.dirname, '../pages')

/** The start page shows its title and links above the text of the document. */
const HERO = {
  'index.md': {
    name: 'Homeport',
    text: 'Your LeanCloud app, on your own server',
    tagline: 'Data, accounts, files, chat, push and cloud code for the SDKs that your app already uses',
    actions: [
      { theme: 'brand', text: 'A server in 15 minutes', link: '/vps' },
      { theme: 'alt', text: 'Try it here', link: '/getting-started' },
      { theme: 'alt', text: 'Move an app', link: '/moving-in' },
    ],
  },
  'zh/index.md': {
    name: 'Homeport',
    text: '在自己的服务器上运行 LeanCloud 应用',
    tagline: '数据、账户、文件、聊天、推送与云引擎，沿用应用现有的 SDK',
    actions: [
      { theme: 'brand', text: '十五分钟部署', link: '/zh/vps' },
      { theme: 'alt', text: '本机试用', link: '/zh/getting-started' },
      { theme: 'alt', text: '迁移应用', link: '/zh/moving-in' },
    ],
  },
} as const

export default defineConfig({
  title: 'Homeport',
  srcDir: 'pages',
  // A site below a path, such as a project page of GitHub, sets `SITE_BASE=/homeport/`.
  base: env.SITE_BASE ?? '/',
  cleanUrls: true,
  metaChunk: true,
  // The largest chunks are loaded only where they are needed: the search index, and Mermaid.
  vite: { build: { chunkSizeWarningLimit: 3000 } },
  // The addresses that the reader opens on their own machine.
  ignoreDeadLinks: 'localhostLinks',
  locales: {
    root: {
      label: 'English',
      lang: 'en-US',
      description: 'A self-hosted backend that is compatible with the LeanCloud API',
      themeConfig: {
        nav: [
          { text: 'Get started', link: '/getting-started' },
          { text: 'Move an app', link: '/moving-in' },
          { text: 'Clients', link: '/clients' },
          { text: 'Run', link: '/operations' },
        ],
        sidebar: sidebar(pages, 'en'),
      },
    },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      description: '兼容 LeanCloud API 的自托管后端',
      themeConfig: {
        nav: [
          { text: '开始使用', link: '/zh/getting-started' },
          { text: '迁移应用', link: '/zh/moving-in' },
          { text: '客户端', link: '/zh/clients' },
          { text: '运维', link: '/zh/operations' },
        ],
        sidebar: sidebar(pages, 'zh'),
        outline: { level: [2, 3], label: '本页内容' },
        docFooter: { prev: '上一页', next: '下一页' },
        darkModeSwitchLabel: '外观',
        lightModeSwitchTitle: '切换到浅色模式',
        darkModeSwitchTitle: '切换到深色模式',
        sidebarMenuLabel: '目录',
        returnToTopLabel: '回到顶部',
        langMenuLabel: '切换语言',
        skipToContentLabel: '跳到正文',
        notFound: { title: '页面不存在', quote: '', linkLabel: '返回首页', linkText: '返回首页' },
      },
    },
  },
  themeConfig: {
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: { options: { tokenize: searchTerms } },
        locales: {
          zh: {
            translations: {
              button: { buttonText: '搜索', buttonAriaLabel: '搜索文档' },
              modal: {
                displayDetails: '显示详情',
                resetButtonTitle: '清除',
                backButtonTitle: '关闭',
                noResultsText: '没有结果：',
                footer: {
                  selectText: '选择',
                  navigateText: '移动',
                  closeText: '关闭',
                  selectKeyAriaLabel: '回车键',
                  navigateUpKeyAriaLabel: '上箭头',
                  navigateDownKeyAriaLabel: '下箭头',
                  closeKeyAriaLabel: 'Esc 键',
                },
              },
            },
          },
        },
      },
    },
  },
  transformPageData({ relativePath }) {
    if (!(relativePath in HERO)) return
    return { frontmatter: { layout: 'home', hero: HERO[relativePath as keyof typeof HERO] } }
  },
  markdown: {
    // Placeholders such as <Class> are text: the documents contain no HTML.
    html: false,
    languageAlias: { caddyfile: 'nginx' },
    anchor: { slugify: githubAnchor },
    config(md) {
      md.use(taskLists)
      const fence = md.renderer.rules.fence!
      md.renderer.rules.fence = (tokens, index, options, environment, self) => {
        const { info, content } = tokens[index]!
        if (info.trim() !== 'mermaid') return fence(tokens, index, options, environment, self)
        return `<MermaidDiagram source="${encodeURIComponent(content)}" />`
      }
    },
  },
})
