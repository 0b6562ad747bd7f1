import { createHash } from 'node:crypto'
import { Html, html } from './html.ts'
import type { Language } from './language.ts'
import { STYLE } from './style.ts'

const styleHash = createHash('sha256').update(STYLE).digest('base64')

/**
 * Headers of a page. The page loads and runs nothing, cannot be framed, and sends its form only to this server. Its URL
 * contains a secret: the page is never cached, and no other page gets its URL or a handle of its window.
 */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const

/** The link to the same page in the other language, in that language. */
const OTHER: { readonly [language in Language]: Html } = {
  'zh-CN': html`<a href="?lang=en" lang="en" hreflang="en">English</a>`,
  en: html`<a href="?lang=zh-CN" lang="zh-CN" hreflang="zh-CN">简体中文</a>`,
}

/**
 * Returns a complete page: a card with `content`, and below it the link to the other language. It needs no script and
 * no other file.
 * @param title of the window; the content has its own heading
 */
export function page(language: Language, title: string, content: Html): string {
  // Disables telephone links, because a username of digits would become one.
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<main>
${content}
</main>
<footer>${OTHER[language]}</footer>
</body>
</html>
`.text
}
