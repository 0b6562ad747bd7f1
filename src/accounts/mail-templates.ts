import { z } from 'zod'
import { escapeHtml } from '../values/escape-html.ts'

/** Variables of a mail about an account (protocol/accounts, E-mail flows). */
export interface MailVariables {
  readonly appname: string
  readonly username: string
  readonly email: string
  readonly link: string
}

/** A mail with placeholders for the variables: `{{link}}`, `{{ username }}`. */
export interface MailTemplate {
  readonly subject: string
  readonly text: string
  readonly html?: string | undefined
}

/** In characters. A longer subject is cut, because no mail program shows it. */
const LONGEST_SUBJECT = 200

const PLACEHOLDER = /\{\{\s*(appname|username|email|link)\s*\}\}/g
const LINK = /\{\{\s*link\s*\}\}/
/** Characters that end a line or have a meaning in a mail header. */
const CONTROL_CHARACTERS = /[\p{Cc}\u2028\u2029]+/gu

const body = z.string('must be a string').regex(LINK, 'must contain {{link}}')

/** A template as stored in the settings of an app. A template without the link is rejected, because such a mail is useless. */
export const mailTemplateSettings = z.strictObject({
  subject: z
    .string('must be a string')
    .regex(/\S/, 'must not be blank')
    .max(LONGEST_SUBJECT, `must have at most ${LONGEST_SUBJECT} characters`)
    .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'must be one line without control characters'),
  text: body,
  html: body.optional(),
})

/**
 * Fills in a template. Each value becomes one line, and is escaped in the HTML. Placeholders within values and unknown
 * placeholders stay unchanged.
 */
export function fillTemplate(
  template: MailTemplate,
  variables: MailVariables,
): { subject: string; text: string; html?: string } {
  const fill = (text: string, show: (value: string) => string) =>
    text.replace(PLACEHOLDER, (_, name: keyof MailVariables) => show(oneLine(variables[name])))
  const subject = [...oneLine(fill(template.subject, oneLine))].slice(0, LONGEST_SUBJECT).join('')
  const text = fill(template.text, oneLine)
  if (template.html === undefined) return { subject, text }
  return { subject, text, html: fill(template.html, escapeHtml) }
}

function oneLine(text: string): string {
  return text.replace(CONTROL_CHARACTERS, ' ')
}

/** A paragraph in Chinese and in English, because the language of the reader is unknown. */
type Paragraph = readonly [chinese: string, english: string]

interface Wording {
  readonly subject: string
  readonly request: Paragraph
  readonly button: string
  readonly validity: Paragraph
  /** For a reader that did not request the mail. */
  readonly otherwise: Paragraph
}

// Neither mail contains the username: anyone can sign up with another person's address, and a name of their choice
// would carry text to strangers.

/** The mail that verifies the address of a user (protocol/accounts, emailVerified). */
export const VERIFICATION_TEMPLATE: MailTemplate = builtIn({
  subject: '请验证您的邮箱 Confirm your email address – {{appname}}',
  request: [
    '您好！请打开下面的链接，验证您在 {{appname}} 使用的邮箱 {{email}}。',
    'Hello! Please open the link below to confirm {{email}} as your email address at {{appname}}.',
  ],
  button: '验证邮箱 Confirm email address',
  validity: ['链接有效期为一周。', 'The link is valid for one week.'],
  otherwise: [
    '如果您没有在 {{appname}} 填写过此邮箱，请忽略本邮件。',
    'If you did not enter this address at {{appname}}, please ignore this email.',
  ],
})

/** The mail that lets a user choose a new password (protocol/accounts, E-mail flows). */
export const RESET_TEMPLATE: MailTemplate = builtIn({
  subject: '重置您的密码 Reset your password – {{appname}}',
  request: [
    '您好！请打开下面的链接，为您的 {{appname}} 账号设置新密码。',
    'Hello! Please open the link below to set a new password for your {{appname}} account.',
  ],
  button: '设置新密码 Set a new password',
  validity: ['链接有效期为一小时，只能使用一次。', 'The link is valid for one hour and can be used once.'],
  otherwise: [
    '如果不是您本人的操作，请忽略本邮件，您的密码不会改变。',
    'If you did not request this, please ignore this email. Your password does not change.',
  ],
})

function builtIn({ subject, request, button, validity, otherwise }: Wording): MailTemplate {
  const text = [request.join('\n'), '{{link}}', validity.join('\n'), otherwise.join('\n'), '{{appname}}\n']
  return { subject, text: text.join('\n\n'), html: htmlOf({ subject, request, button, validity, otherwise }) }
}

/** Mail programs support little HTML: styles are inline, and nothing is loaded from the network. */
function htmlOf({ request, button, validity, otherwise }: Wording): string {
  const paragraph = ([chinese, english]: Paragraph) =>
    `<p style="margin:0 0 20px">${chinese}<br><span lang="en" style="color:#4f5b67">${english}</span></p>`
  return `<!doctype html>
<html lang="zh-CN">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body style="margin:0;padding:24px 12px;background:#f3f5f4">
<div style="max-width:480px;margin:0 auto;padding:32px 28px;background:#ffffff;border-radius:16px;color:#1d2a33;font:16px/1.6 -apple-system,'PingFang SC','Microsoft YaHei','Segoe UI',Roboto,sans-serif;overflow-wrap:break-word">
<p style="margin:0 0 20px;font-size:18px;font-weight:bold">{{appname}}</p>
${paragraph(request)}
<p style="margin:0 0 20px"><a href="{{link}}" style="display:inline-block;padding:12px 24px;background:#0f6b5c;border-radius:10px;color:#ffffff;font-weight:bold;text-decoration:none">${button}</a></p>
<p style="margin:0 0 20px;font-size:13px;word-break:break-all"><a href="{{link}}" style="color:#0f6b5c">{{link}}</a></p>
${paragraph(validity)}
${paragraph(otherwise)}
</div>
</body>
</html>
`
}
