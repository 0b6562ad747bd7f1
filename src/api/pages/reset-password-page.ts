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
    account: (appName, username) => html`为你在 <bdi>${appName}</bdi> 的账号 <bdi>${username}</bdi> 设置一个新密码。`,
    password: '新密码',
    confirmation: '再次输入新密码',
    save: '保存新密码',
    faults: {
      blank: '密码不能为空，也不能只有空格。',
      different: '两次输入的密码不一样，请重新输入。',
      long: '这个密码太长了，请换一个短一些的。',
    },
  },
  en: {
    title: 'Choose a new password',
    account: (appName, username) => html`This is for your account <bdi>${username}</bdi> at <bdi>${appName}</bdi>.`,
    password: 'New password',
    confirmation: 'The same password again',
    save: 'Save the new password',
    faults: {
      blank: 'The password cannot be empty or consist of spaces alone.',
      different: 'The two passwords are not the same. Please type them again.',
      long: 'That password is too long. Please choose a shorter one.',
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
    next: (appName) => html`现在可以关闭本页，回到 <bdi>${appName}</bdi>，用新密码登录。`,
  },
  en: {
    title: 'Your password is changed',
    next: (appName) =>
      html`You can close this page now, go back to <bdi>${appName}</bdi> and log in with the new password.`,
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
