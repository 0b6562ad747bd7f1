import { createHmac } from 'node:crypto'
import { defaultText } from './default-text.ts'
import { type CallOptions, postForStatus } from './provider-call.ts'
import { refusal } from './refusal.ts'
import type { SmsProvider } from './sms.ts'
import type { WebhookSettings } from './sms-settings.ts'

/**
 * Creates the provider that posts messages to a server of the operator as JSON: the members of a `TextMessage` and
 * `text`. A 2xx status accepts the message.
 */
export function webhookProvider({ url, secret }: WebhookSettings, { now, timeout }: CallOptions): SmsProvider {
  return {
    async send(message) {
      const body = JSON.stringify({ ...message, text: defaultText(message) })
      const headers = { 'content-type': 'application/json', ...(secret && signature(body, secret, now())) }
      const status = await postForStatus({ url: new URL(url), headers, body }, timeout)
      if (status < 200 || status > 299) throw refusal(status, undefined, new Map())
    },
  }
}

/** Signs the time as well, so that the receiver can reject replayed requests. */
function signature(body: string, secret: string, now: Date): Record<string, string> {
  const timestamp = String(now.getTime())
  return {
    'x-homeport-timestamp': timestamp,
    'x-homeport-signature': `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`,
  }
}
