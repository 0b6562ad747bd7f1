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
    thanks: (appName, email) => html`谢谢！<bdi>${email}</bdi> 已确认为你在 <bdi>${appName}</bdi> 使用的邮箱。`,
    next: '现在可以关闭本页，回到应用。',
  },
  en: {
    title: 'Your email address is confirmed',
    thanks: (appName, email) =>
      html`Thank you! <bdi>${email}</bdi> is now your confirmed address at <bdi>${appName}</bdi>.`,
    next: 'You can close this page now and go back to the app.',
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
