import { type Html, html } from './html.ts'
import { icon } from './icon.ts'
import type { Language, Translations } from './language.ts'
import { page } from './page.ts'

interface VerifiedTexts {
  readonly title: string
  readonly thanks: (appName: string, email: string) => Html
  readonly next: string
}

const VERIFIED: Translations<VerifiedTexts> = {
  'zh-CN': {
    title: '邮箱已验证',
    thanks: (appName, email) => html`您在 <bdi>${appName}</bdi> 使用的邮箱 <bdi>${email}</bdi> 已通过验证。`,
    next: '您可以关闭本页，返回应用。',
  },
  en: {
    title: 'Email address confirmed',
    thanks: (appName, email) =>
      html`Thank you. <bdi>${email}</bdi> is confirmed as your email address at <bdi>${appName}</bdi>.`,
    next: 'You can close this page and return to the app.',
  },
}

/** Returns the page for an address that was verified by a link (protocol/accounts, emailVerified). */
export function emailVerifiedPage(language: Language, { appName, email }: { appName: string; email: string }): string {
  const texts = VERIFIED[language]
  return page(
    language,
    `${texts.title} – ${appName}`,
    html`${icon('done')}
<h1>${texts.title}</h1>
<p>${texts.thanks(appName, email)}</p>
<p>${texts.next}</p>`,
  )
}
