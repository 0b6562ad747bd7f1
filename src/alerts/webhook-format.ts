import { createHmac } from 'node:crypto'
import type { AlertNotification, AlertText } from './notification.ts'

/** The forms of a webhook: that of Homeport, and those of chat robots. */
export type WebhookFormat = 'json' | 'slack' | 'wecom' | 'dingtalk' | 'feishu'

export interface Webhook {
  readonly url: string
  /** null: chosen by the host of the URL */
  readonly format: WebhookFormat | null
  /** Signs the request, for formats with signatures; null: no signature. */
  readonly secret: string | null
}

export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const FORMATS_BY_HOST: Readonly<Record<string, WebhookFormat>> = {
  'hooks.slack.com': 'slack',
  'qyapi.weixin.qq.com': 'wecom',
  'oapi.dingtalk.com': 'dingtalk',
  'api.dingtalk.com': 'dingtalk',
  'open.feishu.cn': 'feishu',
  'open.larksuite.com': 'feishu',
}

/** Maximum length of a text in characters: WeCom accepts 2048 bytes. */
const MAX_TEXT = 600

export function formatOf({ url, format }: Pick<Webhook, 'url' | 'format'>): WebhookFormat {
  return format ?? FORMATS_BY_HOST[new URL(url).hostname] ?? 'json'
}

/**
 * Returns the request that a webhook expects.
 * @param now milliseconds since 1970
 */
export function webhookRequest(
  webhook: Webhook,
  notification: AlertNotification,
  text: AlertText,
  now: number,
): WebhookRequest {
  const { url, secret } = webhook
  const content = text.text.length > MAX_TEXT ? `${text.text.slice(0, MAX_TEXT - 1)}…` : text.text
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  const seconds = String(Math.floor(now / 1000))
  switch (formatOf(webhook)) {
    case 'slack':
      return { url, headers, body: JSON.stringify({ text: content }) }
    case 'wecom':
      return { url, headers, body: JSON.stringify({ msgtype: 'text', text: { content } }) }
    case 'dingtalk':
      return {
        url: secret === null ? url : withDingTalkSignature(url, secret, now),
        headers,
        body: JSON.stringify({ msgtype: 'text', text: { content } }),
      }
    case 'feishu': {
      const signature =
        secret === null ? {} : { timestamp: seconds, sign: hmac(`${seconds}\n${secret}`, '').toString('base64') }
      return { url, headers, body: JSON.stringify({ ...signature, msg_type: 'text', content: { text: content } }) }
    }
    case 'json': {
      const { problem } = text
      // Many chat servers accept `text`, such as Mattermost.
      const body = JSON.stringify({ ...notification, problem, notice: notification.problem, text: content })
      if (secret === null) return { url, headers, body }
      const signature = hmac(secret, `${seconds}.${body}`).toString('hex')
      return { url, headers: { ...headers, 'x-homeport-signature': `t=${seconds},v1=${signature}` }, body }
    }
  }
}

/**
 * Returns whether a chat robot accepted a notification. They respond with 200 to rejected ones as well, and with a code other
 * than 0 in the body.
 */
export function isAccepted(format: WebhookFormat, status: number, body: string): boolean {
  if (status < 200 || status > 299) return false
  if (format === 'json' || format === 'slack') return true
  try {
    const answer = JSON.parse(body) as { errcode?: unknown; code?: unknown; StatusCode?: unknown } | null
    return Number(answer?.errcode ?? answer?.code ?? answer?.StatusCode ?? 0) === 0
  } catch {
    return false
  }
}

/** DingTalk's signature: of the time in milliseconds, in the query. */
function withDingTalkSignature(url: string, secret: string, now: number): string {
  const signed = new URL(url)
  signed.searchParams.set('timestamp', String(now))
  signed.searchParams.set('sign', hmac(secret, `${now}\n${secret}`).toString('base64'))
  return signed.href
}

function hmac(key: string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
