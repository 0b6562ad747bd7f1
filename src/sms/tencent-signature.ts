import { createHash, createHmac } from 'node:crypto'

/** A call of a Tencent Cloud API with a JSON body. */
export interface TencentCall {
  readonly host: string
  readonly service: string
  readonly action: string
  /** Version of the API, such as `2021-01-11`. */
  readonly version: string
  readonly region: string
  /** Exactly as it is sent. */
  readonly body: string
  readonly date: Date
}

/**
 * Returns the headers of a POST request, signed with TC3-HMAC-SHA256: a key derived for a day and a service signs a
 * hash of the request. `content-type` and `host` are signed and have to be sent.
 */
export function tencentHeaders(call: TencentCall, secretId: string, secretKey: string): Record<string, string> {
  const timestamp = String(Math.floor(call.date.getTime() / 1000))
  const day = call.date.toISOString().slice(0, 10)
  const contentType = 'application/json; charset=utf-8'
  const names = 'content-type;host'
  const lines = `content-type:${contentType}\nhost:${call.host}\n`
  const request = ['POST', '/', '', lines, names, sha256(call.body)].join('\n')
  const scope = `${day}/${call.service}/tc3_request`
  const key = [day, call.service, 'tc3_request'].reduce<Buffer>(hmac, Buffer.from(`TC3${secretKey}`))
  const signature = hmac(key, ['TC3-HMAC-SHA256', timestamp, scope, sha256(request)].join('\n')).toString('hex')
  return {
    authorization: `TC3-HMAC-SHA256 Credential=${secretId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    'content-type': contentType,
    'x-tc-action': call.action,
    'x-tc-region': call.region,
    'x-tc-timestamp': timestamp,
    'x-tc-version': call.version,
  }
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
