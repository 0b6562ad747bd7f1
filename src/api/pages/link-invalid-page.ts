import { html } from './html.ts'
import { icon } from './icon.ts'
import type { Language, Translations } from './language.ts'
import { page } from './page.ts'

/** The purpose of a link. */
export type LinkKind = 'reset' | 'verification'

interface InvalidTexts {
  readonly title: string
  readonly reasons: { readonly [kind in LinkKind]: string }
  readonly remedies: { readonly [kind in LinkKind]: string }
}

const INVALID: Translations<InvalidTexts> = {
  'zh-CN': {
    title: '链接已失效',
    reasons: {
      reset: '重置密码的链接有效期为一小时，只能使用一次。',
      verification: '验证邮箱的链接有效期为一周。',
    },
    remedies: {
      reset: '请回到应用，重新申请重置密码，然后打开最新一封邮件里的链接。',
      verification: '请回到应用，重新发送验证邮件，然后打开最新一封邮件里的链接。如果邮箱已经验证过，则无需再次操作。',
    },
  },
  en: {
    title: 'This link is no longer valid',
    reasons: {
      reset: 'A password reset link is valid for one hour and can be used once.',
      verification: 'A link to confirm an email address is valid for one week.',
    },
    remedies: {
      reset: 'Please request a new link in the app, and open the link in the latest email.',
      verification:
        'Please request a new link in the app, and open the link in the latest email. If your address is already confirmed, no action is needed.',
    },
  },
}

/** Returns the page for a link that has expired, was used, or is unknown. It does not reveal which of these. */
export function linkInvalidPage(language: Language, kind: LinkKind): string {
  const texts = INVALID[language]
  return page(
    language,
    texts.title,
    html`${icon('expired')}
<h1>${texts.title}</h1>
<p>${texts.reasons[kind]}</p>
<p>${texts.remedies[kind]}</p>`,
  )
}
