import { type Html, html } from './html.ts'
import { icon } from './icon.ts'
import type { Language, Translations } from './language.ts'
import { page } from './page.ts'

/** Why a password was rejected. */
export type PasswordFault = 'blank' | 'different' | 'long'

interface FormTexts {
  readonly title: string
  readonly account: (appName: string, username: string) => Html
  readonly password: string
  readonly confirmation: string
  readonly save: string
  readonly faults: { readonly [fault in PasswordFault]: string }
}

const FORM: Translations<FormTexts> = {
  'zh-CN': {
    title: '设置新密码',
    account: (appName, username) => html`为您在 <bdi>${appName}</bdi> 的账号 <bdi>${username}</bdi> 设置新密码。`,
    password: '新密码',
    confirmation: '再次输入新密码',
    save: '保存新密码',
    faults: {
      blank: '密码不能为空，也不能只包含空格。',
      different: '两次输入的密码不一致，请重新输入。',
      long: '密码过长，请设置较短的密码。',
    },
  },
  en: {
    title: 'Set a new password',
    account: (appName, username) => html`For your account <bdi>${username}</bdi> at <bdi>${appName}</bdi>.`,
    password: 'New password',
    confirmation: 'Confirm password',
    save: 'Save new password',
    faults: {
      blank: 'The password must not be empty or consist only of spaces.',
      different: 'The passwords do not match. Please enter them again.',
      long: 'The password is too long. Please choose a shorter one.',
    },
  },
}

/**
 * Returns the form behind the link of a reset mail. It sends `password`, `confirmation` and `lang` to its own address.
 * @param fault why the previous input was rejected
 */
export function resetPasswordPage(
  language: Language,
  { appName, username, fault }: { appName: string; username: string; fault?: PasswordFault | undefined },
): string {
  const texts = FORM[language]
  // The field without a name is not sent; password managers read from it which account the password belongs to.
  return page(
    language,
    `${texts.title} – ${appName}`,
    html`${icon('lock')}
<h1>${texts.title}</h1>
<p>${texts.account(appName, username)}</p>
<form method="post" action="">
${fault ? html`<p role="alert" id="fault">${texts.faults[fault]}</p>` : null}
<input type="hidden" name="lang" value="${language}">
<input type="text" value="${username}" autocomplete="username" readonly hidden>
<label for="password">${texts.password}</label>
<input type="password" id="password" name="password" autocomplete="new-password" required${invalid(fault !== undefined)}>
<label for="confirmation">${texts.confirmation}</label>
<input type="password" id="confirmation" name="confirmation" autocomplete="new-password" required${invalid(fault === 'different')}>
<button type="submit">${texts.save}</button>
</form>`,
  )
}

function invalid(is: boolean): Html | null {
  return is ? html` aria-invalid="true" aria-describedby="fault"` : null
}

interface ChangedTexts {
  readonly title: string
  readonly next: (appName: string) => Html
}

const CHANGED: Translations<ChangedTexts> = {
  'zh-CN': {
    title: '密码已修改',
    next: (appName) => html`您可以关闭本页，返回 <bdi>${appName}</bdi> 并使用新密码登录。`,
  },
  en: {
    title: 'Password changed',
    next: (appName) =>
      html`You can close this page, return to <bdi>${appName}</bdi> and log in with your new password.`,
  },
}

/** Returns the page for a new password that has been stored. */
export function passwordChangedPage(language: Language, appName: string): string {
  const texts = CHANGED[language]
  return page(
    language,
    `${texts.title} – ${appName}`,
    html`${icon('done')}
<h1>${texts.title}</h1>
<p>${texts.next(appName)}</p>`,
  )
}
