import type { FileSettings } from '../file-settings.ts'

/** What a client takes Homeport for, and so in what form it sends the bytes (protocol/files, Upload by provider). */
export type Provider = 's3' | 'qiniu' | 'qcloud'

/** From here on JavaScript sends parts where it can: what has arrived of them need not be sent again. */
const LARGE = 64 * 1024 * 1024

const JAVASCRIPT = /\b(?:LeanCloud-JS-SDK|AV)\/(?:js)?(\d+)/

/** Where JavaScript knows streams. */
const NODE = /\bNode\.js\b/

/** Names that JavaScript gives to platforms that post forms and nothing else. */
const FORMS_ONLY = /\((?:[^)]*[ ;])?(weapp|wechat|qq|toutiao|bytedance|alipay|baidu|swan|quickapp)/i

/**
 * The provider that a client is told. `s3`, a plain PUT, is what all official SDKs can do. Mini-programs post forms only,
 * and JavaScript in Node sends streams as forms or in parts, large files in parts.
 * @param userAgent what the client says of itself in `X-LC-UA` or `User-Agent`
 * @param size bytes; null when the client does not say it
 */
export function chooseProvider(
  { provider }: Pick<FileSettings, 'provider'>,
  userAgent: string,
  size: number | null,
): Provider {
  if (provider !== 'auto') return provider
  const script = JAVASCRIPT.exec(userAgent)
  if (!script) return 's3'
  const major = Number(script[1])
  const formsOnly = FORMS_ONLY.test(userAgent)
  // Before version 3 it sends to one address of Qiniu, and that is not ours.
  if (major < 3) return formsOnly ? 'qcloud' : 's3'
  if (formsOnly) return 'qiniu'
  // In Node it may have a stream, of which it does not tell. To S3 it refuses to send one, or waits for ever.
  if (NODE.test(userAgent)) return 'qiniu'
  return size === null || size >= LARGE ? 'qiniu' : 's3'
}
