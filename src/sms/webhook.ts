import { createHmac } from 'node:crypto'
import { defaultText } from './default-text.ts'
import { type CallOptions, postForStatus } from './provider-call.ts'
import { refusal } from './refusal.ts'
import type { SmsProvider } from './sms.ts'
import type { WebhookSettings } from './sms-settings.ts'

/** Hands messages to a server of the operator's, as JSON: the members of a `TextMessage` and `text`. Any 2xx takes it. */
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

/** The time is signed too, so that the receiver can turn away what somebody recorded. */
function signature(body: string, secret: string, now: Date): Record<string, string> {
  const timestamp = String(now.getTime())
  return {
    'x-homeport-timestamp': timestamp,
    'x-homeport-signature': `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`,
  }
}
