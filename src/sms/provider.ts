import { ApiError } from '../errors.ts'
import type { Log } from '../log.ts'
import { alibabaProvider } from './alibaba.ts'
import { outboxProvider } from './outbox.ts'
import type { SmsProvider } from './sms.ts'
import type { SmsProviderSettings } from './sms-settings.ts'
import { tencentProvider } from './tencent.ts'
import { webhookProvider } from './webhook.ts'

export interface SmsProviderOptions {
  /** Directory for the messages of the provider `outbox`. */
  readonly outbox: string
  readonly log: Log
  readonly now?: () => Date
  /** Timeout of requests to a provider in milliseconds; by default 10 seconds. */
  readonly timeout?: number
}

/**
 * Creates the provider selected in the settings. Alibaba Cloud and Tencent Cloud are called without their SDKs, which
 * need dozens of packages for one signed request.
 */
export function smsProvider(settings: SmsProviderSettings, options: SmsProviderOptions): SmsProvider {
  const { outbox, log, now = () => new Date(), timeout = 10_000 } = options
  switch (settings.provider) {
    case 'outbox':
      return outboxProvider(outbox, log, now)
    case 'webhook':
      return logged(settings.provider, webhookProvider(settings.webhook!, { now, timeout }), log)
    case 'alibaba':
      return logged(settings.provider, alibabaProvider(settings.alibaba!, { now, timeout }), log)
    case 'tencent':
      return logged(settings.provider, tencentProvider(settings.tencent!, { now, timeout }), log)
  }
}

/** Logs rejected messages for the operator, because only the operator can change keys, signatures and templates. */
function logged(provider: string, { send }: SmsProvider, log: Log): SmsProvider {
  return {
    async send(message) {
      try {
        await send(message)
      } catch (error) {
        if (error instanceof ApiError) {
          const { code, message: reason } = error
          log.warn({ provider, code, error: reason }, 'sending text message failed')
        }
        throw error
      }
    },
  }
}
