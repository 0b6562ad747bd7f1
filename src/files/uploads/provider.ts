import type { FileSettings } from '../file-settings.ts'

/**
 * The storage provider that Homeport presents to a client, which decides how the client sends the bytes (protocol/files, Upload
 * by provider).
 */
export type Provider = 's3' | 'qiniu' | 'qcloud'

/** Minimum bytes from which the JavaScript SDK should send parts, so that an interrupted upload can resume. */
const LARGE = 64 * 1024 * 1024

const JAVASCRIPT = /\b(?:LeanCloud-JS-SDK|AV)\/(?:js)?(\d+)/

/** Matches Node.js, where the SDK accepts streams. */
const NODE = /\bNode\.js\b/

/** Names of platforms in the JavaScript SDK that can only post forms. */
const FORMS_ONLY = /\((?:[^)]*[ ;])?(weapp|wechat|qq|toutiao|bytedance|alipay|baidu|swan|quickapp)/i

/**
 * Chooses the provider for an upload. All official SDKs support `s3`, a plain PUT. Mini-programs can only post forms. In Node.js
 * the JavaScript SDK sends streams as forms or in parts, and large files in parts.
 * @param userAgent the client's `X-LC-UA` or `User-Agent`
 * @param size bytes; null when unknown
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
  // Before version 3 the SDK sends to a fixed address of Qiniu, which is not this server.
  if (major < 3) return formsOnly ? 'qcloud' : 's3'
  if (formsOnly) return 'qiniu'
  // In Node.js the file may be a stream. For `s3` the SDK rejects streams or hangs.
  if (NODE.test(userAgent)) return 'qiniu'
  return size === null || size >= LARGE ? 'qiniu' : 's3'
}
