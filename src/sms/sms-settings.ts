import { z } from 'zod'
import { secret } from '../settings-schema.ts'

const text = z
  .string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be a string') })
  .min(1, 'must not be empty')

/** Characters allowed in headers; rejects a space or line end that was copied along. */
const key = text.regex(/^[!-~]+$/, 'must be visible ASCII characters without spaces')

const url = text.refine(isWebUrl, 'must be a URL such as https://sms.example.org/send, without user and password')

/** The signatures of the providers are computed for the path `/`. */
const endpoint = text.refine(
  (value) => isWebUrl(value) && new URL(value).href === `${new URL(value).origin}/`,
  'must be a URL such as https://sms.example.org, without path and query',
)

const region = text.regex(/^[a-z0-9-]+$/, 'must be a region such as ap-guangzhou')

const webhook = z.strictObject({
  url,
  secret: secret(text).optional().describe('Signs each request, so that the receiver can verify its sender.'),
})

const alibaba = z.strictObject({
  accessKeyId: key,
  accessKeySecret: secret(key),
  signName: text,
  template: text,
  region: region.optional().describe('Region that selects the host. Default: mainland China.'),
  endpoint: endpoint.optional().describe('Base URL of another host, `https://…`.'),
})

const tencent = z.strictObject({
  secretId: key,
  secretKey: secret(key),
  sdkAppId: text,
  signName: text,
  template: text,
  region: region.default('ap-guangzhou'),
  endpoint: endpoint.optional().describe('Base URL of another host, `https://…`.'),
})

const members = { webhook, alibaba, tencent }

/**
 * The SMS provider of an app and its keys. `outbox` sends nothing and writes messages to files. Settings of providers
 * that are not selected may stay.
 */
export const smsProviderSettings = z
  .strictObject({
    provider: z
      .enum(['outbox', 'webhook', 'alibaba', 'tencent'])
      .default('outbox')
      .describe('`outbox` sends nothing and writes messages to files in the data directory.'),
    webhook: webhook.optional(),
    alibaba: alibaba.optional(),
    tencent: tencent.optional(),
  })
  .superRefine((settings, context) => {
    const { provider } = settings
    if (provider === 'outbox' || settings[provider]) return
    for (const issue of members[provider].safeParse({}).error!.issues) {
      const path = [provider, ...issue.path]
      context.addIssue({ code: 'custom', path, message: `${issue.message}; the provider '${provider}' requires it` })
    }
  })
  .prefault({})

export type SmsProviderSettings = z.infer<typeof smsProviderSettings>
export type WebhookSettings = z.infer<typeof webhook>
export type AlibabaSettings = z.infer<typeof alibaba>
export type TencentSettings = z.infer<typeof tencent>

function isWebUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}
